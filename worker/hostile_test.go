package worker_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// The nonce of an execution is the right to reply for it, so that no log has it, at any level.
func TestNoNonceIsLogged(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		var log bytes.Buffer
		nc := brokertest.Connect(t, ns)
		w := newWorker(t, nc, worker.Options{
			RepeatFor: 5 * time.Second, RunningAfter: time.Second,
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		w.Handle("hello", "*", sleepFor(0))
		w.Handle("slow", "*", sleepFor(10*time.Second))
		start(t, w)
		s.acknowledge(func(r reply) *schema.Ack {
			switch r.name.N {
			case 1:
				return &schema.Ack{Ack: true}
			case 2:
				return &schema.Ack{}
			default:
				return nil
			}
		})
		first, second, third, other := s.execution("hello"), s.execution("hello"), s.execution("hello"), s.execution("hello")
		other.reply = "elsewhere." + other.reply
		for _, d := range []*dispatch{first, second, third, other} {
			s.send(d)
		}
		time.Sleep(time.Minute)
		s.send(s.execution("slow"))
		time.Sleep(time.Millisecond)
		nc.Close() // nothing can be sent any more
		time.Sleep(time.Minute)
		synctest.Wait() // no goroutine writes to the log
		logged := log.String()
		for _, line := range []string{"result came too late", "not an acknowledgement", "result given up", "none of a scheduler", "ping not sent", "result not sent"} {
			if !strings.Contains(logged, line) {
				t.Errorf("got no line %q", line)
			}
		}
		if strings.Contains(logged, "0123456789abcdef") {
			t.Errorf("a nonce is in the log:\n%s", logged)
		}
	})
}

// The worker answers on reply subjects of a scheduler alone, and does no work for others,
// because a client that may publish to a station could choose any subject.
func TestHostileReplySubjects(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1, RunningAfter: time.Hour})
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
			return nil, nil
		})
		start(t, w)
		everything, err := s.nc.SubscribeSync("evil.>")
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{
			"",
			"evil.subject",
			"$JS.API.STREAM.DELETE.PLAN_JOURNAL",
			"plan.reply.0.hello.P1.1-0123456789abcdef",
			"plan.reply.0.hello.*P1.1",
			"plan.reply.x.hello.*P1.1-0123456789abcdef",
			"plan.reply.0.other.*P1.1-0123456789abcdef",
			"acme.plan.reply.0.hello.*P1.1-0123456789abcdef",
			"plan.result.hello.P1",
		} {
			d := s.execution("hello")
			d.reply = subject
			s.send(d)
		}
		// A valid message, except that its body is about another subject.
		d := s.execution("hello")
		d.exec.PlanID = "P2"
		s.send(d)

		last := s.send(s.execution("hello"))
		if r := s.next(); r.name.N != last || r.State != schema.StateOK {
			t.Errorf("reply %s %s", r.msg.Subject, r.msg.Data)
		}
		if n, _, _ := everything.Pending(); n > 0 {
			t.Errorf("%d messages on evil.>", n)
		}
	})
}

// An epoch that no leader can have by now does not make the worker drop the executions of real
// leaders.
func TestAnEpochThatIsMadeUpDoesNotCount(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1, RunningAfter: time.Hour})
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) { return nil, nil })
		start(t, w)
		now := time.Now().UnixMilli()
		for _, epoch := range []int64{now, math.MaxInt64, now + 3_600_000, now + 1, now} {
			d := s.execution("hello")
			d.exec.Epoch = epoch
			d.header.Set(schema.HeaderEpoch, strconv.FormatInt(epoch, 10))
			n := s.send(d)
			if epoch == now && n > 1 {
				continue // it is over, since that of now + 1 has come
			}
			if r := s.next(); r.name.N != n || r.State != schema.StateOK {
				t.Errorf("epoch %d: reply %s %s", epoch, r.msg.Subject, r.msg.Data)
			}
		}
		last := s.send(s.execution("hello"))
		if r := s.next(); r.name.N != last {
			t.Errorf("the epoch that is over was answered: %s %s", r.msg.Subject, r.msg.Data)
		}
	})
}

// A body that is no execution, on a good subject, is answered, because a retry would not make
// it valid, and so that the scheduler need not wait for a deadline.
func TestHostileBodies(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
			t.Error("the handler was called")
			return nil, nil
		})
		start(t, w)
		for _, body := range []string{
			"", "{", "nonsense", `{"plan_id":7}`, `{"plan_id":"P1","plan_id":"P1"}`, `[]`, `"text"`,
			"\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff", "\xc1",
			strings.Repeat("[", 100_000), `{"messages":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`,
			`{"plan_id":"P1","station":"hello","occurrence":1e999}`,
		} {
			s.sendRaw(s.execution("hello"), []byte(body))
			r := s.next()
			text, _ := r.Error.Text()
			if r.State != schema.StateError || !strings.HasPrefix(text, "read the execution: ") {
				t.Errorf("%.40q: %s %q", body, r.State, text)
			}
		}
	})
}

// Acknowledgements may be anything as well.
func TestHostileAcknowledgements(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) { return nil, nil })
		start(t, w)
		s.acknowledge(func(r reply) *schema.Ack {
			inbox := r.msg.Reply[:strings.LastIndexByte(r.msg.Reply, '.')+1]
			for _, token := range []string{"f", "p", "x1", "f-1", "fzzzzzzzzzzzzzzzzzzz", "p9", "f9"} {
				if err := s.nc.Publish(inbox+token, []byte(`{"ack":true,"cancel":true,"ping_interval_ms":-5}`)); err != nil {
					t.Error(err)
				}
			}
			for _, body := range []string{"", "{", `[]`, `{"ack":1}`, `{"stream":"X","seq":1}`, "\xdd\xff\xff\xff\xff"} {
				if err := r.msg.Respond([]byte(body)); err != nil {
					t.Error(err)
				}
			}
			return &taken
		})
		s.send(s.execution("hello"))
		if r := s.next(); r.State != schema.StateOK {
			t.Errorf("reply %s", r.msg.Data)
		}
	})
}

// An execution that comes again while it is under way does not run twice; an execution of a new
// plan of the same name does.
func TestTheSameExecutionTwice(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		ran := make(chan string, 10)
		w.Handle("hello", "*", func(_ context.Context, x *worker.Execution) (any, error) {
			ran <- x.Exec
			time.Sleep(10 * time.Second)
			return nil, nil
		})
		start(t, w)
		d := s.execution("hello")
		s.send(d)
		s.send(d)
		again := *d
		again.exec.Exec = schema.ExecName(s.n, "fedcba9876543210")
		again.reply = s.space.Reply(0, "hello", "P1", again.exec.Exec)
		s.send(&again)
		synctest.Wait()
		if len(ran) != 2 {
			t.Fatalf("ran %d times", len(ran))
		}
		if first, second := <-ran, <-ran; first == second {
			t.Errorf("%s ran twice", first)
		}
	})
}
