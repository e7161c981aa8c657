package presence

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A version arrives with its first worker at a station whose workers had another; not with a worker
// that was there already, of which a new leader hears, and not when workers come back as they were.
func TestAVersionArrivesWithItsFirstWorker(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	here := func(id, station, version string) { r.Here(schema.Worker{WorkerID: id, Version: version}, station, now) }
	want := func(what string, versions ...string) {
		t.Helper()
		var got []string
		for _, a := range r.Arrivals("") {
			got = append(got, a.Station+" "+a.Version)
		}
		if diff := cmp.Diff(versions, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	later := func(d time.Duration) { now = now.After(d) }
	here("a", "mail", "v1")
	here("b", "mail", "v2")
	here("silent", "mail", "")
	want("what was there already")
	later(AbsentAfter)
	here("a", "mail", "v1")
	here("c", "mail", "v2")
	here("d", "mail", "v3")
	here("e", "mail", "v3")
	here("p", "print", "v9")
	want("a new one at one station", "mail v3")
	r.Left("d", "mail", now)
	r.Left("e", "mail", now)
	later(time.Hour)
	here("e", "mail", "v3")
	want("all left, and one came back", "mail v3")
	r.Record(schema.Worker{WorkerID: "r", Version: "v2", Stations: []string{"mail", "print"}}, now)
	want("a record tells an older one, which is back", "mail v3", "mail v2", "print v2")
	later(missedAfter)
	here("e", "mail", "v3")
	here("p", "print", "v9")
	want("a network that was away", "mail v3", "mail v2", "print v2", "print v9")
	later(missedAfter + 1)
	r.SetBack(now.After(-time.Hour))
	now = now.After(-time.Hour)
	here("e", "mail", "v3")
	want("a clock that went back", "mail v3", "mail v2", "print v2", "print v9")
	if at := r.Arrivals("mail"); len(at) != 2 || at[0].At.Time().Minute() != 0 || at[0].At.Time().Second() != 30 {
		t.Errorf("at mail there are %v", at)
	}
}

// However many versions and stations there are, few are kept.
func TestVersionsAreBounded(t *testing.T) {
	r, now := New(true), unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r.Here(schema.Worker{WorkerID: "first", Version: "v"}, "mail", now)
	now = now.After(AbsentAfter)
	for i := range 2 * mostVersioned {
		id := fmt.Sprint(i)
		r.Here(schema.Worker{WorkerID: id, Version: "v" + id}, "mail", now)
		r.Here(schema.Worker{WorkerID: id, Version: "v" + id}, "at"+id, now)
	}
	if s := r.versions.of["mail"]; len(s.noted) != mostVersions || s.noted[mostVersions-1].version != "v3999" {
		t.Errorf("mail has the versions %v", s.noted)
	}
	if len(r.versions.of) != mostVersioned {
		t.Errorf("%d stations have versions", len(r.versions.of))
	}
	if all := r.Arrivals(""); len(all) != mostArrivals || all[mostArrivals-1].Version != "v3999" {
		t.Errorf("kept are %v", all)
	}
}
