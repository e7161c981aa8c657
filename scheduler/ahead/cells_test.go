package ahead_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each cell has as many occurrences as previews of its plans have there, in the weeks of changes of
// clocks, with calendars.
func TestCellsCountWhatPreviewsShow(t *testing.T) {
	for zone, days := range map[string][]string{
		"Europe/Berlin": {"2027-03-26", "2027-10-29"}, "Australia/Lord_Howe": {"2027-04-02", "2027-10-01"}, "Pacific/Apia": {"2011-12-28"},
	} {
		for i, day := range days {
			from, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(uint64(i), 40))
			sameAsPreviews(t, r, zone, []string{"1h", "1d"}[i], from)
			sameAsPreviews(t, r, zone, []string{"1d", "1h"}[i], from)
		}
	}
}

// mostOfTwoWeeks is how many occurrences the schedules have in two weeks at most.
const mostOfTwoWeeks = 700

func sameAsPreviews(t *testing.T, r *rand.Rand, zone, step string, from time.Time) {
	t.Helper()
	location, err := schema.LoadZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	set := &exclude.Set{}
	for _, id := range []string{"a", "b"} {
		made, err := exclude.New(randomCalendar(r, id))
		if err != nil {
			t.Fatal(err)
		}
		set.Put(id, made)
	}
	bounds := ahead.Bounds(from, from.AddDate(0, 0, 7), step, location)
	cells, want := ahead.NewCells(bounds, bounds[0], ""), make([]int64, len(bounds)-1)
	dues := view.NewDues(cells.Span())
	plans, noted := int64(0), int64(0)
	for plans < 100 { // of ten weeks
		p := randomPlan(r, bounds[0])
		if plans == 0 {
			p = &schema.Plan{Schedule: schema.Cron("*/10 1,2 * * *", zone)} // which each change concerns
		}
		if p.Timezone != "" {
			p.Timezone = zone
		}
		p.Station, p.PlanID, p.Command = "news", "p", "c"
		accepted := bounds[0]
		if r.IntN(4) > 0 {
			accepted = accepted.Add(-time.Duration(r.IntN(100)) * time.Hour)
		}
		previewed, err := ahead.Preview(p, &schema.Preview{From: accepted}, mostOfTwoWeeks, set)
		if err != nil {
			continue // it has no time
		}
		plans++
		dues.Add(tableOf(t, p, accepted, set), unit.MomentOf(bounds[0]))
		if p.PlanType == schema.TypeMinute && *p.PlanValue == 0 {
			continue
		}
		for _, o := range previewed.Occurrences {
			if i := sort.Search(len(bounds), func(i int) bool { return bounds[i].After(o.PlanTime) }) - 1; i >= 0 && i < len(want) {
				want[i]++
			}
		}
	}
	if err := cells.Add(dues.Groups, plans, 0); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		if more, err = cells.Count(set); err != nil {
			t.Fatal(err)
		}
	}
	got := cells.Counted(zone, step, false)
	if got.Plans != plans || got.Sampled || len(got.Cells) != len(want) {
		t.Fatalf("%s: %d plans, sampled %v, %d cells; want %d, false, %d", zone, got.Plans, got.Sampled, len(got.Cells), plans, len(want))
	}
	for i, c := range got.Cells {
		if c.Count != want[i] {
			t.Errorf("%s %s: %d in the cell from %s, and previews show %d", zone, step, c.Count, c.From, want[i])
		}
		noted += int64(len(c.Notes))
	}
	if noted == 0 {
		t.Errorf("%s: no cell has a note about the change of clocks", zone)
	}
}

// tableOf is a plan as the leader's table has it.
func tableOf(t *testing.T, p *schema.Plan, accepted time.Time, set *exclude.Set) *state.Plan {
	t.Helper()
	v, err := wire.ValueOf(wire.JSON, p)
	if err != nil {
		t.Fatal(err)
	}
	d := &schema.Definition{Plan: *p, Enc: wire.JSON, Raw: v.Raw()}
	row := &state.Plan{Name: schema.PlanName{Station: p.Station, PlanID: p.PlanID}, Station: news, Record: state.Record{Accepted: unit.MomentOf(accepted)}}
	if err := row.Define(d, set); err != nil {
		t.Fatal(err)
	}
	row.LookAhead(unit.MomentOf(accepted))
	return row
}

var news = &state.Station{}

// Of more than ten thousand schedules a part is counted, and the rest is estimated from it. Plans
// with intervals are none of them.
func TestOfManySchedulesCellsAreASample(t *testing.T) {
	from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	count := func(schedules int, cells *ahead.Cells) *schema.DueCalendar {
		var groups []command.DueGroup
		for i := range schedules {
			plan := fmt.Sprintf(`{"plan_type":"cron","cron":"%d %d %d * * *"}`, i%60, i/60%60, i/3600%24)
			groups = append(groups, command.DueGroup{Station: "s", Plans: 1, Plan: wire.Trust(wire.JSON, []byte(plan)), Accepted: from.AddDate(-1, 0, 0)})
		}
		for i := range 100_000 {
			first := from.Unix() + int64(i%3600)
			groups = append(groups, command.DueGroup{Station: "often", Plans: 1, First: first, Last: first + 23*3600, Step: 3600})
		}
		if err := cells.Add(groups, int64(len(groups)), 1); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			var err error
			if more, err = cells.Count(nil); err != nil {
				t.Fatal(err)
			}
		}
		return cells.Counted("UTC", "1d", false)
	}
	bounds := ahead.Bounds(from, from.AddDate(0, 0, 2), "1d", time.UTC)
	if got := count(10_000, ahead.NewCells(bounds, from, "")); got.Sampled || got.Cells[1].Count != 10_000 || got.Cells[0].Count != 2_410_000 {
		t.Errorf("of 10,000 schedules: sampled %v, %d and %d", got.Sampled, got.Cells[0].Count, got.Cells[1].Count)
	}
	got := count(40_000, ahead.NewCells(bounds, from, ""))
	if n := got.Cells[1].Count; !got.Sampled || got.Plans != 140_000 || n < 39_999 || n > 40_001 || got.Cells[0].Top[0] != (schema.DueStation{Station: "often", Count: 2_400_000}) {
		t.Errorf("of 40,000 schedules: sampled %v, %d plans, %d, top %v", got.Sampled, got.Plans, n, got.Cells[0].Top)
	}
}

// Of a sample of the plans each stands for those that were not looked at.
func TestCellsOfASampleOfPlans(t *testing.T) {
	from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	cells := ahead.NewCells(ahead.Bounds(from, from.AddDate(0, 0, 1), "1d", time.UTC), from, "")
	plan := wire.Trust(wire.JSON, []byte(`{"plan_type":"cron","cron":"0 */6 * * *","exclude":["noon"]}`))
	if err := cells.Add([]command.DueGroup{
		{Station: "often", Plans: 3, First: from.Unix(), Last: from.Unix() + 3600, Step: 3600},
		{Station: "s", Plans: 2, Plan: plan, Accepted: from.AddDate(-1, 0, 0)},
	}, 7, 10); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		var err error
		if more, err = cells.Count(nil); err != nil {
			t.Fatal(err)
		}
	}
	got := cells.Counted("UTC", "1d", false)
	want := []schema.DueStation{{Station: "s", Count: 4 * 20}, {Station: "often", Count: 2 * 30}}
	if !got.Sampled || got.Plans != 70 || got.Cells[0].Count != 140 || !slices.Equal(got.Cells[0].Top, want) {
		t.Errorf("%+v", got)
	}
}

// Cells begin at the full hours and midnights that clocks show, and where these show none, at the
// first moment of the day.
func TestBoundsFollowTheClock(t *testing.T) {
	for _, c := range []struct{ zone, from, until, step, want string }{
		{"Europe/Berlin", "2027-03-27T23:30:00Z", "2027-03-28T02:30:00Z", "1h", "00:00+01:00 01:00+01:00 03:00+02:00 04:00+02:00 05:00+02:00"},
		{"Europe/Berlin", "2027-10-30T12:00:00Z", "2027-11-01T00:00:00Z", "1d", "00:00+02:00 00:00+02:00 00:00+01:00 00:00+01:00"},
		{"Australia/Lord_Howe", "2027-04-03T14:00:00Z", "2027-04-03T16:00:00Z", "1h", "01:00+11:00 01:30+10:30 02:00+10:30 03:00+10:30"},
		{"Asia/Beirut", "2027-03-27T00:00:00Z", "2027-03-29T00:00:00Z", "1d", "00:00+02:00 01:00+03:00 00:00+03:00 00:00+03:00"},
		{"Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-31T00:00:00Z", "1d", "00:00-10:00 00:00+14:00 00:00+14:00"},
	} {
		zone, err := schema.LoadZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at := func(text string) time.Time { when, _ := time.Parse(time.RFC3339, text); return when }
		var got []string
		for _, b := range ahead.Bounds(at(c.from), at(c.until), c.step, zone) {
			got = append(got, b.Format("15:04-07:00"))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s; want %s", c.zone, got, c.want)
		}
	}
}
