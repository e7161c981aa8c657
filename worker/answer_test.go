package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

func TestAnswersInTheEncodingOfThePlan(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for _, prefix := range []string{"", "acme"} {
			t.Run(enc.String()+prefix, func(t *testing.T) {
				brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
					s := newScheduler(t, brokertest.Connect(t, ns), prefix)
					w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", Prefix: prefix, RunningAfter: time.Hour})
					w.Handle("hello", "greet", func(_ context.Context, x *worker.Execution) (any, error) {
						var name string
						if err := x.Message(0, &name); err != nil {
							return nil, err
						}
						return map[string]any{"greeting": "hello " + name, "key": x.Key, "n": x.N}, nil
					})
					start(t, w)

					d := s.execution("hello", "Ada")
					d.enc = enc
					n := s.send(d)

					r := s.next()
					want := map[string]any{"greeting": "hello Ada", "key": d.exec.Key, "n": n}
					if diff := cmp.Diff(want, r.Content.Any()); diff != "" {
						t.Errorf("content (-want +got):\n%s", diff)
					}
					if r.State != schema.StateOK || r.WorkerID != "w1" || r.enc != enc || r.name.N != n {
						t.Errorf("reply %+v", r)
					}
					if got := r.msg.Header.Get(schema.HeaderContentType); got != enc.ContentType() {
						t.Errorf("Content-Type %q", got)
					}
				})
			})
		}
	}
}

func TestOutcomes(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name    string
		handler func() (any, error)
		state   schema.State
		content any
		error   string // its beginning
		delay   float64
		refuses string // of callback and retry, which one is false
		unsure  bool
		large   bool
	}{
		{name: "nothing", handler: func() (any, error) { return nil, nil }, state: schema.StateOK},
		{name: "text", handler: func() (any, error) { return "a", nil }, state: schema.StateOK, content: "a"},
		{name: "bytes", handler: func() (any, error) { return []byte{1, 2}, nil }, state: schema.StateOK, content: "AQI="},
		{name: "json", handler: func() (any, error) { return json.RawMessage(` {"a":[1]} `), nil }, state: schema.StateOK,
			content: map[string]any{"a": []any{int64(1)}}},
		{name: "bad json", handler: func() (any, error) { return json.RawMessage(`{`), nil }, state: schema.StateError,
			error: "encode the content: "},
		{name: "value", handler: func() (any, error) { return wire.Text(wire.MsgPack, "b"), nil }, state: schema.StateOK, content: "b"},
		{name: "no value", handler: func() (any, error) { return math.NaN(), nil }, state: schema.StateError,
			error: "encode the content: "},
		{name: "error", handler: func() (any, error) { return nil, boom }, state: schema.StateError, error: "boom"},
		{name: "error with content", handler: func() (any, error) { return "so far", boom }, state: schema.StateError,
			error: "boom", content: "so far"},
		{name: "not UTF-8", handler: func() (any, error) { return nil, errors.New("a\xff") }, state: schema.StateError, error: "a\uFFFD"},
		{name: "a content that is not UTF-8", handler: func() (any, error) { return "a\xff", nil }, state: schema.StateError,
			error: "encode the content: a text is not UTF-8, in which texts are sent: return []byte"},
		{name: "an error with a content that is not UTF-8", handler: func() (any, error) { return "a\xff", boom }, state: schema.StateError, error: "boom"},
		{name: "U+FFFD", handler: func() (any, error) { return "a\uFFFD", nil }, state: schema.StateOK, content: "a\uFFFD"},
		{name: "long error", handler: func() (any, error) { return nil, errors.New(strings.Repeat("x", 1<<20)) },
			state: schema.StateError, error: "xxx"},
		{name: "retry after", handler: func() (any, error) { return nil, fmt.Errorf("so: %w", worker.RetryAfter(1500e6, boom)) },
			state: schema.StateError, error: "so: boom", delay: 1.5},
		{name: "stop the plan", handler: func() (any, error) { return nil, fmt.Errorf("so: %w", worker.StopPlan(boom)) },
			state: schema.StateFailure, error: "so: boom"},
		{name: "stopping the plan wins", handler: func() (any, error) { return nil, worker.RetryAfter(1, worker.StopPlan(boom)) },
			state: schema.StateFailure, error: "boom"},
		{name: "no retry", handler: func() (any, error) { return nil, fmt.Errorf("so: %w", worker.NonRetryable(boom)) },
			state: schema.StateError, error: "so: boom", refuses: "retry"},
		{name: "no retry wins", handler: func() (any, error) { return nil, worker.RetryAfter(1, worker.NonRetryable(boom)) },
			state: schema.StateError, error: "boom", refuses: "retry"},
		{name: "outcome unknown", handler: func() (any, error) { return nil, worker.RetryAfter(time.Second, worker.OutcomeUnknown(boom)) },
			state: schema.StateError, error: "boom", delay: 1, unsure: true},
		{name: "no callback", handler: func() (any, error) { return worker.NoCallback("a"), nil },
			state: schema.StateOK, content: "a", refuses: "callback"},
		{name: "an error has its callback", handler: func() (any, error) { return worker.NoCallback("a"), boom },
			state: schema.StateError, content: "a", error: "boom"},
		{name: "panic", handler: func() (any, error) { panic(strings.Repeat("ouch ", 100)) }, state: schema.StateError,
			error: "panic: ouch ouch"},
		{name: "runtime panic", handler: func() (any, error) { var few []int; return few[len(few)], nil },
			state: schema.StateError, error: "panic: runtime error: index out of range [0] with length 0"},
		{name: "as large as may be", handler: func() (any, error) { return strings.Repeat("x", schema.MaxReplyBytes-2), nil },
			state: schema.StateOK, content: strings.Repeat("x", schema.MaxReplyBytes-2)},
		{name: "too large", handler: func() (any, error) { return strings.Repeat("x", schema.MaxReplyBytes-1), nil },
			state: schema.StateError, error: "the content has 262145 bytes, at most 262144", large: true},
		{name: "too large, as it found out", handler: func() (any, error) { return nil, fmt.Errorf("so: %w", worker.ErrTooLarge) },
			state: schema.StateError, error: "so: too large", large: true},
		{name: "an error with too large a content", handler: func() (any, error) { return strings.Repeat("x", schema.MaxReplyBytes), worker.NonRetryable(boom) },
			state: schema.StateError, error: "boom", refuses: "retry"},
		{name: "an error with no value", handler: func() (any, error) { return math.NaN(), boom }, state: schema.StateError, error: "boom"},
	}
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
		for _, tt := range tests {
			w.Handle("hello", tt.name, func(context.Context, *worker.Execution) (any, error) { return tt.handler() })
		}
		start(t, w)
		for _, tt := range tests {
			d := s.execution("hello")
			d.exec.Command = tt.name
			s.send(d)
			r := s.next()
			if r.State != tt.state {
				t.Errorf("%s: state %s, want %s", tt.name, r.State, tt.state)
			}
			if diff := cmp.Diff(tt.content, r.Content.Any()); diff != "" {
				t.Errorf("%s: content (-want +got):\n%s", tt.name, diff)
			}
			text, _ := r.Error.Text()
			if !strings.HasPrefix(text, tt.error) || tt.error == "" && text != "" || len(text) > 20<<10 {
				t.Errorf("%s: error %.200q, want %q", tt.name, text, tt.error)
			}
			var delay float64
			if r.Delay != nil {
				delay = float64(*r.Delay)
			}
			if delay != tt.delay {
				t.Errorf("%s: delay %v, want %v", tt.name, delay, tt.delay)
			}
			if r.Unsure != tt.unsure {
				t.Errorf("%s: unsure %t, want %t", tt.name, r.Unsure, tt.unsure)
			}
			if r.Overflow != tt.large {
				t.Errorf("%s: too large %t, want %t", tt.name, r.Overflow, tt.large)
			}
			isFalse := func(b *bool) bool { return b != nil && !*b }
			if isFalse(r.Retry) != (tt.refuses == "retry") || isFalse(r.Callback) != (tt.refuses == "callback") {
				t.Errorf("%s: retry %v, callback %v, want %q false", tt.name, r.Retry, r.Callback, tt.refuses)
			}
		}
	})
}

// The stack of a panic is in the log, with its execution, for the operators of the worker.
func TestPanicIsReportedWithoutItsStack(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		var log bytes.Buffer
		errorsOnly := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour, Logger: slog.New(errorsOnly)})
		long := strings.Repeat("ouch ", 100)
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) { panic(long) })
		start(t, w)

		n := s.send(s.execution("hello"))
		if text, _ := s.next().Error.Text(); len(text) > 200 || strings.Contains(text, ".go:") {
			t.Errorf("error %q", text)
		}
		var line struct {
			Station, Command, Panic, Stack string
			PlanID                         string `json:"plan_id"`
			N                              int64
		}
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("the log is no line: %v\n%s", err, &log)
		}
		if !strings.Contains(line.Stack, "TestPanicIsReportedWithoutItsStack") || !strings.Contains(line.Stack, "answer_test.go:") {
			t.Errorf("the log has no place of the panic: %q", line.Stack)
		}
		line.Stack = ""
		want := line
		want.Station, want.Command, want.PlanID, want.N, want.Panic = "hello", "greet", "P1", n, "panic: "+long
		if line != want {
			t.Errorf("the log has the cause %+v; want %+v", line, want)
		}
	})
}

func TestRoutes(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", RunningAfter: time.Hour})
		failing := func(what string) worker.Handler {
			return func(context.Context, *worker.Execution) (any, error) { return what, nil }
		}
		w.Handle("hello", "greet", failing("greet"))
		w.Handle("hello", "*", failing("any"))
		w.Handle("billing", "pay", failing("pay"))
		w.Handle("callback.>", "", failing("below"))
		w.Handle("callback.s1", "", failing("exactly"))
		start(t, w)

		ask := func(station, command, subject string) reply {
			t.Helper()
			d := s.execution(station)
			d.exec.Command = command
			if subject != "" {
				d.subject = subject
			}
			s.send(d)
			return s.next()
		}
		for _, tt := range []struct{ station, command, subject, want string }{
			{"hello", "greet", "", "greet"},
			{"hello", "other", "", "any"},
			{"hello", "", "", "any"},
			{"billing", "pay", "", "pay"},
			{"billing", "pay", "worker.w1", "pay"},
			{"callback.s2", "x", "", "below"},
			{"callback.s2.t", "x", "", "below"},
			{"callback.s1.t", "x", "worker.w1", "below"},
		} {
			r := ask(tt.station, tt.command, tt.subject)
			if got, _ := r.Content.Text(); got != tt.want || r.State != schema.StateOK {
				t.Errorf("%s %s: %q", tt.station, tt.command, got)
			}
		}
		r := ask("billing", "steal", "")
		if text, _ := r.Error.Text(); r.State != schema.StateError || text != `worker w1 has no handler for command "steal" of station billing: any worker of a station may get any of its commands` {
			t.Errorf("unknown command: %s %q", r.State, text)
		}
	})
}

func TestHandlePanicsOnMistakes(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	h := func(context.Context, *worker.Execution) (any, error) { return nil, nil }
	for name, mistake := range map[string]func(w *worker.Worker){
		"duplicate":        func(w *worker.Worker) { w.Handle("a", "b", h) },
		"duplicate any":    func(w *worker.Worker) { w.Handle("a", "", h); w.Handle("a", "*", h) },
		"wildcard station": func(w *worker.Worker) { w.Handle("a.*", "b", h) },
		"empty station":    func(w *worker.Worker) { w.Handle("", "b", h) },
		"everything":       func(w *worker.Worker) { w.Handle(">", "b", h) },
		"no handler":       func(w *worker.Worker) { w.Handle("a", "c", nil) },
		"late options":     func(w *worker.Worker) { w.Station("a", worker.Fanout()) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, nc, worker.Options{})
			w.Handle("a", "b", h)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			mistake(w)
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	for _, opts := range []worker.Options{
		{ID: "a.b"}, {ID: "*"}, {Prefix: "a.b"}, {Concurrency: -1}, {Queue: -1}, {RunningAfter: -1}, {RepeatFor: -1},
	} {
		if _, err := worker.New(nc, opts); err == nil {
			t.Errorf("%+v was taken", opts)
		}
	}
	w := newWorker(t, nc, worker.Options{})
	if err := schema.CheckID(w.ID()); err != nil {
		t.Errorf("made id %q: %v", w.ID(), err)
	}
	if err := w.Start(); err == nil {
		t.Error("started without handlers")
	}
	w.Handle("a", "b", sleepFor(0))
	if w.Station("c"); w.Start() == nil {
		t.Error("started with a station that has no handlers")
	}
	if err := w.Stop(); err != nil {
		t.Errorf("stop before start: %v", err)
	}
}
