package front

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// push adds an item to the inbox of a plan, which is created if there is none.
func (ps plans) push(r *request) error {
	var q schema.Push
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	if of, is := schema.CalledBack(name.Station); is {
		return r.invalid("station", "station %s is the scheduler's own: it delivers the callbacks of %s", name.Station, of)
	}
	if q.Item = r.even(q.Item, "item"); q.Item.IsZero() {
		return r.invalid("item", "item is missing; it is the value to be handed over, of any kind")
	}
	if err := schema.CheckRetime(q.Retime); err != nil {
		return err
	}
	c := command.PushItem{Name: name, Item: q.Item, PlanTime: q.PlanTime, Retime: q.Retime, Trace: r.trace}
	if !q.Plan.IsZero() {
		var err error
		if c.Definition, err = ps.inboxDefinition(r, name, q.Plan); err != nil {
			return err
		}
	}
	r.ask(ps.front.partition(name.PlanID), c)
	return nil
}

// even returns a member that may have any value, even null, which decoding takes for absent.
func (r *request) even(v wire.Value, name string) wire.Value {
	if v.IsZero() {
		return r.body.Field(name)
	}
	return v
}

// inboxDefinition checks the plan that a push makes, which need not repeat its name.
func (ps plans) inboxDefinition(r *request, name schema.PlanName, plan wire.Value) (*schema.Definition, error) {
	if plan.Kind() != wire.KindMap {
		return nil, r.invalid("plan", "plan takes a definition, as plans.create does")
	}
	own, err := wire.ValueOf(plan.Encoding(), struct {
		Station string `json:"station"`
	}{name.Station})
	if err != nil {
		return nil, err
	}
	if id, ok := plan.Field("plan_id").Text(); ok && id != name.PlanID {
		return nil, r.invalid("plan.plan_id", "plan_id of the plan is not the one that the push names; leave it out")
	}
	d, err := ps.definition(mergeFields(plan, own), schema.ParseOptions{NewID: func() string { return name.PlanID }})
	if err == nil && d.Plan.Station != name.Station {
		return nil, r.invalid("plan.station", "station of the plan is not the one that the push names; leave it out")
	}
	return d, err
}
