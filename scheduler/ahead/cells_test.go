package ahead_test

import (
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
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
			for _, step := range []string{"1h", "1d"} {
				sameAsPreviews(t, r, zone, step, from)
			}
		}
	}
}

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
	cells, want := ahead.NewCells(bounds, bounds[0], "", set), make([]int64, len(bounds)-1)
	plans, noted := int64(0), int64(0)
	for plans < 1000 {
		p := randomPlan(r, bounds[0])
		if p.Timezone != "" {
			p.Timezone = zone
		}
		p.Station, p.PlanID = "news", "p"
		previewed, err := ahead.Preview(p, &schema.Preview{From: bounds[0]}, 1000, set)
		if err != nil {
			continue // it has no time
		}
		v, err := wire.ValueOf(wire.JSON, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := cells.Add(command.PlanView{PlanView: schema.PlanView{Plan: v}}); err != nil {
			t.Fatal(err)
		}
		plans++
		if p.PlanType == schema.TypeMinute && *p.PlanValue == 0 {
			continue
		}
		for _, o := range previewed.Occurrences {
			if i := sort.Search(len(bounds), func(i int) bool { return bounds[i].After(o.PlanTime) }) - 1; i < len(want) {
				want[i]++
			}
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
