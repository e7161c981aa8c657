package machine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// TestLimits leads plans of two stations through random lives, and holds the executions under way
// to every limit. No limit is passed, no plan waits that might run, and the counters are right.
func TestLimits(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := &limits{bench: newBench(t), rng: rand.New(rand.NewPCG(seed, 1)), most: map[string]int64{}}
			w.m.part.Config.Partitions = 2 // the other one holds no plan of this test
			for range 400 {
				w.move()
			}
		})
	}
}

type limits struct {
	*bench
	rng  *rand.Rand
	most map[string]int64 // the limit of a station, or its executions under way when that was lowered
}

func (w *limits) pick(of ...string) string { return of[w.rng.IntN(len(of))] }

func (w *limits) move() {
	name := schema.PlanName{Station: w.pick("s", "t"), PlanID: w.pick("a", "b", "c", "d", "e", "f")}
	p := w.m.part.Plans[name]
	switch n := w.rng.IntN(20); {
	case n < 4:
		w.now = w.now.Add(time.Duration(w.rng.IntN(2500)) * time.Millisecond)
		w.looks()
	case n == 4:
		w.put(name.Station)
		if w.rng.IntN(3) == 0 {
			w.put(name.Station) // before any plan that was granted its turn has looked
		}
	case p == nil:
		w.create(fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":"c","plan_type":"second","plan_value":%d,"plan_repet":20,"overlap":%q,"max_concurrency":%d,"concurrency":%q,"failure":%q,"jitter":%d,"retry":{"strategy":"fixed_period","max_error_count":1},"start_timeout":5,"exec_timeout":10}`,
			name.PlanID, name.Station, w.rng.IntN(3), w.pick("skip", "queue", "cancel_prev", "parallel", "allow", "allow"),
			w.rng.IntN(3), w.pick("queue", "queue", "skip", "parallel"), w.pick("run_new", "skip", "retry"), w.rng.IntN(2)))
	case n < 9:
		w.step(event.Ask{From: "user", What: []command.Command{
			command.PausePlan{Name: name}, command.ResumePlan{Name: name}, command.TriggerPlan{Name: name},
			command.RemovePlan{Name: name}, command.CancelRun{Name: name, N: p.N},
		}[w.rng.IntN(5)]})
	default:
		n := p.N - int64(w.rng.IntN(3))
		about := about(w.m, p, n)
		if w.rng.IntN(6) == 0 {
			w.step(event.NoResponders{About: about})
			break
		}
		w.step(event.ReplyReceived{About: about, Reply: schema.Reply{State: schema.State(w.pick("ok", "ok", "error", "running"))}})
	}
	w.looks()
	w.check()
}

func (w *limits) put(station string) {
	v, err := wire.ValueOf(wire.JSON, map[string]any{
		"station": station, "max_concurrency": w.rng.IntN(6), "concurrency": w.pick("queue", "queue", "skip", "parallel"),
	})
	if err != nil {
		w.Fatal(err)
	}
	s, err := schema.ParseStation(v)
	if err != nil {
		w.Fatal(err)
	}
	w.step(event.Ask{From: "user", What: command.PutStation{Station: s}})
	st := w.m.part.Stations[station]
	w.most[station] = max(w.m.part.Limit(st), st.UnderWay)
}

// check holds the machine, which has looked at all there is to look at, to its limits.
func (w *limits) check() {
	under, all := map[string]int64{}, int64(0)
	for name, p := range w.m.part.Plans {
		live := int64(0)
		for _, o := range p.Open {
			live += int64(len(o.Live))
		}
		under[name.Station] += live
		all += live
		t := w.m.part.TermsOf(p)
		if t.MaxConcurrency > 0 && live > t.MaxConcurrency && t.Overlap != schema.BusyParallel && t.Concurrency != schema.FullParallel {
			w.Fatalf("%s has %d executions under way, %d are allowed", name, live, t.MaxConcurrency)
		}
	}
	if got := w.m.UnderWay(); got != all {
		w.Fatalf("%d executions are counted, and %d are under way", got, all)
	}
	for name, s := range w.m.part.Stations {
		limit := w.m.part.Limit(s)
		if s.UnderWay != under[name] {
			w.Fatalf("station %s counts %d executions under way, and there are %d", name, s.UnderWay, under[name])
		}
		if limit > 0 && s.UnderWay > w.most[name] {
			w.Fatalf("station %s has %d executions under way, %d are allowed", name, s.UnderWay, limit)
		}
		w.most[name] = max(limit, min(w.most[name], s.UnderWay))
		if s.Line.Len() == 0 {
			continue
		}
		if s.Line.Granted() > 0 {
			w.Fatalf("station %s has called %d of %d, and none of them looked", name, s.Line.Granted(), s.Line.Len())
		}
		if limit == 0 || s.UnderWay < limit {
			w.Fatalf("station %s has %d of %d under way, and %d plans wait", name, s.UnderWay, limit, s.Line.Len())
		}
		stand := 0
		for _, p := range w.m.part.Plans {
			if p.Station != s || !p.IsInLine() {
				continue
			}
			if stand++; !admission.WantsTurn(&w.m.part, p, unit.MomentOf(w.now)) {
				w.Fatalf("%s stands in line for nothing", p.Name)
			}
		}
		if stand != s.Line.Len() {
			w.Fatalf("%d plans of station %s stand in its line, which has %d", stand, name, s.Line.Len())
		}
	}
}

// station puts a station.
func (x *bench) station(record string) {
	x.Helper()
	v, err := wire.Scan([]byte(record), wire.Limits{})
	if err != nil {
		x.Fatal(err)
	}
	s, err := schema.ParseStation(v)
	if err != nil {
		x.Fatal(err)
	}
	x.step(event.Ask{From: "user", What: command.PutStation{Station: s}})
}

// TestLongLine lifts the limit of a station that many plans wait for. No step walks through all
// of them at once, and all of them run.
func TestLongLine(t *testing.T) {
	const plans = 3*transition.MaxGranted + 1
	x := newBench(t)
	x.station(`{"station":"s","max_concurrency":1}`)
	for i := range plans {
		x.create(fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c","plan_type":"none"}`, i))
	}
	s := x.m.part.Stations["s"]
	if s.UnderWay != 1 || s.Line.Len() != plans-1 {
		t.Fatalf("%d are under way, %d wait", s.UnderWay, s.Line.Len())
	}
	x.station(`{"station":"s"}`)
	if s.Line.Granted() != transition.MaxGranted {
		t.Errorf("%d were called at once, at most %d should be", s.Line.Granted(), transition.MaxGranted)
	}
	x.looks()
	if s.UnderWay != plans || s.Line.Len() > 0 {
		t.Errorf("%d of %d are under way", s.UnderWay, plans)
	}
}
