package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestAWorkerIsAtSomeStations checks that a worker which announces itself at one station after
// another gets a bounded number of places, keeps those, and a record that can be read.
func TestAWorkerIsAtSomeStations(t *testing.T) {
	x := newBench(t)
	here := func(i int) []event.Effect {
		return x.step(event.StationPresence{Worker: schema.Worker{WorkerID: "w"}, Station: fmt.Sprint("s", i)})
	}
	var record schema.Worker
	for i := range 3 * presence.MaxServed {
		for _, e := range here(i) {
			record = e.(event.Present).Worker
		}
	}
	if n := len(record.Stations); n != presence.MaxServed {
		t.Errorf("its record has %d stations", n)
	}
	places := func() int {
		workers, _ := x.m.part.Registry.Page("", "", 2, unit.MomentOf(x.now))
		if len(workers) != 1 {
			t.Fatalf("%d workers are known", len(workers))
		}
		return len(workers[0].Stations)
	}
	if first, _ := x.m.part.Registry.Page("", "s0", 1, unit.MomentOf(x.now)); places() != presence.MaxServed || len(first) != 1 {
		t.Errorf("it has %d places, without the first", places())
	}
	x.now = x.now.Add(presence.AbsentAfter)
	for i := range 2 {
		here(2*presence.MaxServed + i)
	}
	if n := places(); n != 2 {
		t.Errorf("where it was silent it has %d places still", n-2)
	}
}

// TestManyWait checks that a worker for whom very many executions wait is given them in slices,
// because no step may make more of them due than a Tick looks at.
func TestManyWait(t *testing.T) {
	const count = 5000
	x := newBench(t)
	missed := func(e event.Effect) {
		if d, ok := e.(event.Dispatch); ok {
			x.m.Step(x.now, event.NoResponders{About: aboutOf(d.Execution)}, batch.New(capacity))
		}
	}
	for i := range count {
		x.create(fmt.Sprintf(`{"plan_id":"p%d","station":"deep.s","command":"c","plan_type":"none"}`, i))
		missed(x.b.Effects[1])
	}
	// Each execution is tried by itself after a second, which is not over.
	x.step(event.WorkerSeen{Worker: schema.Worker{WorkerID: "w", Stations: []string{"deep.>"}}})
	if len(x.b.Effects) > 0 {
		t.Fatal("delivered in the step of the worker's record")
	}
	sent := 0
	for ticks := range 10 * count / tickSlice {
		if wake := x.m.Wake(); wake.After(x.now) {
			t.Logf("%d in %d ticks", sent, ticks)
			break
		}
		looks := x.counted("look")
		effects := x.step(event.Tick{})
		if looked := *looks; looked > 2*tickSlice {
			t.Fatalf("a tick looked at %d", looked)
		}
		for _, e := range effects {
			if _, ok := e.(event.Dispatch); ok {
				sent++
			}
		}
		if ticks%2 == 0 { // they wait again, and are not tried now, because no worker is there
			for _, e := range append([]event.Effect(nil), effects...) {
				missed(e)
			}
		}
	}
	if sent != count {
		t.Errorf("%d executions were sent, %d waited", sent, count)
	}
}

// BenchmarkSeen measures a record that repeats the one before, among others.
func BenchmarkSeen(b *testing.B) {
	m, batch := New(config), batch.New(capacity)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m.Lead(now, 1, time.Time{})
	records := make([]event.WorkerSeen, 1000)
	for i := range records {
		records[i] = event.WorkerSeen{Worker: schema.Worker{WorkerID: fmt.Sprint("w", i), Stations: []string{"s", "t", "u.>"}}}
	}
	b.ReportAllocs()
	for i := range b.N {
		m.Step(now, records[i%len(records)], batch)
	}
}
