package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A seen holds the counts and samples of a worker or observer. It is safe for concurrent use.
type seen struct {
	sampled sampling

	mu      sync.Mutex
	n       int64
	other   int64
	settled int64
	plans   []planCount
	samples []sample
	wrong   error
	waits   []wait
}

// A wait is a request that is answered when a count has reached a number.
type wait struct {
	of      *int64
	n       int64
	reached chan struct{}
}

func newSeen(c partConfig) *seen { return &seen{sampled: c.Sampled, plans: make([]planCount, c.Plans)} }

// add counts an execution; x has more than plan and number when it is kept as a sample.
func (s *seen) add(x sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.Plan < 0 || x.Plan >= int64(len(s.plans)) {
		s.wrong = firstOf(s.wrong, fmt.Errorf("plan %d was not created", x.Plan))
		return
	}
	s.n++
	s.plans[x.Plan].N++
	s.plans[x.Plan].Sum += x.N
	if s.sampled.keeps(int(x.Plan), x.N) {
		s.samples = append(s.samples, x)
	}
	s.wake()
}

func firstOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// wake answers the waits that have reached their number.
func (s *seen) wake() {
	for i := 0; i < len(s.waits); {
		if w := s.waits[i]; *w.of >= w.n {
			close(w.reached)
			s.waits = append(s.waits[:i], s.waits[i+1:]...)
		} else {
			i++
		}
	}
}

func (s *seen) await(ctx context.Context, of *int64, n int64) error {
	w := wait{of, n, make(chan struct{})}
	s.mu.Lock()
	s.waits = append(s.waits, w)
	s.wake()
	s.mu.Unlock()
	select {
	case <-w.reached:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *seen) do(ctx context.Context, o order) (partReply, error) {
	var err error
	switch o.Do {
	case doCount, doFinish:
	case doAwait:
		err = s.await(ctx, &s.n, o.N)
	case doSettled:
		err = s.await(ctx, &s.settled, o.N)
	default:
		err = fmt.Errorf("do %q: unknown order", o.Do)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := partReply{N: s.n, Other: s.other, Settled: s.settled}
	if o.Do == doFinish {
		w.Samples, w.Plans = s.samples, s.plans
	}
	return w, errors.Join(err, s.wrong)
}

// A counting part is a worker or an observer on a connection of its own.
type counting struct {
	*seen
	nc     *nats.Conn
	worker *worker.Worker
}

func newCounting(c partConfig, name string) (counting, error) {
	nc, err := nats.Connect(c.URL, nats.Name(name))
	if err != nil {
		return counting{}, fmt.Errorf("connect %s: %w", name, err)
	}
	return counting{seen: newSeen(c), nc: nc}, nil
}

func (c counting) close() error {
	defer c.nc.Close()
	if c.worker != nil {
		return c.worker.Stop()
	}
	return nil
}

// do finishes when all messages sent so far are counted.
func (c counting) do(ctx context.Context, o order) (partReply, error) {
	if o.Do == doFinish && c.worker == nil {
		if err := drain(ctx, c.nc); err != nil {
			return partReply{}, err
		}
	}
	return c.seen.do(ctx, o)
}

func newWorkerPart(_ context.Context, c partConfig) (part, partReply, error) {
	p, err := newCounting(c, "worker")
	if err != nil {
		return nil, partReply{}, err
	}
	switch {
	case c.Library:
		if p.worker, err = worker.New(p.nc, worker.Options{}); err == nil {
			p.worker.Handle(oursStation, "", p.handle)
			err = p.worker.Start()
		}
	case c.Least:
		err = p.answer(stationSubject)
	default:
		err = p.answer(schema.Space{}.Station(oursStation))
	}
	if err != nil {
		p.nc.Close()
		return nil, partReply{}, err
	}
	return p, partReply{}, nil
}

// answer is a worker of ten lines, beside its counting.
func (c counting) answer(subject string) error {
	sub, err := c.nc.QueueSubscribe(subject, workerQueue, func(m *nats.Msg) {
		x := sample{Came: time.Now().UnixNano()}
		err := m.Respond([]byte(`{"state":"ok"}`))
		x.Ended = time.Now().UnixNano()
		if err == nil {
			x.Plan, x.N, err = replyNames(m.Reply)
		}
		if due := m.Header.Get(schema.HeaderTime); due != "" && err == nil && c.sampled.keeps(int(x.Plan), x.N) {
			var at time.Time
			at, err = time.Parse(time.RFC3339Nano, due)
			x.Due = at.UnixNano()
		}
		c.noteOr(err, x)
	})
	if err != nil {
		return fmt.Errorf("subscribe %s: %w", subject, err)
	}
	return errors.Join(sub.SetPendingLimits(-1, -1), c.nc.Flush())
}

// handle is a handler of our library.
func (c counting) handle(_ context.Context, x *worker.Execution) (any, error) {
	now := time.Now().UnixNano()
	c.add(sample{Plan: int64(planIndex(x.PlanID)), N: x.N, Due: x.PlanTime.UnixNano(), Came: now, Ended: now})
	return nil, nil
}

func (c counting) noteOr(err error, x sample) {
	if err == nil {
		c.add(x)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = firstOf(c.wrong, err)
}

// replyNames returns the plan and the number of the execution at the end of a reply's subject.
func replyNames(subject string) (plan, n int64, err error) {
	rest, exec := subject[:max(strings.LastIndexByte(subject, '.'), 0)], lastToken(subject)
	number, _, _ := strings.Cut(exec, "-")
	if n, err = strconv.ParseInt(number, 10, 64); err != nil {
		return 0, 0, fmt.Errorf("reply on %s: execution: %w", subject, err)
	}
	id := lastToken(rest)
	if len(id) > idBytes { // because the bare pattern's ids have a letter in front
		id = id[len(id)-idBytes:]
	}
	return int64(planIndex(id)), n, nil
}

func newObserverPart(_ context.Context, c partConfig) (part, partReply, error) {
	p, err := newCounting(c, "observer")
	if err != nil {
		return nil, partReply{}, err
	}
	subject, receive := schema.Space{}.AllResults(), p.receive
	if c.Least {
		subject, receive = resultPrefix+"*", p.receiveLeast
	}
	if err := listen(p.nc, subject, receive); err != nil {
		p.nc.Close()
		return nil, partReply{}, err
	}
	return p, partReply{}, nil
}

func (c counting) receive(m *nats.Msg) {
	x := sample{Came: time.Now().UnixNano(), Plan: int64(planIndex(lastToken(m.Subject)))}
	var err error
	if x.N, err = resultNumber(m.Data); err != nil {
		c.noteOr(err, x)
		return
	}
	ok, occurrences := bytes.Contains(m.Data, stateOK), int64(1)
	if !ok && bytes.Contains(m.Data, resultCount) { // skipped, so many in one result
		occurrences, err = numberOf(m.Data, resultCount)
	}
	c.settle(x, ok, occurrences)
	if ok || err != nil {
		c.noteOr(err, x)
	}
}

var stateOK, resultCount = []byte(`"state":"ok"`), []byte(`"count":`)

// settle counts the occurrences of a result.
func (c counting) settle(x sample, ok bool, occurrences int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok {
		c.other++
	}
	if x.Plan >= c.sampled.Probe {
		c.settled += occurrences
		c.wake()
	}
}

func (c counting) receiveLeast(m *nats.Msg) {
	now := time.Now().UnixNano()
	if len(m.Data) < rowNumberBytes {
		c.noteOr(fmt.Errorf("a result of %d bytes", len(m.Data)), sample{})
		return
	}
	n := int64(binary.BigEndian.Uint64(m.Data[8:]))
	c.noteOr(nil, sample{Plan: int64(planIndex(lastToken(m.Subject))), N: n, Came: now})
}
