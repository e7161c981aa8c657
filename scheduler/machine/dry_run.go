package machine

import (
	"bytes"
	"cmp"
	"maps"
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

// A dry run carries a command out, compares the plan before and after, and undoes the turn. So
// its answer is the effect that the command would have at that moment.

// A foresight has the fields of a plan that a dry run compares.
type foresight struct {
	there      bool
	status     schema.Status
	skips      int64
	revision   uint64
	enc        wire.Encoding
	raw        []byte // the definition, as far as it is in memory
	times      []time.Time
	executions []schema.OpenExecution
}

// foreseen is how many due times a dry run shows.
const foreseen = 5

// foresee carries out a command of a plan, answers with its effect, and undoes it.
func (t *turn) foresee(r *row, ev event.Ask) {
	name := r.about(ev.What)
	before := foresightOf(t.Find(name), t.Now)
	effects := len(t.Batch.Effects)
	r.do(t, ev.What, ev.From)
	var answer event.Answer
	for _, e := range t.Batch.Effects[effects:] {
		if a, is := e.(event.Answer); is && a.To == ev.From {
			answer = a
		}
	}
	after := foresightOf(t.Find(name), t.Now)
	t.Undo()
	t.Begin()
	if answer.Err != nil || command.AnswersItself(ev.What) {
		t.Batch.Answer(ev.From, answer.Body, answer.Err)
		return
	}
	created, _ := answer.Body.(schema.Created)
	dry := compared(name, &before, &after)
	triggered, _ := answer.Body.(schema.Triggered)
	dry.Created, dry.Reason = dry.Created || created.Created, cmp.Or(created.Reason, triggered.Skipped)
	t.Batch.Answer(ev.From, dry, nil)
}

func foresightOf(p *state.Plan, now unit.Moment) (f foresight) {
	f.status = schema.StatusClosed
	if p == nil || p.Removed {
		return f
	}
	f.there, f.enc, f.raw = true, p.Enc, bytes.Clone(p.Raw)
	f.skips, f.revision, f.times = p.Skips(), p.Revision, nextTimes(p, now)
	if !p.IsGone() {
		f.status = p.Status()
	}
	for _, o := range p.Open {
		for _, x := range o.Live {
			f.executions = append(f.executions, schema.OpenExecution{N: x.N, Attempt: x.Attempt, State: x.State, WorkerID: x.Worker, Deadline: x.Deadline.Time()})
		}
	}
	return f
}

// nextTimes are the next due times of p that are to run, none while it is paused or stopped.
func nextTimes(p *state.Plan, now unit.Moment) (times []time.Time) {
	if p.IsGone() || p.Suspension != nil {
		return nil
	}
	next := state.NextRun(p, now)
	for !next.At.IsZero() && len(times) < foreseen {
		times = append(times, next.At)
		if p.Inbox != nil {
			break
		}
		later, ok := p.Schedule.NextRun(next, next.At, calendar.Horizon(next.At))
		if !ok {
			break
		}
		next = later
	}
	return times
}

// compared is the answer of a dry run.
func compared(name schema.PlanName, before, after *foresight) schema.DryRun {
	d := schema.DryRun{
		PlanID: name.PlanID, Station: name.Station, DryRun: true, State: after.status, Revision: max(before.revision, after.revision), Created: !before.there && after.there,
		Changes: []schema.FieldChange{}, Before: slices.Concat([]time.Time{}, before.times), After: slices.Concat([]time.Time{}, after.times),
	}
	if after.there && !bytes.Equal(before.raw, after.raw) {
		d.Changes = differences(before, after)
	}
	state := func(field string, was, is wire.Value) {
		if before.there && was.String() != is.String() {
			d.Changes = append(d.Changes, schema.FieldChange{Field: field, Before: was, After: is})
		}
	}
	number := func(n int64) wire.Value { v, _ := wire.ValueOf(wire.JSON, n); return v }
	state("skip_next", number(before.skips), number(after.skips))
	state("status", wire.Text(wire.JSON, string(before.status)), wire.Text(wire.JSON, string(after.status)))
	for _, x := range before.executions {
		if !slices.ContainsFunc(after.executions, func(is schema.OpenExecution) bool { return is.N == x.N }) {
			d.Cancelled = append(d.Cancelled, x)
		}
	}
	return d
}

// differences are the fields in which two definitions differ, by name. Values that are not shown
// count, and are not shown here either.
func differences(before, after *foresight) []schema.FieldChange {
	was, is := wire.Value{}, wire.Trust(after.enc, after.raw)
	names := map[string]bool{}
	if before.there {
		was = wire.Trust(before.enc, before.raw)
		for name := range was.Map() {
			names[name] = true
		}
	}
	for name := range is.Map() {
		names[name] = true
	}
	all := []schema.FieldChange{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := was.Field(name), is.Field(name); a.IsZero() || b.IsZero() || !bytes.Equal(a.Canonical(), b.Canonical()) {
			all = append(all, schema.FieldChange{Field: name, Before: schema.HidePlan(was).Field(name), After: schema.HidePlan(is).Field(name)})
		}
	}
	return all
}
