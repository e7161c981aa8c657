package machine

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A follower that takes over goes on with the counts of its leader, with results from their rows
// and plans as they are.
func TestASuccessorHasTheCountsOfItsLeader(t *testing.T) {
	x := newBench(t)
	var rows []event.Row
	do := func(ev event.Event) {
		x.step(ev)
		rows = append(rows, x.rows()...)
	}
	for _, plan := range []string{
		`{"plan_id":"once","station":"s","command":"c","plan_type":"none"}`,
		`{"plan_id":"often","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`,
		`{"plan_id":"rests","station":"t","command":"c","plan_type":"hour","plan_value":1,"plan_repet":-1}`,
	} {
		do(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(x, plan)}})
	}
	for range 3 {
		x.now = x.now.Add(time.Second)
		do(event.Tick{})
	}
	do(event.Ask{From: "user", What: command.PausePlan{Name: schema.PlanName{Station: "t", PlanID: "rests"}}})
	do(event.Ask{From: "user", What: command.RemovePlan{Name: schema.PlanName{Station: "s", PlanID: "once"}}})
	x.now = x.now.Add(90 * time.Second)
	do(event.Tick{})

	y := newBench(t)
	y.m, y.now = New(config), x.now
	y.follow(rows)
	for _, m := range []*Machine{x.m, y.m} {
		m.Lead(x.now, 2, x.now)
		if differ := append(m.Audit(x.now), AuditCounts(m)...); len(differ) > 0 {
			t.Errorf("what differs is %v", differ)
		}
	}
	if at := y.m.Counts().Differs(x.m.Counts()); at != "" || x.m.Counts().Plans != y.m.Counts().Plans || x.m.Counts().All.Waiting != y.m.Counts().All.Waiting {
		t.Errorf("the counts of %s differ: %+v and %+v", at, x.m.Counts(), y.m.Counts())
	}
	for _, z := range []*bench{x, y} {
		s := z.stats("s")
		if s.Plans != 1 || s.UnderWay != 1 || s.Results["1h"].States[schema.StateCancelled] != 1 || s.Results["1h"].Reasons[schema.ReasonPast]+s.Results["1h"].Reasons[schema.ReasonOverlap] == 0 {
			t.Errorf("the station counts %+v", s)
		}
		if s := z.stats("nowhere"); s.Plans != 0 || s.Results["1h"].States == nil || len(s.Results["1h"].States) != 0 {
			t.Errorf("a station that was never used counts %+v", s)
		}
	}
}

// stats are the counters of a station.
func (x *bench) stats(station string) schema.StationStats {
	x.Helper()
	a := x.last(x.step(event.Ask{From: "user", What: command.ListStations{Used: true, Station: station}})).(event.Answer)
	return a.Body.(command.StationSlice).Used[0].Stats
}

// Stations in use are listed with those that were put, page by page.
func TestStationsInUseAreListed(t *testing.T) {
	x := newBench(t)
	x.station(`{"station":"b","kind":"pull"}`)
	for _, station := range []string{"a", "b", "c", "c.d"} {
		x.create(`{"plan_id":"p","station":"` + station + `","command":"c","plan_type":"none"}`)
		x.create(`{"plan_id":"q","station":"` + station + `","command":"c","plan_type":"none"}`)
	}
	x.station(`{"station":"e"}`)
	var got []string
	for c := (command.ListStations{Used: true, Limit: 2}); ; {
		slice := x.last(x.step(event.Ask{From: "user", What: c})).(event.Answer).Body.(command.StationSlice)
		for _, u := range slice.Used {
			got = append(got, u.Station.Station)
			if put := u.Station.Station == "b" || u.Station.Station == "e"; u.Put != put || put == (u.Station.Kind == "") && u.Station.Station == "b" {
				t.Errorf("%+v", u)
			}
			if u.Station.Station == "b" && (u.Stats.Waiting[schema.WaitClaim] != 2 || u.Stats.OldestWait.IsZero()) {
				t.Errorf("what waits for claims: %+v", u.Stats)
			}
		}
		if !slice.More {
			break
		}
		c.After = got[len(got)-1]
	}
	if want := "[a b c c.d e]"; len(got) != 5 || got[0] != "a" || got[4] != "e" {
		t.Errorf("listed are %v, want %s", got, want)
	}
}
