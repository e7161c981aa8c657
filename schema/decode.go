package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// ReadFrom takes over the members of an execution's body, as [wire.DecodeLoose]
// would, without reflection: a worker reads one for every execution. Members of the
// wrong kind are left at zero, since the scheduler wrote them. It returns where to answer
// one that was claimed, which is told in its body.
func (e *Execution) ReadFrom(v wire.Value) (reply string) {
	for name, m := range v.Map() {
		switch name {
		case "plan_id":
			e.PlanID, _ = m.Text()
		case "station":
			e.Station, _ = m.Text()
		case "command":
			e.Command, _ = m.Text()
		case "request_id":
			e.RequestID, _ = m.Text()
		case "caller":
			e.Caller, _ = m.Text()
		case "description":
			e.Description, _ = m.Text()
		case "tenant_id":
			e.TenantID, _ = m.Text()
		case "category":
			e.Category, _ = m.Text()
		case "exec":
			e.Exec, _ = m.Text()
		case "key":
			e.Key, _ = m.Text()
		case "occurrence":
			e.Occurrence, _ = m.Int()
		case "attempt":
			e.Attempt, _ = m.Int()
		case "epoch":
			e.Epoch, _ = m.Int()
		case "priority":
			e.Priority, _ = m.Int()
		case "plan_time":
			e.PlanTime, _ = m.Time()
		case "deadline":
			e.Deadline, _ = m.Time()
		case "messages":
			e.Messages = m.Elements()
		case "items":
			e.Items = m.Elements()
		case "ext":
			e.Ext = m
		case "labels":
			e.Labels = texts(m)
		case "reply":
			reply, _ = m.Text()
		}
	}
	return reply
}

// ReadFrom takes over the members of an acknowledgement, likewise: a worker reads one
// for every result.
func (a *Ack) ReadFrom(v wire.Value) {
	for name, m := range v.Map() {
		switch name {
		case "ack":
			a.Ack, _ = m.Bool()
		case "accepted":
			a.Accepted, _ = m.Bool()
		case "cancel":
			a.Cancel, _ = m.Bool()
		case "ping_interval_ms":
			a.PingIntervalMS, _ = m.Int()
		}
	}
}

func texts(m wire.Value) map[string]string {
	out := map[string]string{}
	for name, v := range m.Map() {
		out[name], _ = v.Text()
	}
	return out
}
