package ahead_test

import (
	"math/rand/v2"
	"sort"
	"testing"
	"time"

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
	if err := cells.Add(dues.Groups, plans); err != nil {
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
