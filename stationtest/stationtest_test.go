package stationtest_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/stationtest"
	"github.com/stationmaster-io/stationmaster/worker"
)

func nothing(context.Context, *worker.Execution) (any, error) { return nil, nil }

// Each due time between two calls of At is met, also where the scheduler is stopped in between.
func TestEveryDueTimeIsMet(t *testing.T) {
	stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
		s.At("2027-03-20T00:00:00Z")
		s.Plan(&schema.Plan{Station: "hello", PlanID: "daily", Command: "greet", Schedule: schema.Cron("30 2 * * *", "Europe/Berlin")})
		s.Handle("hello", "greet", nothing)
		s.At("2027-03-30T00:00:00Z")
		results := s.Results("hello", "daily")
		if len(results) != 10 {
			t.Errorf("%d results, want 10", len(results))
		}
		for i, r := range results {
			if late := r.ExecTime.Sub(r.PlanTime); r.State != schema.StateOK || r.Occurrence != int64(i+1) || late > time.Second {
				t.Errorf("occurrence %d %s, %v late", r.Occurrence, r.State, late)
			}
		}
	})
}

// At waits for due occurrences, also for a handler that takes long, and not for a retry.
func TestAtWaitsForHandlers(t *testing.T) {
	stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
		s.At("2027-01-01T00:00:00Z")
		s.Handle("hello", "slow", func(context.Context, *worker.Execution) (any, error) {
			time.Sleep(10 * time.Minute)
			return nil, nil
		})
		s.Handle("hello", "fails", func(context.Context, *worker.Execution) (any, error) { return nil, errors.New("no") })
		at := schema.At(time.Date(2027, 1, 1, 1, 0, 0, 0, time.UTC))
		hour := schema.Retry{Strategy: schema.RetryFixed, Interval: schema.Within(time.Hour), Jitter: new(float64)}
		s.Plan(&schema.Plan{Station: "hello", PlanID: "slow", Command: "slow", Schedule: at})
		s.Plan(&schema.Plan{Station: "hello", PlanID: "fails", Command: "fails", Schedule: at, Policy: schema.Policy{Retry: &hour}})
		s.Plan(&schema.Plan{Station: "empty", PlanID: "p", Command: "c", Schedule: at}) // no worker is there
		s.At("2027-01-01T01:00:00Z")
		if r := s.Results("hello", "slow"); len(r) != 1 || r[0].State != schema.StateOK {
			t.Errorf("results of the slow one: %+v", r)
		}
		if r := s.Results("hello", "fails"); len(r) != 1 || r[0].State != schema.StateError {
			t.Errorf("results of the one that fails: %+v", r)
		}
		s.At("2027-01-01T02:00:30Z")
		if r := s.Results("hello", "fails"); len(r) != 2 || r[1].Attempt != 2 {
			t.Errorf("results after its retry: %+v", r)
		}
	})
}

// Stations of each kind have the worker of the test, whichever comes first.
func TestStationsOfEachKind(t *testing.T) {
	stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
		s.At("2027-01-01T00:00:00Z")
		kinds := []schema.Kind{schema.KindAPI, schema.KindPull, schema.KindVote, schema.KindPub}
		var got []string
		for i, kind := range kinds {
			station := string(kind)
			put := func() { s.Station(&schema.Station{Station: station, Kind: kind}) }
			if i%2 == 0 {
				put()
			}
			s.Handle(station, "c", func(_ context.Context, x *worker.Execution) (any, error) {
				got = append(got, x.Station)
				return nil, nil
			})
			if i%2 == 1 {
				put()
			}
			p := s.Plan(&schema.Plan{Station: station, PlanID: "p", Command: "c", Schedule: schema.Once()})
			s.At("2027-01-01T00:00:00Z")
			if _, err := p.Get(t.Context()); !errors.Is(err, client.ErrNotFound) {
				t.Errorf("%s: the plan has not ended: %v", kind, err)
			}
		}
		if want := []string{"api", "pull", "vote", "pub"}; !slices.Equal(got, want) {
			t.Errorf("executions at %v, want %v", got, want)
		}
	})
}

// A program under test has its own worker and client.
func TestAProgramOfItsOwn(t *testing.T) {
	stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
		s.At("2027-01-01T00:00:00Z")
		w, err := worker.New(s.Conn(), worker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Handle("own", "c", nothing)
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		defer w.Stop() //nolint:errcheck // the test ends
		s.Plan(&schema.Plan{Station: "own", PlanID: "p", Command: "c", Schedule: schema.Cron("*/10 * * * *", "")})
		s.At("2027-01-01T00:30:01Z")
		if _, err := s.Client().Plan("own", "p").Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.At("2027-01-01T01:00:01Z")
		ok := 0
		for _, r := range s.Results("own", "p") {
			if r.State == schema.StateOK {
				ok++
			}
		}
		if ok != 3 {
			t.Errorf("%d executions, want 3, before the pause", ok)
		}
	})
}
