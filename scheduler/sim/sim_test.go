package sim_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/sim"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "replay the history of this seed, with its trace")
	firstFlag = flag.Uint64("first", 1, "the first seed")
	forFlag   = flag.Duration("for", 0, "run seed after seed for so long")
	stepsFlag = flag.Int("steps", 5000, "how many steps the storm of a history has")
	plantFlag = flag.String("plant", "", "make this mistake on purpose")
)

// seeds is how many histories are run without -for.
const seeds = 150

// TestSim runs a fixed number of histories, or histories for the time of -for, or with -seed that
// one, with a line for every effect that is performed in it.
func TestSim(t *testing.T) {
	if *seedFlag != 0 {
		r := sim.Run(sim.Options{Seed: *seedFlag, Steps: *stepsFlag, Plant: sim.Plant(*plantFlag), Trace: os.Stdout})
		report(t, r)
		return
	}
	s := &sum{faults: sim.Faults{}, next: *firstFlag, began: time.Now()}
	s.printed = s.began
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed, ok := s.take(); ok; seed, ok = s.take() {
				r := sim.Run(sim.Options{Seed: seed, Steps: *stepsFlag, Plant: sim.Plant(*plantFlag)})
				report(t, r)
				s.add(t, r)
			}
		})
	}
	group.Wait()
	s.print(t)
}

// report names a seed that fails, and how to see it again.
func report(t *testing.T, r sim.Report) {
	if r.Violation == "" {
		return
	}
	again := fmt.Sprintf("go test ./scheduler/sim -count=1 -run TestSim -seed %d -steps %d", r.Seed, *stepsFlag)
	if *plantFlag != "" {
		again += fmt.Sprintf(" -plant %q", *plantFlag)
	}
	t.Errorf("seed %d, step %d: %s\n%s", r.Seed, r.Steps, r.Violation, again)
}

// sum totals all histories.
type sum struct {
	mu                                   sync.Mutex
	next                                 uint64
	histories, steps, plans, executions  int
	results, appends, takeovers, longest int
	violations                           int
	days                                 float64 // of the worlds; centuries do not fit in a Duration
	faults                               sim.Faults
	began, printed                       time.Time
}

// take hands out the next seed, as long as there is one.
func (s *sum) take() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := uint64(seeds)
	if testing.Short() {
		n /= 5
	}
	if *forFlag > 0 && time.Since(s.began) > *forFlag || *forFlag == 0 && s.next >= *firstFlag+n {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

func (s *sum) add(t *testing.T, r sim.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.histories++
	s.steps += r.Steps
	s.plans += r.Plans
	s.executions += r.Executions
	s.results += r.Results
	s.appends += r.Appends
	s.takeovers += r.Takeovers
	s.longest = max(s.longest, r.Steps)
	s.days += r.Virtual.Hours() / 24
	s.faults.Add(r.Faults)
	if r.Violation != "" {
		s.violations++
	}
	if time.Since(s.printed) > 10*time.Second {
		s.printed = time.Now()
		s.line(t)
	}
}

func (s *sum) line(t *testing.T) {
	t.Logf("sim: %d seeds from %d, %d steps, %d executions, %d faults, %d violations",
		s.histories, *firstFlag, s.steps, s.executions, s.faults.Total(), s.violations)
}

func (s *sum) print(t *testing.T) {
	s.line(t)
	t.Logf("%d plans, %d appends, %d results, %d take-overs in %.0f days of theirs and %v of ours; the longest history had %d steps",
		s.plans, s.appends, s.results, s.takeovers, s.days, time.Since(s.began).Round(time.Second), s.longest)
	t.Logf("faults: %v", s.faults)
}

// Because a simulation that finds nothing proves nothing, it finds each mistake that can be made
// around the machine, within a thousand seeds.
func TestEachPlantIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, p := range sim.Plants() {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= 1000; seed++ {
				if r := sim.Run(sim.Options{Seed: seed, Steps: 5000, Plant: p}); r.Violation != "" {
					first, _, _ := strings.Cut(r.Violation, "\n")
					t.Logf("seed %d, step %d: %.160s", seed, r.Steps, first)
					return
				}
			}
			t.Error("not found within 1,000 seeds")
		})
	}
}

// One seed is one history, because otherwise no failure could be reproduced.
func TestASeedIsAHistory(t *testing.T) {
	var first, again strings.Builder
	one := sim.Run(sim.Options{Seed: 7, Steps: 3000, Trace: &first})
	two := sim.Run(sim.Options{Seed: 7, Steps: 3000, Trace: &again})
	if first.String() != again.String() || one.Steps != two.Steps {
		t.Errorf("the same seed made %d steps and %d", one.Steps, two.Steps)
	}
	if len(first.String()) < 10_000 {
		t.Errorf("the trace of 3,000 steps has %d bytes", first.Len())
	}
}

// Leaders lose the trust in their lease behind an append that has landed, and end before they have
// published its effects, because otherwise the checker would have no such case to examine.
func TestLeadersLoseTrust(t *testing.T) {
	faults := sim.Faults{}
	wanted := []string{"effects waited for trust", "leader went on", "execution sent in place of its leader", "record of the lease lost", "execution not sent before its leader ended", "user's request late"}
	for seed := uint64(1); seed <= 10*seeds; seed++ {
		faults.Add(sim.Run(sim.Options{Seed: seed, Steps: 5000}).Faults)
		if !slices.ContainsFunc(wanted, func(kind string) bool { return faults[kind] == 0 }) {
			return
		}
	}
	for _, kind := range wanted {
		t.Errorf("%s: %d times", kind, faults[kind])
	}
}

// panics are the places at which machines panic in histories.
func panics() []string {
	places := []string{"visit", "look", "looked", "hand", "row", "queues", "replay"}
	for _, ev := range []any{
		event.ReplyReceived{}, event.NoResponders{}, event.Dispatched{}, event.Left{}, event.WorkerSeen{}, event.Tick{}, event.RepliesRead{}, event.Flush{}, event.Fetched{},
		command.CreatePlan{}, command.RestorePlan{}, command.GetPlan{}, command.OpenRuns{}, command.ListPlans{}, command.UpdatePlan{},
		command.PausePlan{}, command.ResumePlan{}, command.ResetPlan{}, command.SkipPlan{}, command.CancelRun{}, command.ClosePlan{},
		command.RemovePlan{}, command.TriggerPlan{}, command.PushItem{}, command.ClaimItems{}, command.CompleteItems{},
		command.ReleaseItems{}, command.DropItems{}, command.ReportTask{}, command.EndTask{}, command.ClaimWork{}, command.StopClaim{},
		command.ReturnWork{}, command.PutStation{}, command.GetStation{}, command.DeleteStation{}, command.ListStations{}, command.ReadCounters{}, command.GetWorker{},
		command.PutCalendar{}, command.GetCalendar{}, command.DeleteCalendar{}, command.ListCalendars{},
	} {
		places = append(places, fmt.Sprintf("begin %T", ev), fmt.Sprintf("end %T", ev))
	}
	return places
}

// A panic in any step, and anywhere in it, affects its cause alone and breaks no rule of the
// contract.
func TestPanicsOfEachKindBreakNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, at := range panics() {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			happened := 0
			for seed := uint64(1); seed <= 1000 && happened < 2; seed++ {
				r := sim.Run(sim.Options{Seed: seed, Steps: 3000, Panic: at})
				if r.Violation != "" {
					t.Fatalf("seed %d, step %d: %s", seed, r.Steps, r.Violation)
				}
				happened += r.Faults["panic "+at]
			}
			if happened == 0 {
				t.Error("it never happened")
			}
		})
	}
}
