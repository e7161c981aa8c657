package calendar_test

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

var newYear = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// seconds is a grid of that many seconds from newYear on.
func seconds(value, repet int64) calendar.Spec {
	return calendar.Spec{Type: schema.TypeSecond, Value: value, Repet: repet, Time: newYear}
}

func wantDue(t *testing.T, got calendar.Due, ok bool, k int64, at time.Time) {
	t.Helper()
	if want := (calendar.Due{K: k, At: at}); !ok || got != want {
		t.Errorf("due %+v, %v; want %+v", got, ok, want)
	}
}

func wantNone(t *testing.T, got calendar.Due, ok bool) {
	t.Helper()
	if ok {
		t.Errorf("due %+v, want none", got)
	}
}

func TestScheduleIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(calendar.Schedule{}); size > 80 {
		t.Errorf("a schedule takes %d bytes; leaders keep one for each of their plans", size)
	}
}

func TestOnce(t *testing.T) {
	accepted := newYear.Add(123 * time.Millisecond)
	none := compile(t, calendar.Spec{}, accepted)
	due, ok := none.Next(calendar.Due{}, accepted)
	wantDue(t, due, ok, 1, accepted)
	due, ok = none.Next(due, time.Time{})
	wantNone(t, due, ok)

	once := compile(t, calendar.Spec{Type: schema.TypeTime, Time: newYear, Repet: 7}, accepted)
	due, ok = once.Next(calendar.Due{}, accepted)
	wantNone(t, due, ok) // it has passed
	due, ok = once.Next(calendar.Due{}, time.Time{})
	wantDue(t, due, ok, 1, newYear) // and runs all the same with no_keep
	due, ok = once.Next(calendar.Due{}, newYear)
	wantDue(t, due, ok, 1, newYear) // now is not past
	due, ok = once.Next(calendar.Due{K: 1, At: newYear}, time.Time{})
	wantNone(t, due, ok)
	if n, last := once.Passed(calendar.Due{}, accepted); n != 1 || last != (calendar.Due{K: 1, At: newYear}) {
		t.Errorf("passed %d, last %+v; want the only one", n, last)
	}
}

func TestGrid(t *testing.T) {
	s := compile(t, seconds(10, 10), newYear)
	at := func(k int64) time.Time { return newYear.Add(time.Duration(k) * 10 * time.Second) }

	due, ok := s.Next(calendar.Due{}, at(4))
	wantDue(t, due, ok, 4, at(4)) // due now is not past
	due, ok = s.Next(calendar.Due{}, at(4).Add(1))
	wantDue(t, due, ok, 5, at(5))
	due, ok = s.Next(calendar.Due{K: 5, At: at(5)}, at(2))
	wantDue(t, due, ok, 6, at(6))
	due, ok = s.Next(calendar.Due{}, at(10))
	wantDue(t, due, ok, 10, at(10))
	due, ok = s.Next(calendar.Due{}, at(10).Add(1))
	wantNone(t, due, ok)
	due, ok = s.Next(calendar.Due{K: 10, At: at(10)}, time.Time{})
	wantNone(t, due, ok)

	for _, c := range []struct {
		prev int64
		t    time.Time
		n    int64
	}{
		{0, time.Time{}, 0}, {0, at(0), 0}, {0, at(1), 0}, {0, at(1).Add(1), 1}, {0, at(4), 3},
		{2, at(4), 1}, {3, at(4), 0}, {0, at(99), 10}, {4, at(99), 6},
	} {
		prev := calendar.Due{K: c.prev, At: at(c.prev)}
		want := prev
		if c.n > 0 {
			want = calendar.Due{K: c.prev + c.n, At: at(c.prev + c.n)}
		}
		if n, last := s.Passed(prev, c.t); n != c.n || last != want {
			t.Errorf("after %d, before %v: passed %d, last %+v; want %d, %+v", c.prev, c.t, n, last, c.n, want)
		}
	}
}

// A grid that starts at acceptance keeps its fraction of a second.
func TestGridFromAcceptance(t *testing.T) {
	accepted := newYear.Add(1234567 * time.Microsecond)
	s := compile(t, calendar.Spec{Type: schema.TypeDay, Value: 1, Repet: -1}, accepted)
	due, ok := s.Next(calendar.Due{}, accepted.Add(72*time.Hour))
	wantDue(t, due, ok, 3, accepted.Add(72*time.Hour))
	due, ok = s.Next(calendar.Due{}, accepted.Add(72*time.Hour+1))
	wantDue(t, due, ok, 4, accepted.Add(96*time.Hour))
}

func TestAsSoonAsPossible(t *testing.T) {
	spec := seconds(0, 3)
	spec.Until = newYear.Add(time.Hour)
	s := compile(t, spec, newYear)
	if grid := compile(t, seconds(1, 3), newYear); !s.Continuous() || grid.Continuous() || (calendar.Schedule{}).Continuous() {
		t.Error("plan_value 0, and nothing else, is continuous")
	}
	first, ok := s.Next(calendar.Due{}, newYear.Add(-time.Hour))
	wantDue(t, first, ok, 1, newYear)
	finished := newYear.Add(1500 * time.Millisecond)
	if n, _ := s.Passed(first, finished); n != 0 {
		t.Errorf("passed %d, want none ever", n)
	}
	second, ok := s.Next(first, finished)
	wantDue(t, second, ok, 2, finished)
	due, ok := s.Next(second, newYear.Add(time.Hour+1))
	wantNone(t, due, ok)
	third, ok := s.Next(second, newYear.Add(time.Hour))
	wantDue(t, third, ok, 3, newYear.Add(time.Hour))
	due, ok = s.Next(third, newYear)
	wantNone(t, due, ok)
}

// Both ends of the window are in it, and k counts from the first inside.
func TestWindow(t *testing.T) {
	for name, c := range map[string]struct {
		spec  calendar.Spec
		first time.Time
		step  time.Duration
	}{
		"grid":    {seconds(60, -1), newYear.Add(time.Hour), time.Minute},
		"cron":    {cron("* * * * *", ""), newYear.Add(time.Hour), time.Minute},
		"every":   {cron("@every 1m", ""), newYear.Add(time.Hour), time.Minute},
		"outside": {seconds(7000, -1), newYear.Add(7000 * time.Second), 7000 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			c.spec.From, c.spec.Until = newYear.Add(time.Hour), c.first.Add(2*c.step)
			s := compile(t, c.spec, newYear)
			first, ok := s.Next(calendar.Due{}, time.Time{})
			wantDue(t, first, ok, 1, c.first)
			second, ok := s.Next(first, first.At.Add(1))
			wantDue(t, second, ok, 2, c.first.Add(c.step))
			third, ok := s.Next(calendar.Due{}, second.At.Add(1))
			wantDue(t, third, ok, 3, c.first.Add(2*c.step))
			due, ok := s.Next(third, time.Time{})
			wantNone(t, due, ok)
			if n, last := s.Passed(first, newYear.AddDate(100, 0, 0)); n != 2 || last != third {
				t.Errorf("passed %d, last %+v; want 2, %+v", n, last, third)
			}
		})
	}
}

// An occurrence at the moment of acceptance is not in the future any more.
func TestRulesLieInTheFuture(t *testing.T) {
	s := compile(t, cron("* * * * * *", ""), newYear)
	due, ok := s.Next(calendar.Due{}, newYear)
	wantDue(t, due, ok, 1, newYear.Add(time.Second))

	s = compile(t, cron("* * * * * *", ""), newYear.Add(1))
	due, ok = s.Next(calendar.Due{}, time.Time{})
	wantDue(t, due, ok, 1, newYear.Add(time.Second))
}

// A schedule that replaces another counts on from its number.
func TestAfterAnUpdate(t *testing.T) {
	for name, spec := range map[string]calendar.Spec{
		"grid": {Type: schema.TypeMinute, Value: 1, Repet: 9},
		"cron": {Type: schema.TypeCron, Cron: "* * * * *", Repet: 9},
	} {
		t.Run(name, func(t *testing.T) {
			spec.After = 7
			s := compile(t, spec, newYear)
			prev := calendar.Due{K: 7, At: newYear.Add(-3 * time.Second)}
			eighth, ok := s.Next(prev, newYear)
			wantDue(t, eighth, ok, 8, newYear.Add(time.Minute))
			n, ninth := s.Passed(eighth, newYear.Add(time.Hour))
			wantDue(t, ninth, n == 1, 9, newYear.Add(2*time.Minute))
			due, ok := s.Next(ninth, time.Time{})
			wantNone(t, due, ok)

			spec.Repet = 7
			if e := refusal(t, spec, newYear); e.Field != "plan_repet" {
				t.Errorf("field %q", e.Field)
			}
		})
	}
}

// Grids end with the year 9999; they never wrap.
func TestFarFuture(t *testing.T) {
	spec := calendar.Spec{Type: schema.TypeDay, Value: 32766, Repet: math.MaxInt64}
	s := compile(t, spec, newYear)
	n, last := s.Passed(calendar.Due{}, time.Unix(math.MaxInt64/2, 0))
	if n != 88 || last.At.Year() != 9920 {
		t.Errorf("%d occurrences, the last in year %d; want 88 up to year 9920", n, last.At.Year())
	}
	due, ok := s.Next(last, time.Time{})
	wantNone(t, due, ok)
	due, ok = s.Next(calendar.Due{K: math.MaxInt64}, time.Time{})
	wantNone(t, due, ok)

	spec.Time = time.Date(9990, 1, 1, 0, 0, 0, 0, time.UTC)
	if e := refusal(t, spec, newYear); e.Field != "plan_value" {
		t.Errorf("field %q", e.Field)
	}

	s = compile(t, cron("* * * * * *", "Europe/London"), time.Date(9999, 12, 31, 23, 59, 58, 0, time.UTC))
	due, ok = s.Next(calendar.Due{}, time.Time{})
	wantDue(t, due, ok, 1, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	due, ok = s.Next(due, time.Time{})
	wantNone(t, due, ok)
}

// A cron plan that was due each second for ten years is counted at once.
func TestPassedCounts(t *testing.T) {
	s := compile(t, cron("* * * * * *", "America/New_York"), newYear)
	later := newYear.AddDate(10, 0, 0)
	want := int64(later.Sub(newYear)/time.Second) - 1
	n, last := s.Passed(calendar.Due{}, later)
	if n != want || last != (calendar.Due{K: want, At: later.Add(-time.Second)}) {
		t.Errorf("passed %d, last %+v; want %d, the second before %v", n, last, want, later)
	}
	spec := cron("* * * * * *", "America/New_York")
	spec.Repet = 1000
	n, last = compile(t, spec, newYear).Passed(calendar.Due{}, later)
	if n != 1000 || last != (calendar.Due{K: 1000, At: newYear.Add(1000 * time.Second)}) {
		t.Errorf("passed %d, last %+v; want as many as plan_repet allows", n, last)
	}
}

func TestSpecOf(t *testing.T) {
	two := int64(2)
	for _, c := range []struct {
		plan schema.Plan
		want calendar.Spec
	}{
		{schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "@daily", Timezone: "Asia/Tokyo"}},
			calendar.Spec{Type: schema.TypeCron, Cron: "@daily", Zone: "Asia/Tokyo", Repet: -1}},
		{schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeCron, PlanRepet: &two}}, calendar.Spec{Type: schema.TypeCron, Repet: 2}},
		{schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeDay, PlanValue: &two}}, calendar.Spec{Type: schema.TypeDay, Value: 2}},
		{schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: time.Unix(0, 0), StartAt: newYear, EndAt: newYear}},
			calendar.Spec{Type: schema.TypeTime, From: newYear, Until: newYear}},
	} {
		if diff := cmp.Diff(c.want, calendar.SpecOf(&c.plan)); diff != "" {
			t.Errorf("SpecOf (-want +got):\n%s", diff)
		}
	}
}

// An update moves a plan unless the specs are ==.
func TestSpecsCompare(t *testing.T) {
	here := schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: newYear}}
	there := schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: newYear.In(time.FixedZone("", 3600))}}
	if calendar.SpecOf(&here) != calendar.SpecOf(&there) {
		t.Error("one moment in two zones makes two specs")
	}
}

func TestCompileRefuses(t *testing.T) {
	window := func(s calendar.Spec, from, until time.Time) calendar.Spec {
		s.From, s.Until = from, until
		return s
	}
	at := func(s calendar.Spec, moment time.Time) calendar.Spec {
		s.Time = moment
		return s
	}
	day := 24 * time.Hour
	for _, c := range []struct {
		name, field string
		spec        calendar.Spec
	}{
		{"unknown type", "plan_type", calendar.Spec{Type: "fortnight"}},
		{"time without a time", "plan_time", calendar.Spec{Type: schema.TypeTime}},
		{"time outside the window", "plan_time", window(calendar.Spec{Type: schema.TypeTime, Time: newYear}, newYear.Add(1), time.Time{})},
		{"at once, but not yet", "start_at", window(calendar.Spec{}, newYear.Add(day), time.Time{})},
		{"at once, but no more", "end_at", window(calendar.Spec{}, time.Time{}, newYear.Add(-1))},
		{"value too large", "plan_value", seconds(32767, 1)},
		{"value below 0", "plan_value", seconds(-1, 1)},
		{"no repetition", "plan_repet", seconds(1, 0)},
		{"repetition below -1", "plan_repet", seconds(1, -2)},
		{"weekday 7", "plan_value", calendar.Spec{Type: schema.TypeWeek, Value: 7, Repet: -1}},
		{"day 32", "plan_value", calendar.Spec{Type: schema.TypeMonth, Value: 32, Repet: -1}},
		{"day -32", "plan_value", calendar.Spec{Type: schema.TypeMonth, Value: -32, Repet: -1}},
		{"no expression", "cron", cron("", "")},
		{"never matches", "cron", cron("0 0 30 2 ?", "")},
		{"only ever inside a gap", "cron", cron("*/5 2 ? 3 SUN#2", "America/New_York")},
		{"no repetition of cron", "plan_repet", calendar.Spec{Type: schema.TypeCron, Cron: "@daily"}},
		{"no such zone", "timezone", cron("@daily", "Mars/Olympus")},
		{"the machine's own zone", "timezone", cron("@daily", "Local")},
		{"the machine's own zone file", "timezone", cron("@daily", "localtime")},
		{"a path", "timezone", cron("@daily", "../zoneinfo/UTC")},
		{"window the wrong way round", "end_at", window(cron("@daily", ""), newYear.Add(day), newYear)},
		{"empty window of a rule", "end_at", window(cron("0 12 * * *", ""), newYear, newYear.Add(time.Hour))},
		{"empty window of a grid", "end_at", window(seconds(100, -1), newYear.Add(101*time.Second), newYear.Add(199*time.Second))},
		{"window over", "end_at", window(seconds(0, -1), time.Time{}, newYear.Add(-1))},
		{"beyond RFC 3339", "plan_time", at(seconds(1, 1), time.Unix(math.MaxInt64/2, 0))},
		{"before the years", "plan_time", at(seconds(1, 1), time.Unix(math.MinInt64/2, 0))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if e := refusal(t, c.spec, newYear); e.Field != c.field || e.Code != schema.CodeInvalidPlan {
				t.Errorf("refused with %v, want field %s", e, c.field)
			}
		})
	}
	if e := refusal(t, seconds(1, -1), time.Unix(math.MaxInt64/2, 0)); e.Field != "from" {
		t.Errorf("accepted beyond RFC 3339: %v, want field from", e)
	}
}

// Passed occurrences alone are no reason to refuse a plan.
func TestCompileAcceptsThePast(t *testing.T) {
	for _, spec := range []calendar.Spec{
		seconds(1, 5),
		{Type: schema.TypeTime, Time: newYear},
		{Type: schema.TypeSecond, Value: 1, Repet: -1, Time: newYear, Until: newYear.Add(time.Minute)},
	} {
		s := compile(t, spec, newYear.AddDate(1, 0, 0))
		due, ok := s.Next(calendar.Due{}, newYear.AddDate(1, 0, 0))
		wantNone(t, due, ok)
		if n, _ := s.Passed(calendar.Due{}, newYear.AddDate(1, 0, 0)); n == 0 {
			t.Errorf("%+v: nothing passed", spec)
		}
	}
}
