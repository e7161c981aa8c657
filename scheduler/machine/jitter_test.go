package machine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestAJitterThatIsLongerThanTheInterval checks that every occurrence runs, under any
// policy. A waiting one that would give way to the next begins before that is due.
func TestAJitterThatIsLongerThanTheInterval(t *testing.T) {
	const (
		count  = 40
		grid   = `"plan_type":"second","plan_value":10,"plan_repet":40`
		uneven = `"plan_type":"cron","cron":"0,50 * * * * *","plan_repet":40`
		follow = `"plan_type":"second","plan_value":0,"plan_repet":40`
	)
	for _, c := range []struct {
		overlap, schedule string
		jitter            int
		cut               bool // all but the last begin before the next is due
	}{
		{"skip", grid, 10, true},
		{"skip", grid, 15, true},
		{"skip", grid, 86400, true},
		{"skip", uneven, 60, true},
		{"cancel_prev", grid, 15, true},
		{"cancel_prev", uneven, 3600, true},
		{"queue", grid, 25, false},
		{"parallel", grid, 25, false},
		{"allow", grid, 25, false},
		{"skip", follow, 5, false},
	} {
		t.Run(fmt.Sprintf("%s %s %d", c.overlap, c.schedule, c.jitter), func(t *testing.T) {
			x := newBench(t)
			x.create(fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c",%s,"overlap":%q,"jitter":%d}`, c.schedule, c.overlap, c.jitter))
			begun := x.runAll(t)
			if len(begun) != count {
				t.Fatalf("%d of %d occurrences ran", len(begun), count)
			}
			beyond := 0 // they begin when the next one is due already
			for i, b := range begun {
				if late := b.at.Sub(b.due); late < 0 || late >= time.Duration(c.jitter)*time.Second && c.overlap != "queue" {
					t.Errorf("occurrence %d begins %v late", b.k, late)
				}
				if i+1 < len(begun) && !b.at.Before(begun[i+1].due) {
					beyond++
				}
			}
			if c.cut != (beyond == 0) && c.schedule != follow {
				t.Errorf("%d begin when the next one is due already", beyond)
			}
			if spread := slices.MaxFunc(begun, func(a, b begin) int { return int(a.at.Sub(a.due) - b.at.Sub(b.due)) }); spread.at.Equal(spread.due) {
				t.Error("none is late")
			}
		})
	}
}

// TestAShorterJitterIsNotCut checks that the moment at which an occurrence begins is the one
// that it has always had, where that comes before the next is due.
func TestAShorterJitterIsNotCut(t *testing.T) {
	at := map[string][]begin{}
	for _, overlap := range []string{"skip", "parallel"} {
		x := newBench(t)
		x.create(fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":10,"plan_repet":40,"overlap":%q,"jitter":9.5}`, overlap))
		at[overlap] = x.runAll(t)
	}
	if !slices.Equal(at["skip"], at["parallel"]) {
		t.Errorf("under skip they begin at %v, under parallel at %v", at["skip"], at["parallel"])
	}
}

// A begin is when an occurrence was dispatched first.
type begin struct {
	k       int64
	due, at time.Time
}

// runAll answers every execution with ok at once, until no plan is left, and returns in
// order of their due times when the occurrences began.
func (x *bench) runAll(t *testing.T) (begun []begin) {
	t.Helper()
	for len(x.m.part.Plans) > 0 {
		if x.now = x.m.Wake(); x.now.IsZero() {
			t.Fatal("the machine wants no look, and a plan is left")
		}
		effects := slices.Clone(x.step(event.Tick{}))
		for ; len(effects) > 0; effects = effects[1:] {
			if d, ok := effects[0].(event.Dispatch); ok {
				begun = append(begun, begin{d.Execution.Occurrence, d.Execution.PlanTime, x.now})
				effects = append(effects, x.step(event.ReplyReceived{About: aboutOf(d.Execution), Reply: schema.Reply{State: schema.StateOK}})...)
			}
		}
	}
	slices.SortFunc(begun, func(a, b begin) int { return int(a.k - b.k) })
	return begun
}
