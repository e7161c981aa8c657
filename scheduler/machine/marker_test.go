package machine

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// Rows that are back in the bucket, with their markers behind them, leave nothing, and the leader
// has nothing to write about them. Markers without rows do the same.
func TestMarkersMakeRowsVoid(t *testing.T) {
	x := newLibrary(t, 0)
	x.create(`{"station":"s","plan_id":"p","command":"c","plan_type":"second","plan_value":5,"plan_repet":-1}`)
	x.store()
	plan, state := x.bucket[storage.PlanKey("s", "p")], x.bucket[storage.StateKey("s", "p")]
	if len(plan) == 0 || len(state) == 0 {
		t.Fatal("the plan is not in the bucket")
	}
	type row struct {
		key   string
		value []byte
	}
	station, calendar := storage.StationKey("s"), storage.CalendarKey("c")
	for name, rows := range map[string][]row{
		"both are back":          {{storage.PlanKey("s", "p"), plan}, {storage.StateKey("s", "p"), state}},
		"the definition is back": {{storage.PlanKey("s", "p"), plan}},
		"the state is back":      {{storage.StateKey("s", "p"), state}},
		"a station is back":      {{station, []byte(`{"station":"s","max_concurrency":1}`)}},
		"a calendar is back":     {{calendar, []byte(`{"calendar_id":"c","days":[{"weekday":"sat"}]}`)}},
		"none is back":           nil,
	} {
		t.Run(name, func(t *testing.T) {
			m := New(config)
			for _, r := range rows {
				if err := m.ReplayBucket(r.key, r.value); err != nil {
					t.Fatal(err)
				}
			}
			for _, key := range []string{storage.PlanKey("s", "p"), storage.StateKey("s", "p"), station, calendar, "padding.0"} {
				if err := m.ReplayBucket(key, nil); err != nil {
					t.Fatal(err)
				}
			}
			if incomplete := m.Lead(time.Now(), 1, time.Now()); len(incomplete) > 0 {
				t.Errorf("%v are incomplete", incomplete)
			}
			plans, _ := m.Stats()
			if plans != 0 || len(m.part.Plans) != 0 || len(m.part.Stations) != 0 || len(m.part.Calendars.Rows) != 0 || m.Unwritten() != 0 {
				t.Errorf("%d plans, %d stations, %d calendars, and %d rows to write are left", plans, len(m.part.Stations), len(m.part.Calendars.Rows), m.Unwritten())
			}
		})
	}
}
