package exclude_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

// brute finds the effect of calendars on one moment by the letter of the definition.
type brute struct {
	plan      *schema.Plan
	calendars map[string]*schema.Calendar
}

func zoneOf(name string) *time.Location {
	if name == "" {
		return time.UTC
	}
	zone, err := schema.LoadZone(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func onDay(days []schema.CalendarDay, at time.Time) bool {
	date := at.Format(time.DateOnly)
	return slices.ContainsFunc(days, func(d schema.CalendarDay) bool {
		switch {
		case d.Date != "":
			return d.Date <= date && date <= max(d.Date, d.Until)
		case d.Yearly != "":
			return at.Format("01-02") == d.Yearly
		case d.Easter != nil:
			easters := map[int]string{2025: "2025-04-20", 2026: "2026-04-05", 2027: "2027-03-28", 2028: "2028-04-16"}
			sunday, _ := schema.ParseDate(easters[at.Year()])
			return date == sunday.AddDate(0, 0, int(*d.Easter)).Format(time.DateOnly)
		case d.Weekday != "":
			return strings.ToLower(at.Format("Mon")) == d.Weekday
		default: // the only expression that is used here
			return at.Month() == 11 && at.Weekday() == 4 && (at.Day()-1)/7 == 3
		}
	})
}

// holds returns the part of a calendar that holds a moment: "day", "time", or "".
func holds(c *schema.Calendar, at time.Time) string {
	wall := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	if onDay(c.Days, wall) && !onDay(c.Except, wall) {
		return "day"
	}
	for _, w := range c.Windows {
		for _, back := range []int{0, 1} {
			day := wall.Truncate(24*time.Hour).AddDate(0, 0, -back)
			begins := w.Date == "" && len(w.Weekdays) == 0 || w.Date == day.Format(time.DateOnly) ||
				slices.Contains(w.Weekdays, strings.ToLower(day.Format("Mon")))
			from, _ := schema.ParseClock(w.From)
			to, _ := schema.ParseClock(w.To)
			if to < from {
				to += 24 * 3600
			}
			since := int(wall.Sub(day) / time.Second)
			if begins && !onDay(c.Except, day) && from <= since && since < to {
				return "time"
			}
		}
	}
	return ""
}

// excluded is why a moment is excluded: "day", "time", or "".
func (b *brute) excluded(at time.Time) string {
	why := ""
	judge := func(ids []string, only bool) {
		for _, id := range ids {
			c := b.calendars[id]
			zone := c.Timezone
			if zone == "" {
				zone = b.plan.Timezone
			}
			switch by := holds(c, at.In(zoneOf(zone))); {
			case only && by == "" && len(c.Windows) > 0, !only && by == "time":
				if why == "" {
					why = "time"
				}
			case only && by == "", !only && by == "day":
				why = "day"
			}
		}
	}
	judge(b.plan.Exclude, false)
	judge(b.plan.Only, true)
	return why
}

// due is when the plan's clock shows a reading, by the plan's choice; false: never.
func (b *brute) due(wall time.Time) (time.Time, bool) {
	zone := zoneOf(b.plan.Timezone)
	var at []time.Time
	for off := -14 * 3600; off <= 14*3600; off += 900 {
		t := time.Unix(wall.Unix()-int64(off), 0).In(zone)
		if _, is := t.Zone(); is == off {
			at = append(at, t)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	change := b.plan.ClockChange
	if len(at) > 0 {
		if change.Overlap == schema.OverlapSecond {
			return at[len(at)-1], true
		}
		return at[0], true
	}
	// It lies in a gap, whose end is the first second that shows a later reading.
	end := time.Unix(wall.Unix()-24*3600, 0).In(zone)
	shows := func(t time.Time) int64 { _, off := t.Zone(); return t.Unix() + int64(off) }
	for step := 4 * time.Hour; step >= time.Second; step /= 2 {
		step = step.Truncate(time.Second)
		for shows(end.Add(step)) < wall.Unix() {
			end = end.Add(step)
		}
	}
	_, before := end.Zone()
	switch change.Gap {
	case schema.GapBefore:
		return end, true
	case schema.GapShift:
		return time.Unix(wall.Unix()-int64(before), 0), true
	case schema.GapSkip:
		return time.Time{}, false
	}
	return end.Add(time.Second), true
}

const month = 31 * 24 * time.Hour

// moved is where an occurrence goes; false: nowhere.
func (b *brute) moved(own time.Time) (time.Time, bool) {
	nanos := time.Duration(own.Nanosecond())
	own = own.Add(-nanos)
	by := 1
	if b.plan.Excluded == schema.ExcludedPrevious {
		by = -1
	}
	local := own.In(zoneOf(b.plan.Timezone))
	wall := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
	for n := 0; n <= 31; n++ {
		at := own
		if n > 0 {
			var ok bool
			if at, ok = b.due(wall.AddDate(0, 0, by*n)); !ok {
				return own, false
			}
		}
		switch b.excluded(at) {
		case "":
			_, offset := at.In(local.Location()).Zone()
			if at.Unix()+int64(offset) != wall.AddDate(0, 0, by*n).Unix() && b.plan.ClockChange.Gap != schema.GapShift {
				return at, true // into a gap: all of them at one second
			}
			return at.Add(nanos), true
		case "time":
			for !at.After(own.Add(month)) && !at.Before(own.Add(-month)) {
				if b.excluded(at) == "" {
					return at, true
				}
				// Nothing changes but at whole half hours.
				if at = at.Truncate(30 * time.Minute); by > 0 {
					at = at.Add(30 * time.Minute)
				} else {
					at = at.Add(-time.Second)
				}
			}
			return own, false
		}
	}
	return own, false
}

// occurrence is one that is due in effect.
type occurrence struct {
	at, from time.Time
	excluded bool
}

// effects are the occurrences that are due in effect, in order, of those that are due on their own.
func (b *brute) effects(own []time.Time, accepted time.Time) (all []occurrence) {
	inside := func(t time.Time) bool {
		return t.After(accepted) && !t.Before(b.plan.StartAt) && (b.plan.EndAt.IsZero() || !t.After(b.plan.EndAt))
	}
	for _, t := range own {
		o := occurrence{at: t, excluded: b.excluded(t) != ""}
		if o.excluded && b.plan.Excluded != "" {
			if to, ok := b.moved(t); ok && inside(to) {
				o = occurrence{at: to, from: t}
			}
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(x, y occurrence) int {
		if c := x.at.Compare(y.at); c != 0 {
			return c
		}
		return x.from.Compare(y.from)
	})
	return slices.CompactFunc(all, func(x, y occurrence) bool { return x.at.Equal(y.at) })
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

func randomDate(r *rand.Rand) string {
	return time.Date(2027, 1, 1+r.IntN(365), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

func randomDay(r *rand.Rand) schema.CalendarDay {
	switch r.IntN(6) {
	case 0:
		return schema.CalendarDay{Weekday: pick(r, "sun", "mon", "wed", "sat")}
	case 1:
		easter := int64(r.IntN(100) - 50)
		return schema.CalendarDay{Easter: &easter}
	case 2:
		return schema.CalendarDay{Yearly: randomDate(r)[5:]}
	case 3:
		return schema.CalendarDay{Cron: "* 11 thu#4"}
	}
	from := randomDate(r)
	until, _ := schema.ParseDate(from)
	return schema.CalendarDay{Date: from, Until: until.AddDate(0, 0, pick(r, 0, 1, 3, 9, 40)).Format(time.DateOnly)}
}

func randomCalendar(r *rand.Rand, id string) *schema.Calendar {
	c := &schema.Calendar{CalendarID: id, Timezone: pick(r, "", "", "Europe/Berlin", "America/New_York", "Asia/Tokyo")}
	for range r.IntN(4) {
		c.Days = append(c.Days, randomDay(r))
	}
	for range r.IntN(3) {
		c.Except = append(c.Except, randomDay(r))
	}
	for range pick(r, 0, 0, 1, 2) {
		w := schema.CalendarWindow{From: fmt.Sprintf("%02d:30", r.IntN(24)), To: fmt.Sprintf("%02d:00", r.IntN(25))}
		switch r.IntN(3) {
		case 0:
			w.Weekdays = []string{pick(r, "sun", "tue"), "fri"}
		case 1:
			w.Date = randomDate(r)
		}
		c.Windows = append(c.Windows, w)
	}
	return c
}

func randomPlan(r *rand.Rand, now time.Time) *schema.Plan {
	minusOne, value := int64(-1), int64(1+r.IntN(40))
	p := &schema.Plan{}
	p.PlanRepet = &minusOne
	switch r.IntN(6) {
	case 0:
		p.PlanType, p.PlanValue = schema.TypeHour, &value
	case 1:
		p.PlanType, p.PlanValue = schema.TypeMinute, new(int64)
		*p.PlanValue = pick[int64](r, 60, 90, 7*60, 701, 1440)
		p.PlanTime = now.Add(time.Duration(r.IntN(200)-100) * time.Hour).Truncate(pick(r, time.Millisecond, 30*time.Minute)).Add(pick(r, 0, 564*time.Millisecond))
	case 2:
		p.PlanType, p.PlanTime = schema.TypeTime, now.Add(time.Duration(1+r.IntN(400))*time.Hour).Truncate(time.Millisecond)
	default:
		p.PlanType = schema.TypeCron
		p.Cron = pick(r, "30 2 * * *", "0 9 * * *", "15,45 1-3 * * sun,mon", "0 */5 * * *", "59 23 28-31 * *", "0 12 1 * *", "30 22 * * fri", "5 0 * * *")
		p.ClockChange = schema.ClockChange{
			Gap: pick[schema.WhenGap](r, "", "after", "before", "shift", "skip"), Overlap: pick[schema.WhenOverlap](r, "", "first", "second"),
		}
	}
	p.Timezone = pick(r, "", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia")
	p.Excluded = pick[schema.WhenExcluded](r, "", "next", "previous", "next", "previous")
	switch r.IntN(3) {
	case 0:
		p.Exclude = []string{"a"}
	case 1:
		p.Exclude, p.Only = []string{"a"}, []string{"b"}
	case 2:
		p.Exclude = []string{"b", "a"}
	}
	if r.IntN(4) == 0 {
		p.StartAt = now.Add(time.Duration(r.IntN(200)) * time.Hour)
		p.EndAt = p.StartAt.Add(time.Duration(200+r.IntN(1000)) * time.Hour)
	}
	return p
}

// A schedule with calendars answers the same as a walk over its own due times, each moved by the
// letter of the definition. The questions are the next ones, how many passed, the nth, runs of
// excluded ones, and where one came from.
func TestCalendarsAgreeWithBruteForce(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		now := time.Date(2027, pick[time.Month](r, 1, 3, 4, 10, 11), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC)
		p := randomPlan(r, now)
		b := &brute{plan: p, calendars: map[string]*schema.Calendar{}}
		set := &exclude.Set{}
		for _, id := range []string{"a", "b"} {
			c := randomCalendar(r, id)
			made, err := exclude.New(c)
			if err != nil {
				t.Fatal(err)
			}
			b.calendars[id] = c
			set.Put(id, made)
		}
		plain, err := calendar.Compile(calendar.SpecOf(p), now)
		if err != nil {
			continue // the window has no occurrence
		}
		checkAgainst(t, r, seed, b, plain, set.Apply(plain, p), now)
	}
}

func checkAgainst(t *testing.T, r *rand.Rand, seed uint64, b *brute, plain, s calendar.Schedule, now time.Time) {
	t.Helper()
	horizon := now.AddDate(0, 4, 0)
	var own []time.Time
	for d, ok := plain.Next(calendar.Due{}, time.Time{}); ok && d.At.Before(horizon); d, ok = plain.Next(d, time.Time{}) {
		own = append(own, d.At)
	}
	want := b.effects(own, now)
	for len(want) > 0 && !want[len(want)-1].at.Before(now.AddDate(0, 2, 20)) {
		want = want[:len(want)-1] // later due times may move to before these
	}
	about := func() string {
		return fmt.Sprintf("seed %d: %+v\ncalendars %+v %+v\naccepted %s", seed, b.plan.Schedule, *b.calendars["a"], *b.calendars["b"], now)
	}
	prev := calendar.Due{}
	for i, w := range want {
		d, ok := s.Next(prev, time.Time{})
		if !ok || !d.At.Equal(w.at) || d.K != int64(i+1) {
			t.Fatalf("%s\noccurrence %d is %d at %s (%v), want %s (from %s)", about(), i+1, d.K, d.At, ok, w.at, w.from)
		}
		if s.Excludes(d.At) != w.excluded || !s.MovedFrom(d.At).Equal(w.from) {
			t.Fatalf("%s\n%s: excluded %v, moved from %s; want %v, %s", about(), d.At, s.Excludes(d.At), s.MovedFrom(d.At), w.excluded, w.from)
		}
		prev = d
	}
	for range 10 {
		if len(want) < 2 {
			return
		}
		i := r.IntN(len(want))
		from := calendar.Due{K: int64(i + 1), At: want[i].at}
		to := i + r.IntN(len(want)-i)
		if n, last := s.Passed(from, want[to].at.Add(1)); n != int64(to-i) || n > 0 && (!last.At.Equal(want[to].at) || last.K != int64(to+1)) {
			t.Fatalf("%s\npassed from %d to %d: %d, %v", about(), i, to, n, last)
		}
		if to > i {
			if d, ok := s.Nth(from, int64(to-i)); !ok || !d.At.Equal(want[to].at) || d.K != int64(to+1) {
				t.Fatalf("%s\nnth from %d to %d: %v", about(), i, to, d)
			}
			if n := s.Ahead(calendar.Due{K: int64(to + 1), At: want[to].at}, want[i].at); n != int64(to-i) && s.IsGrid() == plain.IsGrid() && plain.IsGrid() {
				t.Fatalf("%s\nahead of %d at %d: %d", about(), to, i, n)
			}
			if d, ok := s.Next(from, want[to].at); !ok || d.K != int64(to+1) {
				t.Fatalf("%s\nnext from %d at %d: %v", about(), i, to, d)
			}
			end := i + 1
			for end < to && want[end+1].excluded == want[i+1].excluded {
				end++
			}
			run := s.Run(from, want[to].at.Add(1))
			if run.N != int64(end-i) || !run.Last.At.Equal(want[end].at) || run.Excluded != want[end].excluded {
				t.Fatalf("%s\nrun from %d to %d: %+v, want %d to %s", about(), i, to, run, end-i, want[end].at)
			}
		}
		first := slices.IndexFunc(want[i+1:], func(o occurrence) bool { return !o.excluded })
		d, ok := s.NextRun(from, time.Time{}, want[len(want)-1].at)
		if at, is := s.NextRunAt(from, time.Time{}, want[len(want)-1].at); is != ok || !at.Equal(d.At) {
			t.Fatalf("%s\nfirst run after %d: %v %v, and by its moment %v %v", about(), i, d, ok, at, is)
		}
		if ok != (first >= 0) || ok && !d.At.Equal(want[i+1+first].at) {
			t.Fatalf("%s\nfirst run after %d: %v %v, want place %d", about(), i, d, ok, first)
		}
	}
}
