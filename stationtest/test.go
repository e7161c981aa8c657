package stationtest

import (
	"iter"
	"slices"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// At lets fake time pass until a moment in RFC 3339, and then until all that fell due up to it
// has ended at the handlers of the test, so that time.Now may be later. A retry that is due later
// is not waited for, nor is an execution of a station without a handler. The first At sets when
// the installation begins; without one that is 2000-01-01T00:00:00Z. A moment before an earlier
// one fails the test.
func (s *Server) At(moment string) {
	s.t.Helper()
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil {
		s.t.Fatalf("stationtest: At takes a time of RFC 3339, such as 2027-02-01T00:00:00Z: %v", err)
	}
	switch {
	case !s.latest.IsZero() && at.Before(s.latest):
		s.t.Fatalf("stationtest: At %s comes after At %s", moment, s.latest.Format(time.RFC3339Nano))
	case s.ns == nil && at.Before(time.Now()):
		s.t.Fatalf("stationtest: At %s lies before %s, when fake time begins", moment, time.Now().UTC().Format(time.RFC3339))
	}
	if s.latest = at; s.ns == nil {
		time.Sleep(time.Until(at.Add(-ahead)))
	}
	s.begin()
	s.passTo(at)
	s.settle(at)
	synctest.Wait() // results are stored
}

// Plan creates a plan, and returns its handle. A plan that is refused fails the test.
func (s *Server) Plan(plan *schema.Plan) client.Plan {
	s.t.Helper()
	s.begin()
	created, err := s.client.Plans().Create(s.t.Context(), *plan)
	if err != nil {
		s.t.Fatalf("stationtest: create plan %s/%s: %v", plan.Station, plan.PlanID, err)
	}
	return s.client.Plan(created.Station, created.PlanID)
}

// Station puts a station. A refusal fails the test.
func (s *Server) Station(station *schema.Station) {
	s.t.Helper()
	s.begin()
	if _, err := s.client.Stations().Put(s.t.Context(), *station); err != nil {
		s.t.Fatalf("stationtest: put station %s: %v", station.Station, err)
	}
	if s.handles(station.Station) { // the worker serves it by its kind
		s.rest()
		s.work()
	}
}

// Handle has a worker of the test handle a command of a station from now on; it claims where the
// station is of kind pull. All handlers belong to one worker, which runs 64 executions at once. It
// panics where [worker.Worker.Handle] does.
func (s *Server) Handle(station, command string, handle worker.Handler, options ...worker.HandleOption) {
	s.t.Helper()
	s.handlers = append(s.handlers, registration{station, command, handle, options})
	if s.running == nil {
		s.begin()
		return
	}
	s.rest()
	s.work()
}

// Results returns the results of a plan so far, in their order: executions that ended and
// occurrences that were skipped. None is lost to age or number.
func (s *Server) Results(station, planID string) []schema.Result {
	s.t.Helper()
	s.begin()
	synctest.Wait() // the last one is stored
	var results []schema.Result
	for r, err := range s.client.Plan(station, planID).Runs(s.t.Context(), schema.ListRuns{}) {
		if err != nil {
			s.t.Fatalf("stationtest: results of %s/%s: %v", station, planID, err)
		}
		if !r.EndTime.IsZero() {
			results = append(results, r)
		}
	}
	slices.Reverse(results)
	return results
}

// Client returns a client of the installation, which belongs to the server.
func (s *Server) Client() *client.Client {
	s.t.Helper()
	s.begin()
	return s.client
}

// Conn opens a connection to the nats-server, closed when the test ends, such as for a worker of
// the program under test.
func (s *Server) Conn() *nats.Conn {
	s.t.Helper()
	s.begin()
	return s.connect()
}

// plans are all plans. An error fails the test.
func (s *Server) plans() iter.Seq[schema.PlanView] {
	return func(yield func(schema.PlanView) bool) {
		for view, err := range s.client.Plans().All(s.t.Context(), schema.ListPlans{Limit: 1000}) {
			if err != nil {
				s.t.Fatalf("stationtest: list plans: %v", err)
			}
			if !yield(view) {
				return
			}
		}
	}
}
