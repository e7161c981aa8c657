package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

func TestAnErrorMayBeAValue(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
			return nil, worker.RetryAfter(time.Second, worker.ErrorValue(map[string]any{"status": 503}, errors.New("busy")))
		})
		start(t, w)

		s.send(s.execution("hello"))
		r := s.next()
		if diff := cmp.Diff(map[string]any{"status": int64(503)}, r.Error.Any()); diff != "" || r.State != schema.StateError {
			t.Errorf("state %s, error (-want +got):\n%s", r.State, diff)
		}
		if r.Delay == nil || *r.Delay != 1 {
			t.Errorf("delay %v, want 1", r.Delay)
		}
	})
}

// A handler that mixes up its two results ends as an error, and not as ok with an empty content.
func TestAnErrorIsNoContent(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
		bad := errors.New("bad")
		var none *schema.Error
		for command, content := range map[string]any{
			"plain": bad, "with fields": &schema.Error{Message: "bad"}, "final": worker.StopPlan(bad), "quiet": worker.NoCallback(bad), "none": none,
		} {
			w.Handle("hello", command, func(context.Context, *worker.Execution) (any, error) { return content, nil })
		}
		w.Handle("hello", "both", func(context.Context, *worker.Execution) (any, error) { return bad, errors.New("worse") })
		start(t, w)

		for command, want := range map[string]string{
			"plain": "a handler returns as its second result: bad", "with fields": "bad", "final": "bad", "quiet": "bad", "none": "it is an error", "both": "worse",
		} {
			d := s.execution("hello")
			d.exec.Command = command
			s.send(d)
			r := s.next()
			if text, _ := r.Error.Text(); r.State != schema.StateError || !strings.Contains(text, want) || !r.Content.IsZero() {
				t.Errorf("%s: state %s, error %q, content %v", command, r.State, text, r.Content)
			}
		}
	})
}

func TestExecutionHandedOverIsForgotten(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		received := 0
		s.acknowledge(func(reply) *schema.Ack {
			if received++; received == 1 {
				return nil // lost
			}
			return &taken
		})
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
		subjects := make(chan string, 1)
		w.Handle("hello", "*", func(_ context.Context, x *worker.Execution) (any, error) {
			subjects <- x.ReplySubject()
			return nil, worker.CompleteLater(300 * time.Second)
		})
		start(t, w)

		s.send(s.execution("hello"))
		for range 2 { // it is repeated until the scheduler has it
			r := s.next()
			if r.State != schema.StateWaiting || r.Extend == nil || *r.Extend != 300 {
				t.Fatalf("reply %+v", r.Reply)
			}
		}
		if err := w.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if name, ok := s.space.ParseReply(<-subjects); !ok || name.Station != "hello" {
			t.Errorf("reply subject of %+v", name)
		}
	})
}
