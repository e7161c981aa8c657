package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// CheckRestore checks a plan of a backup as a leader does, at now by its clock: the record, and
// that its definition has a schedule. Fields that depend on other plans and stations are left out.
func CheckRestore(c command.RestorePlan, now time.Time) error {
	plan := &c.Definition.Plan
	p, err := readPlan(schema.PlanName{Station: plan.Station, PlanID: plan.PlanID}, c, unit.MomentOf(now))
	if err != nil {
		return err
	}
	return p.Define(c.Definition, nil)
}

// CheckRefill checks the record of a queue of a backup as a leader does, at now by its clock.
func CheckRefill(record wire.Value, d *schema.Definition, now time.Time) error {
	_, err := state.ReadQueueRecord(record, &d.Plan, unit.MomentOf(now))
	return err
}

func readPlan(name schema.PlanName, c command.RestorePlan, now unit.Moment) (*state.Plan, error) {
	r, err := state.ReadRecord(c.Record, &c.Definition.Plan, now)
	if err == nil && r.Inbox != nil {
		err = &schema.Error{Code: schema.CodeInvalidPlan, Field: "inbox", Message: "inbox is missing, and record is that of a plan with one; a copy is taken as plans.export gave it"}
	}
	if err != nil {
		return nil, err
	}
	return &state.Plan{Name: name, Record: r}, nil
}

// restore adds a plan from a backup; on_conflict decides about an existing one.
func restore(t *turn, c command.RestorePlan) (schema.Created, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.Readable(name); err != nil {
		return schema.Created{}, err
	}
	if p := t.Plans[name]; p != nil {
		return t.createOver(p, command.CreatePlan{Definition: d})
	}
	p, err := readPlan(name, c, t.Now)
	if was := t.Tombstones.Find(name, d.Raw, t.Now); was != nil && (err != nil || len(p.Open) > 0 || was.RanSince(p.ExecTime)) { // its result may not be stored yet
		if d.Plan.OnConflict != schema.ConflictKeep {
			return schema.Created{}, command.EndedSince()
		}
		return schema.Created{PlanID: name.PlanID, Station: name.Station, State: schema.StatusClosed}, nil
	}
	if err != nil {
		return schema.Created{}, err
	}
	if err := t.Prepare(p, d); err != nil {
		return schema.Created{}, err
	}
	// One that its calendars leave no time is restored all the same, because it was there.
	if err := t.Calendars.Set.Missing(&d.Plan); err != nil {
		t.DropStation(p.Station)
		return schema.Created{}, err
	}
	t.Incarnation++
	p.Incarnation = t.Incarnation
	if p.Skip != nil && p.Skip.K != state.SkipAll { // the schedule determines its time
		p.SkipNext(p.Skip.K-p.Prev.K, p.Skip.Requested)
	}
	if k := p.Marked(); k.Queued.K != 0 { // likewise
		_, last := p.Schedule.Passed(p.Prev, k.Queued.At.Add(1))
		k.Queued = calendar.Due{}
		if last.K > p.Prev.K {
			k.Queued = last
		}
		p.Mark(k)
	}
	for _, o := range p.Open {
		for _, x := range slices.Clone(o.Live) {
			p.Lose(o, x, t.Now)
		}
	}
	t.Enter(p)
	t.Restored[p] = t.Now
	t.OnUndo(func() { delete(t.Restored, p) })
	t.Batch.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticeCreated})
	p.LookAhead(t.Now)
	t.setRight(p, t.Now) // the clock of its record may have been ahead
	return t.created(p, true), nil
}
