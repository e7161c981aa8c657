package waiting

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// TestConcurrencyQueue compares a queue with a list that is searched from end to end.
func TestConcurrencyQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queue := ConcurrencyQueue{Before: func(a, b unit.Handle) bool { return a > b }}
		type stands struct {
			since  unit.Moment
			called bool
		}
		places := map[unit.Handle]stands{}
		plan := rapid.Map(rapid.IntRange(1, 30), func(h int) unit.Handle { return unit.Handle(h) })
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				h, since := plan.Draw(t, "plan"), unit.Moment(rapid.IntRange(1, 9).Draw(t, "since"))
				if _, there := places[h]; there {
					t.Skip("it stands there")
				}
				queue.Enter(h, since)
				places[h] = stands{since: since}
			},
			"leave": func(t *rapid.T) {
				h := plan.Draw(t, "plan")
				queue.Leave(h)
				delete(places, h)
			},
			"call": func(t *rapid.T) {
				var left []unit.Handle
				for h, at := range places {
					if !at.called {
						left = append(left, h)
					}
				}
				got, ok := queue.Grant()
				if ok != (len(left) > 0) {
					t.Fatalf("a plan was granted: %t; %d were not yet", ok, len(left))
				}
				if !ok {
					return
				}
				want := slices.MinFunc(left, func(a, b unit.Handle) int {
					return cmp.Or(cmp.Compare(places[a].since, places[b].since), cmp.Compare(b, a))
				})
				if got != want {
					t.Fatalf("%d is called, want %d", got, want)
				}
				places[got] = stands{places[got].since, true}
			},
			"": func(t *rapid.T) {
				called := 0
				for h := range unit.Handle(32) {
					want, stands := places[h]
					since, isCalled, there := queue.Entry(h)
					if there != stands || since != want.since || isCalled != want.called {
						t.Fatalf("%d stands there: %t, since %d, called: %t; want %t, %+v", h, there, since, isCalled, stands, want)
					}
					if isCalled {
						called++
					}
				}
				if queue.Len() != len(places) || queue.Granted() != called {
					t.Fatalf("%d stand there, %d called; want %d, %d", queue.Len(), queue.Granted(), len(places), called)
				}
			},
		})
	})
}

// TestUndelivered compares the lists of plans that wait for a worker with the requested waits,
// in order.
func TestUndelivered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u Undelivered
		waits := map[unit.Handle][]Awaited{}
		redeliver := map[unit.Handle]bool{}
		plan := rapid.Map(rapid.IntRange(1, 12), func(h int) unit.Handle { return unit.Handle(h) })
		station := rapid.SampledFrom([]string{"a", "a.b", "a.b.c", "ab", "b"})
		worker := rapid.SampledFrom([]string{"w1", "w2", "w3"})
		arrived := func(is func(Awaited) bool) {
			for h, all := range waits {
				redeliver[h] = redeliver[h] || slices.ContainsFunc(all, is)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				h := plan.Draw(t, "plan")
				var all []Awaited
				if rapid.Bool().Draw(t, "named") {
					for _, id := range rapid.SliceOfNDistinct(worker, 1, 3, rapid.ID).Draw(t, "workers") {
						all = append(all, Awaited{Worker: true, Name: id})
					}
				} else {
					all = []Awaited{{Name: station.Draw(t, "station")}}
				}
				u.Set(h, all)
				if !slices.Equal(waits[h], all) {
					waits[h] = all
					delete(redeliver, h) // because earlier arrivals came for others
				}
			},
			"leave": func(t *rapid.T) {
				h := plan.Draw(t, "plan")
				u.Leave(h)
				delete(waits, h)
				delete(redeliver, h)
			},
			"a worker": func(t *rapid.T) {
				what := Awaited{Worker: true, Name: worker.Draw(t, "worker")}
				u.Arrive(what)
				arrived(func(a Awaited) bool { return a == what })
			},
			"at a station": func(t *rapid.T) {
				what := Awaited{Name: station.Draw(t, "station")}
				u.ArriveAt(what.Name)
				arrived(func(a Awaited) bool { return a == what })
			},
			"below a": func(*rapid.T) {
				u.ArriveAt("a.>")
				arrived(func(a Awaited) bool { return a == Awaited{Name: "a.b"} || a == Awaited{Name: "a.b.c"} })
			},
			"deliver": func(t *rapid.T) {
				for {
					h, ok := u.Next()
					if !ok {
						break
					}
					if !redeliver[h] {
						t.Fatalf("%d is delivered, and no worker came that it waits for", h)
					}
					u.Leave(h)
					delete(waits, h)
					delete(redeliver, h)
				}
				for h, is := range redeliver {
					if is {
						t.Fatalf("%d is not delivered", h)
					}
				}
			},
			"": func(t *rapid.T) {
				for h := range unit.Handle(14) {
					if !u.Awaits(h, waits[h]) {
						t.Fatalf("%d does not wait for %v", h, waits[h])
					}
				}
				if len(waits) == 0 && len(slices.Collect(maps.Keys(u.lists))) > 0 {
					t.Fatal("empty lists are left")
				}
			},
		})
	})
}
