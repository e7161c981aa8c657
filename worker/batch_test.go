package worker_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// burst sends count executions at once, alternately of two encodings and two stations, to
// handlers that end together, and returns how they were answered.
func (s *scheduler) burst(count int) map[schema.State]int {
	s.t.Helper()
	for i := range count {
		d := s.execution([]string{"a", "b"}[i%2])
		if i%4 > 1 {
			d.enc = wire.MsgPack
		}
		s.send(d)
	}
	states := map[schema.State]int{}
	for range count {
		r := s.next()
		states[r.State]++
	}
	return states
}

func (s *scheduler) joinedSoFar() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.joined
}

// Results of the same millisecond go in one message for each station and encoding, and
// are forgotten when it is acknowledged.
func TestResultsOfTheSameMillisecondGoTogether(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 100, RunningAfter: time.Hour})
		w.Handle("a", "*", sleepFor(time.Second))
		w.Handle("b", "*", sleepFor(time.Second))
		start(t, w)
		if states := s.burst(100); states[schema.StateOK] != 100 {
			t.Errorf("replies %v", states)
		}
		// They end in any order, so as many messages as there are changes of station and
		// encoding are possible, but for the one that goes first.
		if n := s.joinedSoFar(); n == 0 {
			t.Error("each went alone")
		}
		time.Sleep(time.Minute)
		s.silent() // all were acknowledged
	})
}

// A single result goes at once, also right behind another.
func TestAResultWithoutCompanyWaitsForNone(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("a", "*", func(context.Context, *worker.Execution) (any, error) { return nil, nil })
		start(t, w)
		began := time.Now()
		for range 10 {
			synctest.Wait() // until the one before has ended in all respects
			s.send(s.execution("a"))
			if r := s.next(); !r.at.Equal(began) {
				t.Errorf("it came after %v", r.at.Sub(began))
			}
		}
		if n := s.joinedSoFar(); n > 0 {
			t.Errorf("%d messages with several", n)
		}
	})
}

// A scheduler that does not know batches gets each result of a batch alone, a second later, and
// later results at once.
func TestASchedulerThatTakesNoJoinedResults(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		s.single = true
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 100, RunningAfter: time.Hour})
		w.Handle("a", "*", sleepFor(time.Second))
		w.Handle("b", "*", sleepFor(time.Second))
		start(t, w)
		began := time.Now()
		if states := s.burst(100); states[schema.StateOK] != 100 {
			t.Errorf("replies %v", states)
		}
		if took := time.Since(began); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("the last came after %v", took)
		}
		joined := s.joinedSoFar()
		if joined == 0 {
			t.Error("each went alone")
		}
		began = time.Now()
		if states := s.burst(100); states[schema.StateOK] != 100 {
			t.Errorf("replies %v", states)
		}
		if took := time.Since(began).Round(together); took != time.Second {
			t.Errorf("the last of the second burst came after %v", took)
		}
		if n := s.joinedSoFar(); n != joined {
			t.Errorf("%d more were joined", n-joined)
		}
		time.Sleep(2 * time.Minute)
		s.silent()
		s.burst(100)
		if n := s.joinedSoFar(); n == joined {
			t.Error("it never tries again")
		}
	})
}

// When some results of a batch are refused, each gets its own answer, and one without an answer
// is sent again alone.
func TestJoinedResultsAreAcknowledgedOneByOne(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		deaf := map[int64]bool{}
		s.acknowledge(func(r reply) *schema.Ack {
			switch {
			case r.name.N%5 == 0 && !deaf[r.name.N]:
				deaf[r.name.N] = true
				return nil
			case r.name.N%3 == 0:
				return &schema.Ack{Ack: true, Cancel: true}
			}
			return &taken
		})
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 30, RunningAfter: time.Hour})
		w.Handle("a", "*", sleepFor(time.Second))
		start(t, w)
		for range 30 {
			s.send(s.execution("a"))
		}
		received := map[int64]int{}
		for range 36 {
			r := s.next()
			received[r.name.N]++
		}
		for n := int64(1); n <= 30; n++ {
			want := 1
			if n%5 == 0 {
				want = 2
			}
			if received[n] != want {
				t.Errorf("execution %d was reported %d times, want %d", n, received[n], want)
			}
		}
		time.Sleep(time.Minute)
		s.silent()
	})
}
