package machine

import (
	"math"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// openSlice bounds the plans of one look, because an execution may have to wait for it.
	openSlice = 1024
	// mostOpen bounds the entries of one answer; one plan may exceed it.
	mostOpen = 1000
)

// listOpen shows the open runs of the next plans behind a place, in the order of their handles. It
// passes by those of which a counter tells that nothing is, because most plans are such.
func listOpen(t *turn, c command.ListOpen) (out command.OpenSlice, _ error) {
	filter := view.NewFilter(&command.ListPlans{Filter: schema.ListPlans{Station: c.Station}}, t.Now)
	before := unit.Moment(math.MaxInt64)
	if !c.Before.IsZero() {
		before = unit.MomentOf(c.Before)
	}
	looked := 0
	for i := max(0, c.After) + 1; i < int64(len(t.Handles.Plans)); i++ {
		p := t.Handles.Plans[i]
		if p == nil || !t.Book.At(p.Handle).MayBeOpen() {
			continue
		}
		if looked++; looked > openSlice || len(out.Open) >= mostOpen {
			out.More = true
			return out, nil
		}
		out.Last = i
		if t.At(p); filter.Matches(p) {
			out.Open = openOf(out.Open, p, before)
		}
	}
	return out, nil
}

// openOf appends the open runs of p that were due before a moment. An occurrence that waits for its
// retry has nothing under way; its executions have ended.
func openOf(to []command.OpenRun, p *state.Plan, before unit.Moment) []command.OpenRun {
	for _, o := range p.Open {
		if o.Due >= before {
			continue
		}
		bar := schema.TimelineBar{Station: p.Name.Station, PlanID: p.Name.PlanID, Due: o.Due.Time(), KnownAs: jobName(p)}
		if o.Attempt == 0 {
			bar.N, bar.State = o.Trigger, schema.StateWaiting
			to = append(to, command.OpenRun{TimelineBar: bar})
		}
		for _, x := range o.Live {
			bar.N, bar.Attempt, bar.Start, bar.State = x.N, x.Attempt, x.Sent.Time(), x.State
			to = append(to, command.OpenRun{TimelineBar: bar, WorkerID: x.Worker})
		}
	}
	return to
}
