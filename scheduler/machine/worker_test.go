package machine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestRosterIsBounded checks that ids and stations which come and go leave nothing
// behind, and that however many there are, a bounded number is known.
func TestRosterIsBounded(t *testing.T) {
	r, now := newRoster(), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.told.most = 1000
	for i := range 2 * r.told.most {
		r.record(schema.Worker{WorkerID: fmt.Sprint("w", i), Stations: []string{fmt.Sprint("s", i)}}, now)
	}
	if len(r.byID) != 1000 || r.sorted.Len() != 1000 || len(r.told.places) != 1000 || len(r.told.byStation) != 1000 || r.told.bySize.Len() != 1000 {
		t.Errorf("%d workers, %d in order, at %d of %d stations", len(r.byID), r.sorted.Len(), len(r.told.places), len(r.told.byStation))
	}
	if r.isPresent("w0", now) || !r.isPresent("w1999", now) {
		t.Error("those who were silent the longest are to be forgotten")
	}
	for i := range 2 * maxNamed {
		r.reply(fmt.Sprint("n", i), fmt.Sprint("t", i%20), now)
	}
	if len(r.named.places) > maxNamed {
		t.Errorf("%d are known by their names alone", len(r.named.places))
	}
	now = now.After(absentAfter)
	for range maxNamed/sweepSlice*2 + 1 {
		for _, in := range []*part{r.told, r.named} {
			in.sweep(now, r.leave)
		}
	}
	left := len(r.byID) + r.sorted.Len()
	for _, in := range []*part{r.told, r.named} {
		left += len(in.places) + len(in.byStation) + in.bySize.Len() + in.heard.Count
	}
	if left != 0 {
		t.Errorf("%d are left", left)
	}
}

// TestAWorkerIsAtSomeStations checks that a worker which says at one station after another
// that it is there has so many places, keeps those, and a record that can be read.
func TestAWorkerIsAtSomeStations(t *testing.T) {
	x := newBench(t)
	here := func(i int) []Effect {
		return x.step(Here{Worker: schema.Worker{WorkerID: "w"}, Station: fmt.Sprint("s", i)})
	}
	var record schema.Worker
	for i := range 3 * MaxServed {
		for _, e := range here(i) {
			record = e.(Present).Worker
		}
	}
	if n := len(record.Stations); n != MaxServed {
		t.Errorf("its record has %d stations", n)
	}
	if n := len(x.m.roster.told.places); n != MaxServed || !x.m.roster.byID["w"].serves("s0", x.m.roster.told, unit.MomentOf(x.now)) {
		t.Errorf("it has %d places, without the first", n)
	}
	x.now = x.now.Add(absentAfter)
	for i := range 2 {
		here(2*MaxServed + i)
	}
	if n := len(x.m.roster.told.places); n != 2 {
		t.Errorf("where it was silent it has %d places still", n-2)
	}
}

// TestNamesEvictNobodyWhoIsThere checks that whoever is named, however often, drives
// nobody out who says itself that it is there, and nobody of another station.
func TestNamesEvictNobodyWhoIsThere(t *testing.T) {
	r, now := newRoster(), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.record(schema.Worker{WorkerID: "recorded", Stations: []string{"http"}}, now)
	r.here(schema.Worker{WorkerID: "there"}, "hello", now)
	r.reply("quiet", "mail", now)
	for i := range 12_000 {
		r.reply(fmt.Sprint("ghost-", i), "hello", now)
	}
	for _, id := range []string{"recorded", "there", "quiet", "ghost-11999"} {
		if !r.isPresent(id, now) {
			t.Errorf("%s is forgotten", id)
		}
	}
	if at := r.named.byStation["hello"].all.Count; at != maxNamedAt {
		t.Errorf("%d names have a place at a station", at)
	}
	if n := r.voters("hello", schema.MaxVoters, now); n != 1 {
		t.Errorf("%d voters", n)
	}
}

// TestPlacesAreSharedByStation checks that those who say at one station that they are
// there take no places from another, which has fewer.
func TestPlacesAreSharedByStation(t *testing.T) {
	r, now := newRoster(), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.told.most = 100
	for i := range 10 {
		r.here(schema.Worker{WorkerID: fmt.Sprint("mail-", i)}, "mail", now)
	}
	for i := range 1000 {
		r.here(schema.Worker{WorkerID: fmt.Sprint("hello-", i)}, "hello", now)
	}
	if n := r.voters("mail", schema.MaxVoters, now); n != 10 {
		t.Errorf("%d of 10 are left", n)
	}
	for i := range 80 {
		r.here(schema.Worker{WorkerID: fmt.Sprint("more-", i)}, "mail", now)
	}
	if mail, hello := r.told.byStation["mail"].all.Count, r.told.byStation["hello"].all.Count; mail+hello != 100 || mail < 49 || hello < 49 {
		t.Errorf("%d and %d places", mail, hello)
	}
}

// TestRosterAgainstList compares a roster with what a list of all words says.
func TestRosterAgainstList(t *testing.T) {
	type known struct {
		last     unit.Moment
		byRecord bool
	}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		r, now := newRoster(), unit.Moment(1)
		told, named := map[seat]known{}, map[seat]known{}
		choose := func(from ...string) string { return from[rng.IntN(len(from))] }
		for range 500 {
			id := choose("w1", "w2", "w3", "w4", "w5")
			now += unit.Moment(rng.Int64N(int64(5 * time.Second / time.Microsecond)))
			for _, all := range []map[seat]known{told, named} {
				for at, k := range all {
					if now >= k.last.After(absentAfter) {
						delete(all, at)
					}
				}
			}
			ends := func(station string, all map[seat]known, only func(known) bool) {
				for at, k := range all {
					if at.worker == id && (station == "" || at.station == station) && only(k) {
						delete(all, at)
					}
				}
			}
			byRecord, any := func(k known) bool { return k.byRecord }, func(known) bool { return true }
			switch rng.IntN(8) {
			case 0, 1:
				stations := []string{choose("s", "s.>"), choose("s.a", "s.a.>", "t")}
				r.record(schema.Worker{WorkerID: id, Stations: stations}, now)
				ends("", told, byRecord)
				for _, s := range stations {
					told[seat{id, s}] = known{now, true}
				}
			case 2, 3:
				station := choose("s.a", "s.>", "t")
				r.here(schema.Worker{WorkerID: id}, station, now)
				told[seat{id, station}] = known{now, false}
			case 4:
				station := choose("s.a", "s.>", "t")
				r.left(id, station, now)
				if _, was := told[seat{id, station}]; was {
					ends(station, told, any)
					ends(station, named, any)
				}
			case 5, 6:
				at := seat{id, "s.a"}
				r.reply(id, "s.a", now)
				if k, is := told[at]; is {
					told[at] = known{now, k.byRecord}
				} else {
					named[at] = known{now, false}
				}
			default:
				r.gone(id)
				ends("", told, byRecord)
				ends("", named, any)
			}
			voters, present := map[string]bool{}, map[string]bool{}
			for at := range told {
				present[at.worker] = true
				for name := range servedAs("s.a") {
					if at.station == name {
						voters[at.worker] = true
					}
				}
			}
			for at := range named {
				present[at.worker] = true
			}
			for _, id := range []string{"w1", "w2", "w3", "w4", "w5"} {
				if r.isPresent(id, now) != present[id] {
					t.Fatalf("seed %d: %s is present: %v", seed, id, !present[id])
				}
			}
			if got := r.voters("s.a", schema.MaxVoters, now); got != int64(len(voters)) {
				t.Fatalf("seed %d: %d voters, want %d", seed, got, len(voters))
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
