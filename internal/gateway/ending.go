package gateway

import (
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ofTime are the fields with which a change makes the only time of a plan one that has passed.
var ofTime = []string{"plan_time", "plan_type", "no_keep"}

// refuseEnding refuses a change that would end a plan without a run, because its time has passed.
// The service carries that out, as its contract says, and answers that the plan is closed;
// somebody who mistyped a year has lost the plan then. The leader says in a dry run what would be,
// because it alone knows the plan and the time.
func (g *Gateway) refuseEnding(q *request, verb string, body wire.Value) error {
	field := ""
	for _, name := range ofTime {
		if !body.Field(name).IsZero() {
			field = name
			break
		}
	}
	if field == "" {
		return nil
	}
	v, err := g.ask(q, "plans", verb, withFlag(body, "dry_run"))
	if err != nil {
		return err
	}
	if reason, _ := v.Field("reason").Text(); reason != string(schema.StateSkipped) {
		return nil
	}
	station, _ := v.Field("station").Text()
	id, _ := v.Field("plan_id").Text()
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: field,
		Message: station + "/" + id + " would end without a run, because its plan_time has passed: say a later one, or no_keep true to run it late; to end it, close the plan",
	}
}

// withFlag is a request with a member that is true.
func withFlag(request wire.Value, name string) wire.Value {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for other, v := range request.Map() {
		if other != name {
			w.KeyText(other)
			w.Value(v)
		}
	}
	w.KeyText(name)
	w.Bool(true)
	w.EndMap()
	return w.Whole()
}
