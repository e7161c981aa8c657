package stationtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/stationtest"
	"github.com/stationmaster-io/stationmaster/worker"
)

const begin = "2027-03-27T12:00:00Z"

// seconds is a plan that is due every so many seconds from begin on.
func seconds(station, id string, every, repetitions int64) *schema.Plan {
	at, err := time.Parse(time.RFC3339, begin)
	if err != nil {
		panic(err)
	}
	return &schema.Plan{
		Station: station, PlanID: id, Command: "c",
		Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &every, PlanRepet: &repetitions, PlanTime: at},
	}
}

// comparedPlans are plans of seconds under many policies.
func comparedPlans() (stations []*schema.Station, plans []*schema.Plan) {
	one, two := int64(1), int64(2)
	stations = []*schema.Station{
		{Station: "api"}, {Station: "pull", Kind: schema.KindPull}, {Station: "full", Policy: schema.Policy{MaxConcurrency: &one}},
	}
	add := func(station, id string, every, repetitions int64, policy schema.Policy) *schema.Plan {
		p := seconds(station, id, every, repetitions)
		p.Policy = policy
		plans = append(plans, p)
		return p
	}
	for _, station := range []string{"api", "pull"} {
		add(station, "default", 2, 9, schema.Policy{})
		for _, overlap := range []schema.WhenBusy{schema.BusySkip, schema.BusyQueue, schema.BusyCancelPrev, schema.BusyParallel, schema.BusyAllow} {
			add(station, string(overlap), 2, 9, schema.Policy{Overlap: overlap})
		}
		add(station, "concurrency-skip", 1, 9, schema.Policy{Overlap: schema.BusyAllow, MaxConcurrency: &two, Concurrency: schema.FullSkip})
		add(station, "concurrency-queue", 1, 9, schema.Policy{Overlap: schema.BusyAllow, MaxConcurrency: &two})
		add(station, "settled", 0, 4, schema.Policy{})
		add(station, "timeout", 20, 2, schema.Policy{ExecTimeout: schema.Within(time.Second)})
		add(station, "paused", 5, 6, schema.Policy{}).Paused = true
		add(station, "none", 1, 1, schema.Policy{}).Schedule = schema.Once()
		retry := schema.Retry{Strategy: schema.RetryFixed, Interval: schema.Within(2 * time.Second), MaxErrorCount: &two, Jitter: new(float64)}
		add(station, "fails", 30, 2, schema.Policy{Retry: &retry})
	}
	for i := range 3 {
		add("full", fmt.Sprintf("room-%d", i), 4, 4, schema.Policy{Overlap: schema.BusyAllow})
		add("full", fmt.Sprintf("skip-%d", i), 4, 4, schema.Policy{Overlap: schema.BusyAllow, Concurrency: schema.FullSkip})
	}
	for _, excluded := range []schema.WhenExcluded{schema.ExcludedSkip, schema.ExcludedNext, schema.ExcludedPrevious} {
		p := add("api", "excluded-"+string(excluded), 7, 16, schema.Policy{})
		p.Exclude, p.Excluded = []string{comparedCalendar.CalendarID}, excluded
		p = add("pull", "only-"+string(excluded), 7, 16, schema.Policy{Overlap: schema.BusyAllow})
		p.Only, p.Excluded = []string{comparedCalendar.CalendarID}, excluded
	}
	add("api", "follows", 0, 3, schema.Policy{}).Exclude = []string{comparedCalendar.CalendarID}
	return stations, plans
}

// comparedCalendar holds the first minute.
var comparedCalendar = &schema.Calendar{CalendarID: "first", Windows: []schema.CalendarWindow{{From: "12:00", To: "12:01"}}}

// took is how long each execution takes. It is longer than intervals, and divides none.
const took = 3300 * time.Millisecond

// Plans of seconds have the same occurrences, states and reasons on a real server and in a
// simulation. Those of plan "fails" fail, there by a simulation of their own.
func TestASimulationIsAsOnAServer(t *testing.T) {
	stations, plans := comparedPlans()
	real := map[string][]string{}
	stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
		s.At(begin)
		if _, err := s.Client().Calendars().Put(t.Context(), *comparedCalendar); err != nil {
			t.Fatal(err)
		}
		for _, station := range stations {
			s.Station(station)
			s.Handle(station.Station, "c", func(ctx context.Context, x *worker.Execution) (any, error) {
				select {
				case <-time.After(took):
				case <-ctx.Done():
				}
				if x.PlanID == "fails" {
					return nil, errors.New("it fails")
				}
				return nil, nil
			})
		}
		for _, p := range plans {
			s.Plan(p)
		}
		s.At("2027-03-27T12:02:00Z")
		for _, p := range plans {
			for _, r := range s.Results(p.Station, p.PlanID) {
				name := p.Station + "/" + p.PlanID
				real[name] = append(real[name], line(r.Occurrence, r.Attempt, r.State, r.Reason, max(r.Count, 1)))
			}
		}
	})
	for name, got := range simulated(t, stations, plans) {
		want := real[name]
		slices.Sort(want) // of one moment either may be first
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-server +simulation):\n%s", name, diff)
		}
	}
}

func line(occurrence, attempt int64, state schema.State, reason schema.Reason, count int64) string {
	return fmt.Sprintf("%03d.%d %s %s %d", occurrence, attempt, state, reason, count)
}

// simulated are the results of the plans in a simulation, by plan.
func simulated(t *testing.T, stations []*schema.Station, plans []*schema.Plan) map[string][]string {
	t.Helper()
	from, err := time.Parse(time.RFC3339, begin)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string][]string{}
	run := func(fail float64, takes func(*schema.Plan) bool) {
		source := &simulate.Source{Stations: stations, Calendars: []*schema.Calendar{comparedCalendar}}
		for _, p := range plans {
			v, err := wire.ValueOf(wire.JSON, p)
			if err != nil {
				t.Fatal(err)
			}
			d, err := schema.ParsePlan(v, schema.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if takes(p) {
				source.Plans = append(source.Plans, simulate.Plan{Definition: d})
			}
		}
		if _, err := simulate.Run(t.Context(), source, simulate.Options{
			From: from, Until: from.Add(2 * time.Minute), Fail: fail,
			Take: simulate.Take{Default: &simulate.Spread{Least: took, Most: took}},
		}, func(r *simulate.Result) error {
			name := r.Name.String()
			results[name] = append(results[name], line(r.Occurrence, r.Attempt, r.State, r.Reason, r.Count))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	run(0, func(p *schema.Plan) bool { return p.PlanID != "fails" })
	run(1, func(p *schema.Plan) bool { return p.PlanID == "fails" })
	return results
}
