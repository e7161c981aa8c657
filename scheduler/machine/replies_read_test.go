package machine

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// at steps an event at a second behind noon, without a report that the replies were read, and
// returns the executions that it dispatched and the states of its results.
func (x *bench) at(second float64, ev event.Event) (did []string) {
	x.Helper()
	x.b.Seal()
	x.b.Reset(x.b.Number + 1)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	x.now = noon.Add(time.Duration(second * float64(time.Second)))
	x.m.Step(x.now, ev, x.b)
	for _, e := range x.b.Effects {
		switch e := e.(type) {
		case event.Dispatch:
			did = append(did, "execution")
		case event.Publish:
			var r schema.Result
			v, err := wire.Scan(e.Body, wire.Limits{})
			if err == nil {
				err = wire.DecodeLoose(v, &r)
			}
			if err != nil {
				x.Fatal(err)
			}
			did = append(did, string(r.State))
		}
	}
	return did
}

func (x *bench) expect(what string, got []string, want ...string) {
	x.Helper()
	if !slices.Equal(got, want) {
		x.Errorf("%s: %q, want %q", what, got, want)
	}
}

// repliesReadAt is a RepliesRead up to a second behind noon.
func repliesReadAt(second float64) event.RepliesRead {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return event.RepliesRead{To: noon.Add(time.Duration(second * float64(time.Second))), Performed: math.MaxUint64 - 1}
}

const fiveSeconds = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","exec_timeout":5,"retry":{"strategy":"none"}}`

// An execution whose time is up ends when the replies up to then were read, not before, and
// needs no Tick meanwhile.
func TestExecutionWaitsUntilItsRepliesWereRead(t *testing.T) {
	x := newBench(t)
	x.create(fiveSeconds)
	x.at(0, event.Tick{})
	x.expect("in time", x.at(4.9, event.Tick{}))
	if x.m.AwaitsReplies() {
		t.Error("it waits before its time is up")
	}
	x.expect("when its time is up", x.at(5, event.Tick{}))
	if wake := x.m.Wake(); !x.m.AwaitsReplies() || !wake.IsZero() {
		t.Errorf("it waits: %t, and wants a look at %v", x.m.AwaitsReplies(), wake)
	}
	x.at(5.1, repliesReadAt(4.9))
	x.expect("later replies were not read", x.at(5.1, event.Tick{}))
	x.at(5.2, repliesReadAt(5.1))
	if wake := x.m.Wake(); x.m.AwaitsReplies() || wake.After(x.now) {
		t.Errorf("it waits: %t, and wants a look at %v", x.m.AwaitsReplies(), wake)
	}
	x.expect("all was heard", x.at(5.2, event.Tick{}), "failure")
}

// A reading of the clock from before it was set back does not count afterwards.
func TestReadingFromBeforeAClockSetbackDoesNotCount(t *testing.T) {
	x := newBench(t)
	x.create(fiveSeconds)
	x.at(50, repliesReadAt(50))
	x.at(0, event.Tick{})
	x.expect("by a clock that was ahead", x.at(5, event.Tick{}))
	if !x.m.AwaitsReplies() {
		t.Error("it does not wait")
	}
}

// An answer that comes while the execution waits counts.
func TestAnAnswerCountsWhileItIsWaitedFor(t *testing.T) {
	x := newBench(t)
	x.create(fiveSeconds)
	x.at(0, event.Tick{})
	x.at(5, event.Tick{})
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	x.expect("its ok", x.at(5.1, event.ReplyReceived{About: about(x.m, p, 1), Reply: schema.Reply{State: schema.StateOK}}), "ok")
}

// An occurrence that falls due while an execution waits to end is not judged by it, and one that
// fell due after its end is not lost to it.
func TestTheNextOccurrenceLosesNothingToAHearing(t *testing.T) {
	for _, overlap := range []string{"", "skip", "cancel_prev"} {
		t.Run(overlap, func(t *testing.T) {
			x := newBench(t)
			given := ""
			if overlap != "" {
				given = `"overlap":"` + overlap + `",`
			}
			x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"minute","plan_value":1,"plan_repet":-1,` +
				given + `"exec_timeout":59.9,"start_timeout":59.9,"retry":{"strategy":"none"}}`)
			x.expect("the first", x.at(60, event.Tick{}), "execution")
			x.expect("its time is up", x.at(119.95, event.Tick{}))
			x.expect("the next is due", x.at(120.01, event.Tick{}))
			x.at(120.02, repliesReadAt(119.96))
			x.expect("all was heard", x.at(120.02, event.Tick{}), "failure", "execution")
		})
	}
	t.Run("parallel", func(t *testing.T) {
		x := newBench(t)
		x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"minute","plan_value":1,"plan_repet":-1,"overlap":"parallel","exec_timeout":59.9,"start_timeout":59.9}`)
		x.at(60, event.Tick{})
		x.at(119.95, event.Tick{})
		x.expect("the next does not wait", x.at(120.01, event.Tick{}), "execution")
	})
}
