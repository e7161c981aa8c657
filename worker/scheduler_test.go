package worker_test

import (
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds the wait of a test for an event that must come. Under fake time it costs
// nothing, and has to be longer than the test's own times.
const patience = 2 * time.Minute

// together is the rounding of times in tests with results that may go together, because
// any result but the first may wait a millisecond for others.
const together = 10 * time.Millisecond

// A scheduler is a scripted server. It dispatches the executions of a test, notes every reply,
// and acknowledges as the test sets it.
type scheduler struct {
	t       *testing.T
	nc      *nats.Conn
	space   schema.Space
	replies chan reply

	mu  sync.Mutex
	n   int64
	ack func(reply) *schema.Ack // nil: no answer
	// single: it is of a release without joined replies; joined
	// counts those that came.
	single bool
	joined int
}

// A reply as it came.
type reply struct {
	schema.Reply
	name schema.ReplyName
	enc  wire.Encoding
	msg  *nats.Msg
	at   time.Time
}

var taken = schema.Ack{Ack: true, Accepted: true}

func newScheduler(t *testing.T, nc *nats.Conn, prefix string) *scheduler {
	t.Helper()
	s := &scheduler{t: t, nc: nc, space: schema.Space{Prefix: prefix, Partitions: 8}, replies: make(chan reply, 100_000)}
	s.acknowledge(func(reply) *schema.Ack { return &taken })
	sub, err := nc.Subscribe(s.space.AllReplies(), s.replied)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return s
}

// acknowledge sets how replies are answered from now on.
func (s *scheduler) acknowledge(ack func(reply) *schema.Ack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ack = ack
}

func (s *scheduler) replied(msg *nats.Msg) {
	if msg.Header.Get("Status") == "503" {
		return // the server's report that the station has no subscriber
	}
	if first, several := schema.Unjoined(msg.Subject); several {
		s.several(msg, first)
		return
	}
	name, ok := s.space.ParseReply(msg.Subject)
	if !ok {
		s.t.Errorf("a reply on %q", msg.Subject)
		return
	}
	r := reply{msg: msg, name: name, at: time.Now()}
	body, err := wire.Scan(msg.Data, wire.Limits{})
	if err == nil {
		r.enc = body.Encoding()
		err = wire.Decode(body, &r.Reply)
	}
	if err != nil {
		s.t.Errorf("reply %q: %v", msg.Data, err)
	}
	s.mu.Lock()
	ack := s.ack
	s.mu.Unlock()
	a := ack(r)
	s.replies <- r // first, because a worker that is answered may stop, and the test count the replies
	if a != nil && msg.Reply != "" {
		body, err := wire.Marshal(r.enc, a)
		if err != nil {
			s.t.Error(err)
		}
		if err := msg.Respond(body); err != nil {
			s.t.Error(err)
		}
	}
}

// several handles replies that came as one message.
func (s *scheduler) several(msg *nats.Msg, first string) {
	s.mu.Lock()
	ack, single := s.ack, s.single
	s.joined++
	s.mu.Unlock()
	if single {
		return
	}
	enc := wire.Detect(msg.Data)
	acks := map[schema.Ack][]int{}
	all, count := s.space.ParseJoined(first, msg.Data)
	if count < 2 {
		s.t.Errorf("%d replies in %q", count, msg.Data)
	}
	read := 0
	for i, j := range all {
		read++
		r := reply{msg: msg, name: j.About, at: time.Now(), Reply: j.Reply, enc: enc}
		if a := ack(r); a != nil {
			acks[*a] = append(acks[*a], i)
		}
		s.replies <- r
	}
	if read != count {
		s.t.Errorf("of %d replies %d can be read: %q", count, read, msg.Data)
	}
	for a, of := range acks {
		w := wire.NewWriter(enc, nil)
		(&schema.JoinedAck{Ack: a, Of: of}).AppendTo(w)
		if err := msg.Respond(w.Bytes()); err != nil {
			s.t.Error(err)
		}
	}
}

// next waits for the next reply.
func (s *scheduler) next() reply {
	s.t.Helper()
	select {
	case r := <-s.replies:
		return r
	case <-time.After(patience):
		s.t.Fatal("no reply came")
		return reply{}
	}
}

// silent checks that no reply has come that was not read.
func (s *scheduler) silent() {
	s.t.Helper()
	select {
	case r := <-s.replies:
		s.t.Errorf("unexpected reply %q", r.msg.Data)
	default:
	}
}

// A dispatch is an execution before it is sent.
type dispatch struct {
	exec    schema.Execution
	enc     wire.Encoding
	header  nats.Header
	subject string
	reply   string
}

// execution makes a dispatch of a new execution with the required fields; a test
// changes it before it sends it.
func (s *scheduler) execution(station string, messages ...any) *dispatch {
	s.t.Helper()
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	d := &dispatch{
		exec: schema.Execution{
			PlanID: "P1", Station: station, Command: "greet",
			Occurrence: n, Attempt: 1,
			Exec:     strconv.FormatInt(n, 10) + "-0123456789abcdef",
			Key:      fmt.Sprintf("%s/P1/7/%d", station, n),
			PlanTime: time.Now(),
		},
		header:  nats.Header{schema.HeaderCommand: {schema.CommandProxy}},
		subject: s.space.Station(station),
	}
	d.reply = s.space.Reply(0, station, d.exec.PlanID, d.exec.Exec)
	for _, m := range messages {
		v, err := wire.ValueOf(wire.JSON, m)
		if err != nil {
			s.t.Fatal(err)
		}
		d.exec.Messages = append(d.exec.Messages, v)
	}
	return d
}

// send dispatches and returns the number of the execution.
func (s *scheduler) send(d *dispatch) int64 {
	s.t.Helper()
	body, err := wire.Marshal(d.enc, d.exec)
	if err != nil {
		s.t.Fatal(err)
	}
	s.sendRaw(d, body)
	name, _ := s.space.ParseReply(d.reply)
	return name.N
}

func (s *scheduler) sendRaw(d *dispatch, body []byte) {
	s.t.Helper()
	msg := &nats.Msg{Subject: d.subject, Reply: d.reply, Header: d.header, Data: body}
	if err := s.nc.PublishMsg(msg); err != nil {
		s.t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
}

// cancel publishes the cancellation of execution n.
func (s *scheduler) cancel(station string, n int64) {
	s.t.Helper()
	body, err := wire.Marshal(wire.JSON, schema.Cancel{PlanID: "P1", Station: station, N: n})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.nc.Publish(s.space.Cancel(station, "P1"), body); err != nil {
		s.t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
}

// newWorker makes a worker with a log that goes to the test's.
func newWorker(t *testing.T, nc *nats.Conn, opts worker.Options) *worker.Worker {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	w, err := worker.New(nc, opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// start starts the worker; it is stopped when the test ends, without error.
func start(t *testing.T, w *worker.Worker) {
	t.Helper()
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

// receive waits for a value from a handler.
func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("not reached")
	}
}
