package ahead_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A world is a machine that leads, and the occurrences that it has dispatched and skipped.
type world struct {
	*testing.T
	m       *machine.Machine
	b       *batch.Batch
	now     time.Time
	ran     []string
	answers []event.Answer
	set     exclude.Set // the calendars, as the front would have them
}

// calendar puts a calendar.
func (w *world) calendar(c *schema.Calendar) {
	w.Helper()
	c.Revision = 1
	w.ask(command.PutCalendar{Calendar: c})
	made, err := exclude.New(c)
	if err != nil {
		w.Fatal(err)
	}
	w.set.Put(c.CalendarID, made)
}

func newWorld(t *testing.T, now time.Time) *world {
	w := &world{T: t, now: now, b: batch.New(1 << 20), m: machine.New(machine.Config{
		Key: [16]byte{7}, Defaults: schema.Defaults{ExecTimeout: time.Minute, StartTimeout: time.Minute},
	})}
	w.m.Lead(now, 1, time.Time{})
	w.b.Reset(1)
	w.ask(command.PutStation{Station: &schema.Station{Station: "news", Kind: schema.KindPub}})
	return w
}

// step steps an event, and confirms each execution that it dispatches.
func (w *world) step(ev event.Event) {
	w.b.Seal()
	w.b.Reset(w.b.Number + 1)
	if w.m.Step(w.now, ev, w.b) != machine.Done && w.b.Empty() {
		w.Fatalf("an empty batch has no room for %T", ev)
	}
	for done := 0; done < len(w.b.Effects); done++ {
		switch e := w.b.Effects[done].(type) {
		case event.Answer:
			w.answers = append(w.answers, e)
		case event.Dispatch:
			x := e.Execution
			w.ran = append(w.ran, fmt.Sprintf("%d %s", x.Occurrence, x.PlanTime.UTC().Format(time.RFC3339Nano)))
			if left, report := x.Leave(w.now); report {
				w.m.Step(w.now, left, w.b)
			}
		}
	}
}

func (w *world) ask(c command.Command) any {
	w.Helper()
	w.answers = nil
	w.step(event.Ask{From: "user", What: c})
	if len(w.answers) != 1 || w.answers[0].Err != nil {
		w.Fatalf("%T: %v", c, w.answers)
	}
	return w.answers[0].Body
}

// until lets time pass, and all that falls due run.
func (w *world) until(end time.Time) {
	for {
		wake := w.m.Wake()
		if wake.IsZero() || wake.After(end) {
			w.now = end
			return
		}
		if wake.After(w.now) {
			w.now = wake
		}
		w.step(event.Tick{})
	}
}

var name = schema.PlanName{Station: "news", PlanID: "p"}

// upcoming is the forecast of the plan, if the plan exists.
func (w *world) upcoming(q schema.Upcoming, count int) *schema.Previewed {
	w.Helper()
	slice := w.ask(command.ListPlans{Filter: schema.ListPlans{Station: name.Station}, Limit: 1, Records: true}).(command.PlanSlice)
	if len(slice.Plans) == 0 {
		return nil
	}
	answer, err := ahead.Upcoming(slice.Plans[0], &q, count, w.now, &w.set)
	if err != nil {
		w.Fatal(err)
	}
	return answer
}

// definition is that of the plan in the world, with a schedule.
func (w *world) definition(p *schema.Plan) *schema.Definition {
	w.Helper()
	p.Station, p.PlanID, p.Command, p.Overlap = name.Station, name.PlanID, "c", schema.BusyParallel
	v, err := wire.ValueOf(wire.JSON, p)
	if err != nil {
		w.Fatal(err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		w.Fatalf("%s: %v", v, err)
	}
	return d
}

// The forecast occurrences run, with the forecast numbers, for random plans that are paused,
// resumed and skipped at random moments around changes of clocks.
func TestUpcomingTimesComeTrue(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 39))
		w := newWorld(t, time.Date(2027, []time.Month{3, 10}[r.IntN(2)], 25+r.IntN(3), r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC))
		w.calendar(randomCalendar(r, "a"))
		w.calendar(randomCalendar(r, "b"))
		p := randomPlan(r, w.now)
		if !w.may(command.CreatePlan{Definition: w.definition(p)}) {
			continue // its calendars leave it no time
		}
		for range 4 {
			act(r, w)
			shown := w.upcoming(schema.Upcoming{}, 12)
			if shown == nil {
				break
			}
			want := running(shown)
			all := w.upcoming(schema.Upcoming{Shown: schema.Shown{WithSkipped: true}}, 12)
			if got := running(all); !slices.Equal(want[:min(len(got), len(want))], got) || len(got) < len(want) && len(all.Occurrences) < 12 || all.Reason != shown.Reason {
				t.Fatalf("seed %d: with what is skipped %v, reason %q; without %v, %q", seed, got, all.Reason, want, shown.Reason)
			}
			for i, o := range all.Occurrences {
				if i > 0 && o.Occurrence != all.Occurrences[i-1].Occurrence+1 {
					t.Fatalf("seed %d: %d follows %d", seed, o.Occurrence, all.Occurrences[i-1].Occurrence)
				}
			}
			end := w.now.Add(time.Duration(1+r.IntN(72*60)) * time.Minute)
			if (shown.Reason == "") != (len(want) > 0) {
				t.Errorf("seed %d: %d occurrences, and reason %q", seed, len(want), shown.Reason)
			}
			if len(want) == 12 {
				end = shown.Occurrences[11].PlanTime.Add(time.Millisecond)
			}
			w.ran = nil
			w.until(end)
			n := 0
			for n < len(want) && !shown.Occurrences[n].PlanTime.After(end) {
				n++
			}
			if diff := cmp.Diff(want[:n], w.ran); diff != "" && n+len(w.ran) > 0 {
				t.Fatalf("seed %d: %s from %s to %s (-previewed +ran):\n%s", seed, shown.Words, shown.Reason, end, diff)
			}
		}
	}
}

// may asks for something that may be refused because of calendars.
func (w *world) may(c command.Command) bool {
	w.Helper()
	w.answers = nil
	w.step(event.Ask{From: "user", What: c})
	var refused *schema.Error
	if err := w.answers[0].Err; err != nil && (!errors.As(err, &refused) || !strings.Contains(refused.Message, "calendar")) {
		w.Fatal(err)
	}
	return w.answers[0].Err == nil
}

func randomCalendar(r *rand.Rand, id string) *schema.Calendar {
	days := []schema.CalendarDay{{Weekday: "sat"}, {Weekday: "sun"}, {Yearly: "03-29"}, {Date: "2027-10-27", Until: "2027-10-30"}, {Easter: new(int64(1))}}
	c := &schema.Calendar{CalendarID: id}
	for _, d := range days {
		if r.IntN(2) == 0 {
			c.Days = append(c.Days, d)
		}
	}
	if id == "b" {
		c.Days = append(c.Days, schema.CalendarDay{Weekday: "mon"}, schema.CalendarDay{Weekday: "thu"})
	}
	if r.IntN(3) == 0 {
		c.Windows = []schema.CalendarWindow{{From: "22:00", To: "03:30"}}
	}
	return c
}

// running are the occurrences that will run.
func running(p *schema.Previewed) (all []string) {
	for _, o := range p.Occurrences {
		if !o.Skipped {
			all = append(all, fmt.Sprintf("%d %s", o.Occurrence, o.PlanTime.UTC().Format(time.RFC3339Nano)))
		}
	}
	return all
}

// act is something that a user may do to the plan.
func act(r *rand.Rand, w *world) {
	slice := w.ask(command.ListPlans{Limit: 1}).(command.PlanSlice)
	if len(slice.Plans) == 0 {
		return
	}
	switch r.IntN(5) {
	case 0:
		view := slice.Plans[0]
		p := randomPlan(r, w.now)
		if *p.PlanRepet > 0 {
			*p.PlanRepet += view.State.Occurrence + 100 // and those that fell due in a pause
		}
		w.may(command.UpdatePlan{Definition: w.definition(p), Incarnation: view.Incarnation, Revision: view.State.Revision})
	case 4:
		w.calendar(randomCalendar(r, []string{"a", "b"}[r.IntN(2)]))
		w.until(w.now) // and an occurrence that a change moves into the past is skipped
	case 1:
		w.ask(command.PausePlan{Name: name})
	case 2:
		w.ask(command.ResumePlan{Name: name})
	case 3:
		w.ask(command.SkipPlan{Name: name, Count: int64(r.IntN(5) - 1)})
	}
}

func randomPlan(r *rand.Rand, now time.Time) *schema.Plan {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	repet := int64(1 + r.IntN(20))
	if r.IntN(2) == 0 {
		repet = -1
	}
	p := &schema.Plan{Schedule: schema.Schedule{PlanRepet: &repet}}
	p.ClockChange = schema.ClockChange{
		Gap: schema.WhenGap(pick("", "after", "before", "shift", "skip")), Overlap: schema.WhenOverlap(pick("", "first", "second", "both")),
	}
	p.Timezone = pick("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC")
	p.PlanTime = now.Add(time.Duration(r.IntN(48*60)-24*60) * time.Minute).Truncate(time.Minute)
	value := int64(r.IntN(7))
	switch p.PlanValue = &value; r.IntN(4) {
	case 0:
		p.PlanType, p.PlanTime, p.PlanValue = schema.TypeCron, time.Time{}, nil
		p.Cron = pick("30 2 * * *", "*/20 1-3 * * *", "*/20 2 * * *", "0,30 1,2,3 * * *", "0 */3 * * *", "15 2 * * sun", "30 * 28,31 * *", "@hourly")
	case 1:
		p.PlanType = schema.TypeWeek
	case 2:
		p.PlanType = schema.TypeMonth
		value = int64(25 + r.IntN(7))
	case 3:
		p.PlanType, p.Timezone, p.ClockChange = schema.TypeMinute, "", schema.ClockChange{}
		value = int64(30 + r.IntN(300))
		if r.IntN(2) == 0 {
			p.PlanTime = time.Time{}
		}
	}
	switch r.IntN(4) {
	case 0:
		p.Exclude = []string{"a"}
	case 1:
		p.Exclude, p.Only = []string{"a"}, []string{"b"}
	}
	if p.HasCalendars() {
		p.Excluded = schema.WhenExcluded(pick("", "next", "previous"))
	}
	if r.IntN(3) == 0 {
		p.EndAt = now.Add(40 * 24 * time.Hour)
	}
	return p
}
