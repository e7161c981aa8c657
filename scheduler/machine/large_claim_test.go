package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// pool leads a pull station at which a plan with a large definition, which is away, stands
// before one that is in memory.
func pool(t *testing.T) *library {
	x := newLibrary(t, 1)
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull}}})
	x.create(wordy("a", fmt.Sprintf(onceAt, 1)))
	x.create(`{"plan_id":"b","station":"s","command":"c",` + fmt.Sprintf(onceAt, 2) + `}`)
	x.store()
	x.until(5, 0)
	if !x.isEvicted("a") {
		t.Fatal("its definition is in memory")
	}
	return x
}

// work claims for a minute, and returns the definitions to be read for it.
func (x *library) work(worker string) (reads []event.Fetch, got map[string]string) {
	x.Helper()
	return x.sort(x.step(event.Ask{From: worker, What: command.ClaimWork{WorkerID: worker, Limit: 1, Wait: time.Minute}}))
}

// sort returns the definitions to read and the plan that each claim got.
func (x *library) sort(effects []event.Effect) (reads []event.Fetch, got map[string]string) {
	got = map[string]string{}
	for _, e := range effects {
		switch e := e.(type) {
		case event.Fetch:
			reads = append(reads, e)
		case event.ClaimGranted:
			for _, o := range e.Executions {
				got[e.To.(string)] = o.Name.PlanID
			}
		}
	}
	return reads, got
}

// A definition is read for the first claim that waited for it; the others go on looking, and get
// the offers behind it.
func TestClaimGetsTheNextOfferWhenAnotherGotItsOwn(t *testing.T) {
	x := pool(t)
	reads, _ := x.work("w1")
	if more, _ := x.work("w2"); len(reads) != 1 || len(more) != 0 {
		t.Fatalf("%d definitions are read, then %d", len(reads), len(more))
	}
	raw := x.bucket[storage.PlanKey("s", "a")]
	effects := append([]event.Effect(nil), x.step(event.Fetched{Fetch: reads[0], Raw: raw})...)
	for wake := x.m.Wake(); !wake.IsZero() && !wake.After(x.now); wake = x.m.Wake() {
		effects = append(effects, x.step(event.Tick{})...)
	}
	if _, got := x.sort(effects); got["w1"] != "a" || got["w2"] != "b" {
		t.Errorf("they get %v", got)
	}
}

// A lost definition does not block the offers behind it.
func TestALostDefinitionHoldsNoClaimUp(t *testing.T) {
	x := pool(t)
	delete(x.bucket, storage.PlanKey("s", "a"))
	effects := x.all(event.Ask{From: "w1", What: command.ClaimWork{WorkerID: "w1", Limit: 1, Wait: time.Minute}})
	for wake := x.m.Wake(); !wake.IsZero() && !wake.After(x.now); wake = x.m.Wake() {
		effects = append(effects, x.all(event.Tick{})...)
	}
	if _, got := x.sort(effects); got["w1"] != "b" {
		t.Errorf("it gets %v", got)
	}
}
