package machine

import (
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// searched returns the additions of a Tick to a batch of some bytes, in which the search of a
// claim comes to an offer whose plan is due again, and cancels its execution; begun is the number
// of the plan's newest execution.
func searched(t *testing.T, bytes int) (effects []event.Effect, p Progress, begun int64) {
	t.Helper()
	s := newStory(t)
	s.ask(command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull}})
	s.ask(command.CreatePlan{Definition: parse(t,
		`{"plan_id":"a","station":"s","command":"c","overlap":"cancel_prev","plan_type":"second","plan_value":10,"plan_repet":-1}`)})
	s.until(s.now.Add(11 * time.Second))
	full := batch.New(1) // so that the claim finds no room, and its search goes on at a Tick
	full.Reset(s.n + 1)
	s.m.Step(s.now, event.Ask{From: "w", What: command.ClaimWork{WorkerID: "w", Limit: 1, Wait: time.Minute}}, full)
	if len(full.Effects) != 0 || len(s.m.part.Claims.Search) != 1 {
		t.Fatalf("the claim gets %v, and %d search", full.Effects, len(s.m.part.Claims.Search))
	}
	b := batch.New(bytes)
	b.Reset(s.n + 2)
	p = s.m.Step(s.now.Add(10*time.Second), event.Tick{}, b)
	return b.Effects, p, s.m.part.Plans[schema.PlanName{Station: "s", PlanID: "a"}].N
}

// A worker is leased an execution before its cancel, and in the batch that records it, because
// otherwise it would begin a settled execution, and no cancel would follow.
func TestExecutionGrantedBySearchIsLeasedBeforeItsCancel(t *testing.T) {
	cut, cancelled := 0, 0
	for bytes := 100; bytes <= 2000; bytes += 20 {
		effects, p, begun := searched(t, bytes)
		handed := slices.IndexFunc(effects, func(e event.Effect) bool {
			h, ok := e.(event.ClaimGranted)
			return ok && len(h.Executions) == 1
		})
		cancel := slices.IndexFunc(effects, func(e event.Effect) bool { _, ok := e.(event.Cancel); return ok })
		if begun > 0 && handed < 0 {
			t.Fatalf("%d bytes: execution %d is recorded, and handed to no worker", bytes, begun)
		}
		if cancel >= 0 && cancel < handed {
			t.Fatalf("%d bytes: the execution is handed out as effect %d, and cancelled as effect %d", bytes, handed, cancel)
		}
		switch {
		case cancel >= 0:
			cancelled++
		case begun > 0 && p == Full:
			cut++
		}
	}
	if cut == 0 || cancelled == 0 {
		t.Errorf("%d batches end before the cancel, and %d have one", cut, cancelled)
	}
}
