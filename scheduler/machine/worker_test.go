package machine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// TestRosterIsBounded checks that ids and stations which come and go leave nothing
// behind, and that however many there are, a bounded number is known.
func TestRosterIsBounded(t *testing.T) {
	r, now := newRoster(), momentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	for i := range 2 * maxWorkers {
		r.record(schema.Worker{WorkerID: fmt.Sprint("w", i), Stations: []string{fmt.Sprint("s", i)}}, now)
	}
	if len(r.byID) != maxWorkers || r.sorted.Len() != maxWorkers || len(r.serving) != maxWorkers {
		t.Errorf("%d workers, %d in order, of %d stations", len(r.byID), r.sorted.Len(), len(r.serving))
	}
	if r.isPresent("w0", now) || !r.isPresent(fmt.Sprint("w", 2*maxWorkers-1), now) {
		t.Error("those who were silent the longest are to be forgotten")
	}
	many := make([]string, 256)
	for i := range many {
		many[i] = fmt.Sprint("many", i)
	}
	for i := range 2 * maxServed / len(many) {
		r.record(schema.Worker{WorkerID: fmt.Sprint("many", i), Stations: many}, now)
	}
	if r.served > maxServed {
		t.Errorf("%d stations", r.served)
	}
	now = now.after(absentAfter)
	for range maxWorkers/sweepSlice + 1 {
		r.sweep(now)
	}
	if len(r.byID)+r.sorted.Len()+len(r.serving)+r.served != 0 || r.heard.head != nil || r.heard.tail != nil || r.heard.count != 0 {
		t.Errorf("%d workers, %d in order, of %d stations are left", len(r.byID), r.sorted.Len(), len(r.serving))
	}
}

// TestRosterAgainstList compares a roster with what a list of all words says.
func TestRosterAgainstList(t *testing.T) {
	type known struct {
		stations []string
		recorded bool
		last     moment
	}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		r, now, model := newRoster(), moment(1), map[string]*known{}
		choose := func(from ...string) string { return from[rng.IntN(len(from))] }
		for range 500 {
			id := choose("w1", "w2", "w3", "w4", "w5")
			now += moment(rng.Int64N(int64(5 * time.Second / time.Microsecond)))
			for id, k := range model {
				if now >= k.last.after(absentAfter) {
					delete(model, id)
				}
			}
			switch rng.IntN(5) {
			case 0, 1:
				stations := []string{choose("s", "s.>"), choose("s.a", "s.a.>", "t")}
				r.record(schema.Worker{WorkerID: id, Stations: stations}, now)
				model[id] = &known{stations, true, now}
			case 2, 3:
				r.reply(id, "s.a", now)
				if model[id] == nil {
					model[id] = &known{stations: []string{"s.a"}}
				}
				model[id].last = now
			default:
				r.gone(id)
				delete(model, id)
			}
			want := int64(0)
			for id, k := range model {
				a := attendee{worker: schema.Worker{Stations: k.stations}}
				if k.recorded && a.serves("s.a") {
					want++
				}
				if !r.isPresent(id, now) {
					t.Fatalf("seed %d: %s is not present", seed, id)
				}
			}
			if got := r.voters("s.a", schema.MaxVoters, now); got != want {
				t.Fatalf("seed %d: %d voters, want %d", seed, got, want)
			}
		}
	}
}

// TestManyWait checks that a worker for whom very many executions wait is given them
// in slices: no step makes more of them due than a Tick looks at.
func TestManyWait(t *testing.T) {
	const count = 5000
	x := newBench(t)
	nobody := func(e Effect) {
		if d, ok := e.(Dispatch); ok {
			x.m.Step(x.now, Nobody{About: d.Execution.about()}, NewBatch(capacity))
		}
	}
	for i := range count {
		x.create(fmt.Sprintf(`{"plan_id":"p%d","station":"deep.s","command":"c","plan_type":"none"}`, i))
		nobody(x.b.Effects[1])
	}
	// Each of them is tried by itself after a second, which is not over.
	x.step(Seen{Worker: schema.Worker{WorkerID: "w", Stations: []string{"deep.>"}}})
	if len(x.b.Effects) > 0 {
		t.Fatal("delivered in the step of the worker's record")
	}
	sent := 0
	for ticks := range 10 * count / tickSlice {
		if wake := x.m.Wake(); wake.After(x.now) {
			t.Logf("%d in %d ticks", sent, ticks)
			break
		}
		was := x.m.Looks()
		effects := x.step(Tick{})
		if looked := x.m.Looks() - was; looked == 0 || looked > 2*tickSlice {
			t.Fatalf("a tick looked at %d", looked)
		}
		for _, e := range effects {
			if _, ok := e.(Dispatch); ok {
				sent++
			}
		}
		if ticks%2 == 0 { // nobody is there after all: they wait again, and are not tried now
			for _, e := range append([]Effect(nil), effects...) {
				nobody(e)
			}
		}
	}
	if sent != count {
		t.Errorf("%d executions were sent, %d waited", sent, count)
	}
}

// BenchmarkSeen measures a record that says what the last one said, among others.
func BenchmarkSeen(b *testing.B) {
	m, batch := New(config), NewBatch(capacity)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m.Lead(now, 1, time.Time{})
	records := make([]Seen, 1000)
	for i := range records {
		records[i] = Seen{Worker: schema.Worker{WorkerID: fmt.Sprint("w", i), Stations: []string{"s", "t", "u.>"}}}
	}
	b.ReportAllocs()
	for i := range b.N {
		m.Step(now, records[i%len(records)], batch)
	}
}
