package stationtest

import (
	"errors"
	"testing/synctest"
	"time"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

const (
	// ahead is how long before a due time the scheduler is started, which needs far less.
	ahead = time.Second
	// shortest and longest bound the wait between two looks at the executions under way.
	shortest = 10 * time.Millisecond
	longest  = time.Minute
)

// work starts the worker of the test's handlers.
func (s *Server) work() {
	s.t.Helper()
	if len(s.handlers) == 0 {
		return
	}
	conn := s.connect()
	stations := map[string]*worker.Station{}
	w, err := worker.New(conn, worker.Options{ID: "stationtest", Logger: s.log()})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range s.handlers {
		if stations[h.station] == nil {
			stations[h.station] = w.Station(h.station, s.optionsAt(h.station)...)
		}
		stations[h.station].Handle(h.command, h.handle, h.options...)
	}
	if err := w.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running.worker = w
	s.running.conns = append(s.running.conns, conn)
	synctest.Wait() // its stations are known to be served
}

// optionsAt are the options with which a worker serves a station, by its kind.
func (s *Server) optionsAt(name string) []worker.StationOption {
	s.t.Helper()
	station, err := s.client.Stations().Get(s.t.Context(), name)
	switch {
	case errors.Is(err, client.ErrNotFound):
		return nil
	case err != nil:
		s.t.Fatalf("stationtest: get station %s: %v", name, err)
	}
	switch station.Kind {
	case schema.KindPull:
		return []worker.StationOption{worker.Pull(worker.Filter{})}
	case schema.KindVote, schema.KindPub:
		return []worker.StationOption{worker.Fanout()}
	}
	return nil
}

// rest stops the worker.
func (s *Server) rest() {
	if s.running.worker == nil {
		return
	}
	if err := s.running.worker.Stop(); err != nil {
		s.t.Error(err)
	}
	s.running.worker = nil
}

// stop stops worker, services and scheduler, unless nothing runs.
func (s *Server) stop() {
	n := s.running
	if n == nil {
		return
	}
	s.rest()
	if err := n.front.Stop(); err != nil {
		s.t.Error(err)
	}
	n.stop()
	if err := <-n.ended; err != nil {
		s.t.Error(err)
	}
	for _, conn := range n.conns {
		conn.Close()
	}
	s.running = nil
}

// passTo lets fake time pass. The scheduler runs then.
func (s *Server) passTo(end time.Time) {
	s.t.Helper()
	wait := shortest
	for now := time.Now(); now.Before(end); now = time.Now() {
		next, busy := s.comes(end)
		if next = next.Add(-ahead); !busy && next.Sub(now) > ahead {
			s.stop()
			brokertest.Age()
			time.Sleep(time.Until(next))
			s.start()
			wait = shortest
			continue
		}
		if wait = min(2*wait, longest); !busy {
			wait = time.Until(next) + ahead + shortest
		}
		time.Sleep(min(max(wait, shortest), time.Until(end)))
	}
}

// comes returns when the next plan is due, at most an end, and whether occurrences are open that
// may go on before.
func (s *Server) comes(end time.Time) (next time.Time, busy bool) {
	s.t.Helper()
	next = end
	now := time.Now()
	for view := range s.plans() {
		if at := view.State.PlanTime; !at.IsZero() && at.Before(next) && view.State.Status != schema.StatusPaused {
			next = at
		}
		for _, o := range view.State.Open {
			switch {
			case len(o.Executions) == 0 && o.NextTry.After(now):
				if o.NextTry.Before(next) {
					next = o.NextTry
				}
			case view.State.Status != schema.StatusPaused && view.State.Status != schema.StatusPending && view.State.Status != schema.StatusPlanError:
				busy = true
			}
		}
	}
	return next, busy
}

// settle waits until all that fell due at a moment or before has ended: executions that a handler
// of the test has, and those that wait for one.
func (s *Server) settle(due time.Time) {
	s.t.Helper()
	wait := shortest
	for s.isOpen(due) {
		time.Sleep(wait)
		wait = min(2*wait, longest)
	}
}

// isOpen reports that something which fell due at a moment or before has not ended.
func (s *Server) isOpen(due time.Time) bool {
	s.t.Helper()
	for view := range s.plans() {
		state := &view.State
		station, _ := view.Plan.Field("station").Text()
		if !s.handles(station) || state.Status == schema.StatusPaused {
			continue
		}
		if len(state.Open) == 0 && !state.PlanTime.IsZero() && !state.PlanTime.After(due) {
			return true
		}
		for _, o := range state.Open {
			if len(o.Executions) > 0 && !o.PlanTime.After(due) {
				return true
			}
		}
	}
	return false
}

// handles reports that the test has a handler at a station.
func (s *Server) handles(station string) bool {
	for _, h := range s.handlers {
		if h.station == station {
			return true
		}
	}
	return false
}
