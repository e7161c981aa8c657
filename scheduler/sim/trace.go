package sim

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// note writes a line about the world itself.
func (w *world) note(format string, args ...any) {
	if w.options.Trace != nil {
		fmt.Fprintf(w.options.Trace, "%s -- %s\n", clock(w.now), fmt.Sprintf(format, args...))
	}
}

// traceAppend writes the append, with the hash of its rows in their place.
func traceAppend(l *leader, u *underway) {
	if l.w.options.Trace != nil && len(u.body) > 0 {
		l.w.note("%d bytes to append, %d effects: %.8x", len(u.body), len(u.effects), sha256.Sum256(u.body))
	}
}

// trace writes the line of an effect as it is performed: the lines of
// scheduler/machine/testdata/script, by the clock of the node that performs.
func (w *world) trace(l *leader, e event.Effect) {
	if w.options.Trace == nil {
		return
	}
	write := func(format string, args ...any) {
		fmt.Fprintf(w.options.Trace, "%s %s\n", clock(l.n.clock()), fmt.Sprintf(format, args...))
	}
	switch e := e.(type) {
	case event.Answer:
		w.traceAnswer(write, e)
	case event.Dispatch:
		x := e.Execution
		write("%s  due %d → execution %d.%d to %s, plan_time %s, start by %s, deadline %s, items %d from %d on", x.Name, x.Occurrence, x.N, x.Attempt,
			x.Name.Station, clock(x.PlanTime), clock(x.StartBy), clock(x.Deadline), x.Items, x.FirstItem)
	case event.Cancel:
		write("%s/%s  cancel %d %s", e.Cancel.Station, e.Cancel.PlanID, e.Cancel.N, e.Cancel.Reason)
	case event.Publish:
		r := w.decode(e)
		write("%s  result %d.%d of %d: %s %s ×%d → real %d skip %d, final %t", e.Name, r.N, r.Attempt, r.Occurrence,
			r.State, r.Reason, max(r.Count, 1), r.RealRepet, r.SkipNum, r.Final)
	case event.Notify:
		if e.Notice.Kind != schema.NoticeDispatched {
			write("%s/%s  %s %s", e.Notice.Station, e.Notice.PlanID, e.Notice.Kind, e.Notice.Reason)
		}
	case event.Keep:
		write("%s  keep item %d", e.Name, e.N)
	case event.Drop:
		write("%s  drop items before %d", e.Name, e.Before)
	case event.ItemsGranted:
		write("%s  hand %d items from %d on, of %d, for %+v", e.Name, e.Count, e.First, e.Claimed.Length, e.To.(*request).what)
	case event.ClaimGranted:
		for _, x := range e.Executions {
			write("%s  due %d → execution %d.%d to %s, who claimed it", x.Name, x.Occurrence, x.N, x.Attempt, e.To.(*request).what.(command.ClaimWork).WorkerID)
		}
	case event.Abandoned:
		write("%s  abandoned with %d items", e.Name, e.Items)
	case event.Write:
		write("bucket takes %d rows, of the batches before %d; %d left", len(e.Rows), e.Before, e.Left)
	}
}

func (w *world) traceAnswer(write func(string, ...any), e event.Answer) {
	who := "worker"
	if r, ok := e.To.(*request); ok {
		who = fmt.Sprintf("user of %T", r.what)
	}
	if e.Err != nil {
		write("%s ← %v", who, e.Err)
		return
	}
	text, err := wire.Marshal(wire.JSON, e.Body)
	if err != nil {
		text = fmt.Appendf(nil, "%v", e.Body)
	}
	write("%s ← %.300s", who, text)
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("01-02/15:04:05.000")
}
