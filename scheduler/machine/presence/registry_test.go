package presence

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestTheRegistryIsBounded checks that transient ids and stations leave nothing behind, and that the
// registry is bounded for any number of them.
func TestTheRegistryIsBounded(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.announced.most = 1000
	for i := range 2 * r.announced.most {
		r.Record(schema.Worker{WorkerID: fmt.Sprint("w", i), Stations: []string{fmt.Sprint("s", i)}}, now)
	}
	if len(r.byID) != 1000 || r.sorted.Len() != 1000 || len(r.announced.places) != 1000 || len(r.announced.byStation) != 1000 || r.announced.bySize.Len() != 1000 {
		t.Errorf("%d workers, %d in order, at %d of %d stations", len(r.byID), r.sorted.Len(), len(r.announced.places), len(r.announced.byStation))
	}
	if r.IsPresent("w0", now) || !r.IsPresent("w1999", now) {
		t.Error("those who were silent the longest are to be forgotten")
	}
	for i := range 2 * maxNamed {
		r.Reply(fmt.Sprint("n", i), fmt.Sprint("t", i%20), now)
	}
	if len(r.named.places) > maxNamed {
		t.Errorf("%d are known by their names alone", len(r.named.places))
	}
	now = now.After(AbsentAfter)
	for range maxNamed/sweepSlice*2 + 1 {
		for _, in := range []*part{r.announced, r.named} {
			in.sweep(now, r.leave)
		}
	}
	left := len(r.byID) + r.sorted.Len()
	for _, in := range []*part{r.announced, r.named} {
		left += len(in.places) + len(in.byStation) + in.bySize.Len() + in.byActivity.Count
	}
	if left != 0 {
		t.Errorf("%d are left", left)
	}
}

// TestNamesEvictNoPresentWorker checks that workers which are only named, however often, evict
// none that announces itself, and none of another station.
func TestNamesEvictNoPresentWorker(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.Record(schema.Worker{WorkerID: "recorded", Stations: []string{"http"}}, now)
	r.Here(schema.Worker{WorkerID: "there"}, "hello", now)
	r.Reply("quiet", "mail", now)
	for i := range 12_000 {
		r.Reply(fmt.Sprint("ghost-", i), "hello", now)
	}
	for _, id := range []string{"recorded", "there", "quiet", "ghost-11999"} {
		if !r.IsPresent(id, now) {
			t.Errorf("%s is forgotten", id)
		}
	}
	if at := r.named.byStation["hello"].all.Count; at != maxNamedAt {
		t.Errorf("%d names have a place at a station", at)
	}
	if n := r.Voters("hello", schema.MaxVoters, now); n != 1 {
		t.Errorf("%d voters", n)
	}
}

// TestPlacesIsSharedByStation checks that the workers at one station take no places from
// another station, which has fewer.
func TestPlacesIsSharedByStation(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.announced.most = 100
	for i := range 10 {
		r.Here(schema.Worker{WorkerID: fmt.Sprint("mail-", i)}, "mail", now)
	}
	for i := range 1000 {
		r.Here(schema.Worker{WorkerID: fmt.Sprint("hello-", i)}, "hello", now)
	}
	if n := r.Voters("mail", schema.MaxVoters, now); n != 10 {
		t.Errorf("%d of 10 are left", n)
	}
	for i := range 80 {
		r.Here(schema.Worker{WorkerID: fmt.Sprint("more-", i)}, "mail", now)
	}
	if mail, hello := r.announced.byStation["mail"].all.Count, r.announced.byStation["hello"].all.Count; mail+hello != 100 || mail < 49 || hello < 49 {
		t.Errorf("%d and %d places", mail, hello)
	}
}

// TestTheRegistryAgainstAList compares a registry with a plain list of all events.
func TestTheRegistryAgainstAList(t *testing.T) {
	type known struct {
		last     unit.Moment
		byRecord bool
	}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		r, now := New(true), unit.Moment(1)
		announced, named := map[seat]known{}, map[seat]known{}
		choose := func(from ...string) string { return from[rng.IntN(len(from))] }
		for range 500 {
			id := choose("w1", "w2", "w3", "w4", "w5")
			now += unit.Moment(rng.Int64N(int64(5 * time.Second / time.Microsecond)))
			for _, all := range []map[seat]known{announced, named} {
				for at, k := range all {
					if now >= k.last.After(AbsentAfter) {
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
				r.Record(schema.Worker{WorkerID: id, Stations: stations}, now)
				ends("", announced, byRecord)
				for _, s := range stations {
					announced[seat{id, s}] = known{now, true}
				}
			case 2, 3:
				station := choose("s.a", "s.>", "t")
				r.Here(schema.Worker{WorkerID: id}, station, now)
				announced[seat{id, station}] = known{now, false}
			case 4:
				station := choose("s.a", "s.>", "t")
				r.Left(id, station, now)
				if _, was := announced[seat{id, station}]; was {
					ends(station, announced, any)
					ends(station, named, any)
				}
			case 5, 6:
				at := seat{id, "s.a"}
				r.Reply(id, "s.a", now)
				if k, is := announced[at]; is {
					announced[at] = known{now, k.byRecord}
				} else {
					named[at] = known{now, false}
				}
			default:
				r.Gone(id)
				ends("", announced, byRecord)
				ends("", named, any)
			}
			voters, present := map[string]bool{}, map[string]bool{}
			for at := range announced {
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
				if r.IsPresent(id, now) != present[id] {
					t.Fatalf("seed %d: %s is present: %v", seed, id, !present[id])
				}
			}
			if got := r.Voters("s.a", schema.MaxVoters, now); got != int64(len(voters)) {
				t.Fatalf("seed %d: %d voters, want %d", seed, got, len(voters))
			}
		}
	}
}

// The expired places of a worker are removed when it is at the maximum of stations.
func TestSilentPlacesGiveWay(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	here := func(i int) { r.Here(schema.Worker{WorkerID: "w"}, fmt.Sprint("s", i), now) }
	for i := range 3 * MaxServed {
		here(i)
	}
	if n := len(r.announced.places); n != MaxServed {
		t.Errorf("it has %d places", n)
	}
	now = now.After(AbsentAfter)
	for i := range 2 {
		here(2*MaxServed + i)
	}
	if n := len(r.announced.places); n != 2 {
		t.Errorf("where it was silent it has %d places still", n-2)
	}
}

// TestTheEndsOfAMinuteAreCounted checks that a count is of about the last minute, and of none of the time
// before a clock was set back.
func TestTheEndsOfAMinuteAreCounted(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.Here(schema.Worker{WorkerID: "w"}, "s", now)
	ended := func() int64 {
		_, n, _ := r.Find("w", now)
		return n
	}
	for range 20 {
		r.Ended("w", now)
		r.Ended("nobody", now)
		now = now.After(time.Second)
	}
	if n := ended(); n != 20 {
		t.Errorf("%d count of 20", n)
	}
	r.Here(schema.Worker{WorkerID: "w"}, "s", now)
	now = now.After(25 * time.Second)
	r.Here(schema.Worker{WorkerID: "w"}, "s", now)
	if n := ended(); n != 20 {
		t.Errorf("within a minute %d count of 20", n)
	}
	now = now.After(25 * time.Second)
	r.Here(schema.Worker{WorkerID: "w"}, "s", now)
	if n := ended(); n <= 0 || n >= 20 {
		t.Errorf("after 70 s %d count, want some", n)
	}
	now = now.After(25 * time.Second)
	r.Here(schema.Worker{WorkerID: "w"}, "s", now)
	if n := ended(); n != 0 {
		t.Errorf("after 95 s %d count", n)
	}
}
