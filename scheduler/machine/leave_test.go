package machine

import (
	"bytes"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// rows are those of the batch.
func (x *bench) rows() (rows []event.Row) {
	x.Helper()
	if err := event.Rows(x.b.Seal(), func(r event.Row) error {
		r.Value = bytes.Clone(r.Value)
		rows = append(rows, r)
		return nil
	}); err != nil {
		x.Fatal(err)
	}
	return rows
}

// dispatched creates a plan at noon, and returns the execution that is ordered with it.
func (x *bench) dispatched(plan string) *event.Outgoing {
	x.Helper()
	for _, e := range x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(x, plan)}}) {
		if d, ok := e.(event.Dispatch); ok {
			return d.Execution
		}
	}
	x.Fatal("nothing was ordered")
	return nil
}

// An execution does not end before its dispatch is confirmed, even if its reply was read by then;
// and then it has all of its time, for a successor, too.
func TestAnExecutionWaitsUntilItHasLeft(t *testing.T) {
	x := newBench(t)
	out := x.dispatched(fiveSeconds)
	order, rows := x.b.Number, x.rows()
	repliesRead := func(second float64, performed uint64) event.RepliesRead {
		ev := repliesReadAt(second)
		ev.Performed = performed
		return ev
	}
	x.expect("its time is up", x.at(5, event.Tick{}))
	x.at(5.1, repliesRead(5.1, order-1))
	x.expect("it has not left", x.at(5.1, event.Tick{}))
	if !x.m.AwaitsReplies() {
		t.Error("the shell is not asked whether it has left")
	}
	left, report := out.Leave(x.now.Add(900 * time.Millisecond))
	if !report {
		t.Fatal("its late dispatch is not reported")
	}
	x.expect("it leaves", x.at(6, left))
	rows = append(rows, x.rows()...)
	x.at(6.1, repliesRead(6.1, order))
	x.expect("it has left", x.at(10.9, event.Tick{}))
	x.at(11, event.Tick{})
	x.at(11.1, repliesRead(11.1, order))
	x.expect("its time is up again", x.at(11.1, event.Tick{}), "failure")

	x.follow(rows)
	x.m.Lead(x.now.Add(-6*time.Second), 2, x.now.Add(-time.Hour)) // at 12:00:05.1
	x.at(10.9, event.Tick{})
	if x.m.AwaitsReplies() {
		t.Error("a successor ends it before the time that its worker was sent")
	}
	x.at(11, event.Tick{})
	if !x.m.AwaitsReplies() {
		t.Error("a successor does not end it")
	}
}

// An execution that was ordered once more has not left because the first order has.
func TestExecutionOrderedAgainHasNotLeft(t *testing.T) {
	x := newBench(t)
	out := x.dispatched(fiveSeconds)
	x.at(1, event.NoResponders{About: about(x.m, x.m.part.Plans[out.Name], 1)})
	x.expect("once more", x.at(2, event.Tick{}), "execution")
	left, _ := out.Leave(x.now.Add(4 * time.Second))
	x.at(6, left)
	x.at(7, event.Tick{})
	x.at(7, event.RepliesRead{To: x.now, Performed: x.b.Number - 3}) // not the batch of the second
	x.expect("it has not left", x.at(7, event.Tick{}))
}

// The report about an execution that leaves.
func TestLeave(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	second := func(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Second))) }
	for _, c := range []struct {
		what       string
		late       float64
		within     time.Duration
		order      uint64
		start, end time.Time
		wantStart  time.Time
		wantEnd    time.Time
		report     bool
	}{
		{"in time", 0.1, time.Second, 7, second(1), second(60), second(1), second(60), false},
		{"late", 2, time.Second, 7, second(1), second(60), second(3), second(62), true},
		{"late, without an end", 2, time.Second, 7, second(1), time.Time{}, second(3), time.Time{}, true},
		{"late, without any limit", 2, 0, 7, time.Time{}, time.Time{}, time.Time{}, time.Time{}, false},
		{"by a clock that was set back", -3600, time.Second, 7, second(1), second(60), second(1), second(60), false},
		{"in time, with items", 0.1, time.Second, event.UntilLeft, second(1), second(60), second(1), second(60), true},
	} {
		x := &event.Outgoing{N: 3, Sent: noon, Within: c.within, Order: c.order, StartBy: c.start, Deadline: c.end}
		left, report := x.Leave(second(c.late))
		if report != c.report || !left.StartBy.Equal(c.wantStart) || !left.Deadline.Equal(c.wantEnd) || left.N != 3 || left.Order != c.order {
			t.Errorf("%s: %+v, reported: %t", c.what, left, report)
		}
		if !x.StartBy.Equal(left.StartBy) || !x.Deadline.Equal(left.Deadline) {
			t.Errorf("%s: its worker is sent %v and %v", c.what, x.StartBy, x.Deadline)
		}
	}
}
