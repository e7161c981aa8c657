package describe_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

// notes are all notes on the occurrences of a plan behind a moment, within a span of time, each
// with the due time, the kind and the text.
func notes(t *testing.T, p *schema.Plan, from string, within time.Duration, lang schema.Lang) (all []string) {
	t.Helper()
	start, err := time.Parse(time.RFC3339, from)
	if err != nil {
		t.Fatal(err)
	}
	s, err := calendar.Compile(calendar.SpecOf(p), start)
	if err != nil {
		t.Fatal(err)
	}
	for due, ok := s.Next(calendar.Due{}, start); ok && due.At.Before(start.Add(within)); due, ok = s.Next(due, start) {
		for _, n := range describe.Notes(p, s, due.At, lang) {
			all = append(all, due.At.Format("15:04:05Z ")+string(n.Kind)+": "+n.Text)
		}
	}
	return all
}

func clocks(cron, zone, gap, overlap string) *schema.Plan {
	p := &schema.Plan{Schedule: schema.Cron(cron, zone)}
	p.ClockChange = schema.ClockChange{Gap: schema.WhenGap(gap), Overlap: schema.WhenOverlap(overlap)}
	return p
}

// A local time that the clocks skip is noted under each choice, and one that they show twice.
func TestNotesOfClockChanges(t *testing.T) {
	const spring, autumn = "2027-03-27T12:00:00Z", "2027-10-30T12:00:00Z"
	forward := " on 2027-03-28 in Europe/Berlin, because the clocks go forward from 02:00 to 03:00; "
	back := "02:30 exists twice on 2027-10-31 in Europe/Berlin, because the clocks go back from 03:00 to 02:00; this is the "
	for _, c := range []struct {
		p    *schema.Plan
		from string
		want []string
	}{
		{clocks("30 2 * * *", "Europe/Berlin", "", ""), spring, []string{"01:00:00Z gap: 02:30 does not exist" + forward + "it is due at the first moment after that, 03:00"}},
		{clocks("30 2 * * *", "Europe/Berlin", "after", ""), spring, []string{"01:00:00Z gap: 02:30 does not exist" + forward + "it is due at the first moment after that, 03:00"}},
		{clocks("30 2 * * *", "Europe/Berlin", "before", ""), spring, []string{"00:59:59Z gap: 02:30 does not exist" + forward + "it is due at the last second before that, 01:59:59"}},
		{clocks("30 2 * * *", "Europe/Berlin", "shift", ""), spring, []string{"01:30:00Z gap: 02:30 does not exist" + forward + "it is due later by as much, at 03:30"}},
		{clocks("30 2 * * *", "Europe/Berlin", "skip", ""), spring, nil},
		{clocks("*/20 2 * * *", "Europe/Berlin", "after", ""), spring, []string{
			"01:00:00Z gap: 02:00 to 02:40 do not exist" + forward + "it is due at the first moment after that, 03:00",
			"01:00:00Z merged: the 3 occurrences of 02:00 to 02:40 are one, because they come to the same moment",
		}},
		{clocks("30 2,3 * * *", "Europe/Berlin", "shift", ""), spring, []string{
			"01:30:00Z gap: 02:30 does not exist" + forward + "it is due later by as much, at 03:30",
			"01:30:00Z merged: the occurrence of 02:30 and that of 03:30 are one, because they come to the same moment",
		}},
		{clocks("0 2,3 * * *", "Europe/Berlin", "", ""), spring, []string{
			"01:00:00Z gap: 02:00 does not exist" + forward + "it is due at the first moment after that, 03:00",
			"01:00:00Z merged: the occurrence of 02:00 and that of 03:00 are one, because they come to the same moment",
		}},
		{clocks("*/20 2 * * *", "Europe/Berlin", "", ""), spring, nil}, // it follows real time
		{clocks("0 9 * * *", "Europe/Berlin", "", ""), spring, nil},
		{clocks("0 3 * * *", "Europe/Berlin", "", ""), spring, nil},
		{clocks("15 2 * * *", "Australia/Lord_Howe", "", ""), "2027-10-02T12:00:00Z",
			[]string{"15:30:00Z gap: 02:15 does not exist on 2027-10-03 in Australia/Lord_Howe, because the clocks go forward from 02:00 to 02:30; it is due at the first moment after that, 02:30"}},
		{clocks("0 12 * * *", "Pacific/Apia", "", ""), "2011-12-30T00:00:00Z",
			[]string{"10:00:00Z gap: 12:00 does not exist on 2011-12-30 in Pacific/Apia, because the clocks go forward from 00:00 to 2011-12-31 00:00; it is due at the first moment after that, 2011-12-31 00:00"}},
		{clocks("30 2 * * *", "Europe/Berlin", "", ""), autumn, []string{"00:30:00Z overlap: " + back + "first"}},
		{clocks("30 2 * * *", "Europe/Berlin", "", "second"), autumn, []string{"01:30:00Z overlap: " + back + "second"}},
		{clocks("30 2 * * *", "Europe/Berlin", "", "both"), autumn, []string{"00:30:00Z overlap: " + back + "first", "01:30:00Z overlap: " + back + "second"}},
		{clocks("0 3 * * *", "Europe/Berlin", "", ""), autumn, nil},
		{clocks("59 1 * * *", "Europe/Berlin", "", ""), autumn, nil},
	} {
		if diff := cmp.Diff(c.want, notes(t, c.p, c.from, 36*time.Hour, "")); diff != "" {
			t.Errorf("%s %+v (-want +got):\n%s", c.p.Cron, c.p.ClockChange, diff)
		}
	}
	for _, c := range []struct{ gap, from, want string }{
		{"after", spring, "01:00:00Z gap: 2027-03-28 时钟从 02:00 拨快到 03:00（Europe/Berlin），当天不存在 02:30；改在跳过后的第一刻 03:00"},
		{"before", spring, "00:59:59Z gap: 2027-03-28 时钟从 02:00 拨快到 03:00（Europe/Berlin），当天不存在 02:30；改在跳过前的最后一秒 01:59:59"},
		{"shift", spring, "01:30:00Z gap: 2027-03-28 时钟从 02:00 拨快到 03:00（Europe/Berlin），当天不存在 02:30；顺延同样的时长，改在 03:30"},
		{"", autumn, "00:30:00Z overlap: 2027-10-31 时钟从 03:00 拨回到 02:00（Europe/Berlin），当天 02:30 出现两次；这是第一次"},
	} {
		got := notes(t, clocks("30 2 * * *", "Europe/Berlin", c.gap, ""), c.from, 36*time.Hour, schema.LangChinese)
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.gap, diff)
		}
	}
}

// A day that a month does not have is noted, and a jitter.
func TestNotesOfMonthsAndJitter(t *testing.T) {
	monthly := func(value int64) *schema.Plan {
		repet := int64(-1)
		return &schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeMonth, PlanValue: &value, PlanRepet: &repet}}
	}
	for _, c := range []struct {
		p    *schema.Plan
		lang schema.Lang
		want []string
	}{
		{monthly(31), "", []string{
			"00:00:00Z clamped: February 2027 has 28 days, so day 28 stands for day 31", "00:00:00Z clamped: April 2027 has 30 days, so day 30 stands for day 31",
		}},
		{monthly(-29), "", []string{"00:00:00Z clamped: February 2027 has 28 days, so day 1 stands for the one 29 days before the last"}},
		{monthly(30), schema.LangChinese, []string{"00:00:00Z clamped: 2027 年 2 月只有 28 天，以 28 日代替 30 日"}},
		{monthly(-28), schema.LangChinese, []string{"00:00:00Z clamped: 2027 年 2 月只有 28 天，以 1 日代替倒数第 29 天"}},
		{monthly(28), "", nil},
		{monthly(0), "", nil},
	} {
		if diff := cmp.Diff(c.want, notes(t, c.p, "2027-01-02T00:00:00Z", 120*24*time.Hour, c.lang)); diff != "" {
			t.Errorf("%d (-want +got):\n%s", *c.p.PlanValue, diff)
		}
	}
	late := &schema.Plan{Schedule: schema.Cron("@every 1h", "").Times(1)}
	late.Jitter = 2.5
	if diff := cmp.Diff([]string{"01:00:00Z jitter: begins up to 2.5 seconds later, at random"}, notes(t, late, "2027-01-01T00:00:00Z", 2*time.Hour, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"01:00:00Z jitter: 随机推迟，最多 2.5 秒"}, notes(t, late, "2027-01-01T00:00:00Z", 2*time.Hour, schema.LangChinese)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An occurrence whose expression does not name its local time has a note with the reason, in each
// zone, under each choice.
func TestEachUnusualTimeHasItsNote(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range []string{"after", "before", "shift"} {
			for _, overlap := range []string{"first", "second", "both"} {
				for hour := range 4 {
					p := clocks("15 "+string(rune('0'+hour))+" * * *", zone, gap, overlap)
					s, err := calendar.Compile(calendar.SpecOf(p), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
					if err != nil {
						t.Fatal(err)
					}
					for due, ok := s.Next(calendar.Due{}, time.Time{}); ok && due.At.Year() < 2029; due, ok = s.Next(due, time.Time{}) {
						local := due.At.In(place)
						moved, twice := local.Hour() != hour || local.Minute() != 15, isTwice(local)
						kinds := ""
						for _, n := range describe.Notes(p, s, due.At, "") {
							kinds += string(n.Kind)
						}
						if want := map[bool]string{true: "gap"}[moved] + map[bool]string{true: "overlap"}[twice && !moved]; kinds != want {
							t.Fatalf("%s at %d:15, %s, %s: %s has notes %q, want %q", zone, hour, gap, overlap, local, kinds, want)
						}
					}
				}
			}
		}
	}
}

// isTwice reports that a clock shows a time again within a day.
func isTwice(local time.Time) bool {
	reading := local.Format(time.DateTime)
	for minutes := 15; minutes <= 180; minutes += 15 {
		span := time.Duration(minutes) * time.Minute
		if local.Add(span).Format(time.DateTime) == reading || local.Add(-span).Format(time.DateTime) == reading {
			return true
		}
	}
	return false
}

// An occurrence to which a calendar moves others has a note about them, in both languages.
func TestNotesOfWhatACalendarMerges(t *testing.T) {
	made, err := exclude.New(&schema.Calendar{CalendarID: "free", Days: []schema.CalendarDay{
		{Date: "2026-12-25", Until: "2026-12-26"}, {Date: "2027-01-01"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var set exclude.Set
	set.Put("free", made)
	start := time.Date(2026, 12, 24, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		cron string
		lang schema.Lang
		want []string
	}{
		{"0 9 * * *", "", []string{
			"2026-12-27 merged: 2 occurrences of 2026-12-25 09:00 to 2026-12-26 09:00, which free moves here, are one with it",
			"2027-01-02 merged: the occurrence of 2027-01-01 09:00, which free moves here, is one with it",
		}},
		{"0 9 25,26 * *", "", []string{ // none is due on the day to which both move
			"2026-12-27 merged: the occurrence of 2026-12-26 09:00, which free moves here, is one with it",
		}},
		{"0 9 25 * *", "", nil},
		{"0 9 1,2 * *", schema.LangChinese, []string{"2027-01-02 merged: 日历 free 将 2027-01-01 09:00 的触发移到此刻，两者合为一次"}},
	} {
		p := clocks(c.cron, "Europe/Berlin", "", "")
		p.Exclude, p.Excluded = []string{"free"}, schema.ExcludedNext
		s, err := calendar.Compile(calendar.SpecOf(p), start)
		if err != nil {
			t.Fatal(err)
		}
		s = set.Apply(s, p)
		var got []string
		for due, ok := s.Next(calendar.Due{}, start); ok && due.At.Before(start.AddDate(0, 0, 10)); due, ok = s.Next(due, start) {
			if n, is := describe.Merged(p, s, due.At, c.lang); is {
				got = append(got, due.At.Format("2006-01-02 ")+string(n.Kind)+": "+n.Text)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.cron, diff)
		}
	}
}
