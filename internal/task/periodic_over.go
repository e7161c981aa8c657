package task

import (
	"maps"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// plans.update may set fields of the plan that a periodic task has no word for, such as
// exec_timeout. A change of the task cannot mean to remove them, so they stay.

// ofPeriodic are the fields of the plan that the task alone determines, whether it has them or
// not.
var ofPeriodic = []string{
	"plan_id", "station", "command", "tenant_id", "creator", "category", "labels", "messages",
	"plan_type", "cron", "timezone", "exclude", "only", "excluded", "log", "paused",
}

// PeriodicPlanOver is [PeriodicPlan] of a task whose plan is present already: it keeps the
// fields and labels of that which the task has no word for.
func PeriodicPlanOver(present wire.Value, t schema.PeriodicTask, marked bool, enc wire.Encoding) (*schema.Definition, error) {
	fresh, err := PeriodicPlan(t, marked, enc)
	if err != nil {
		return nil, err
	}
	o := own(present)
	w := wire.NewWriter(enc, nil)
	w.BeginMap()
	for name, v := range fresh.Value().Map() {
		switch kept := o.fields[name]; {
		case name == "labels":
			w.KeyText(name)
			writeLabels(w, v, o.labels)
		case !kept.IsZero():
			w.KeyText(name)
			w.Value(kept)
		default:
			w.KeyText(name)
			w.Value(v)
		}
		delete(o.fields, name)
	}
	for name := range present.Map() { // in its order
		if v := o.fields[name]; !v.IsZero() {
			w.KeyText(name)
			w.Value(v)
		}
	}
	w.EndMap()
	d, err := schema.ParsePlan(w.Whole(), schema.ParseOptions{})
	return d, PeriodicError(err)
}

// A planOwn has the fields of a plan that are not those of its periodic task.
type planOwn struct{ fields, labels map[string]wire.Value }

func own(present wire.Value) planOwn {
	o := planOwn{map[string]wire.Value{}, map[string]wire.Value{}}
	for name, v := range present.Map() {
		if !slices.Contains(ofPeriodic, name) {
			o.fields[name] = v
		}
	}
	for name, v := range present.Field("labels").Map() {
		if name != labelLog && name != labelStatus {
			o.labels[name] = v
		}
	}
	return o
}

func writeLabels(w *wire.Writer, of wire.Value, more map[string]wire.Value) {
	w.BeginMap()
	for name, v := range of.Map() {
		w.KeyText(name)
		w.Value(v)
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		w.KeyText(name)
		w.Value(more[name])
	}
	w.EndMap()
}

// PeriodicDropped are the fields that a put in place of the task was leaves out. A task that
// moves to another station gets another plan there, so they are those of its plan, too.
func PeriodicDropped(was schema.PeriodicTask, plan wire.Value, q schema.PeriodicPut) []string {
	before := schema.PeriodicPut{
		TenantID: was.TenantID, CronExpressions: was.CronExpressions, Timezone: was.Timezone,
		Exclude: was.Exclude, Only: was.Only, Excluded: was.Excluded, Category: was.Category, Ext: was.Ext,
	}
	if was.Creator != noCreator {
		before.Creator = was.Creator
	}
	if was.Log != schema.PeriodicLogNone {
		before.Log = was.Log
	}
	dropped := command.Dropped(before, q)
	if was.Type == q.Type {
		return dropped
	}
	o := own(plan)
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if name != "retry" && name != "on_failure" { // which each plan of a periodic task has
			dropped = append(dropped, "plan."+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.labels)) {
		dropped = append(dropped, "plan.labels."+name)
	}
	return dropped
}
