package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const requestSubject = "plans.create"

// BareRequests is the ceiling of requests that are answered once their effect is
// durable, such as the creation of a plan: a service that makes each request a row
// of the next append to a journal, answers when that is acknowledged, and does no
// more. Requesters share one connection, as the callers of one client do.
type BareRequests struct {
	Requesters   int           // each has one request under way; zero means 64
	Duration     time.Duration // zero means 5 seconds
	Sync         bool          // every append is synced to disk before it is acknowledged
	PayloadBytes int           // of a request, and of its row; zero means 256
}

// RequestFigures are the results of one run of the bare service.
type RequestFigures struct {
	Requests      int64 // answered
	PerSecond     float64
	P50, P99      time.Duration // as the requesters see it; at most 1/32 too high
	CPUPerRequest time.Duration // of the whole process: server, service and requesters
	Appends       int64
	RowsPerAppend float64
}

// Run measures once, on a server with its store in a new folder in dir. It fails
// when ctx ends, when any request fails, and when the journal does not agree with
// the count.
func (b BareRequests) Run(ctx context.Context, dir string) (_ RequestFigures, err error) {
	b = b.withDefaults()
	if b.Requesters < 0 || b.Duration < 0 || b.PayloadBytes < 0 {
		return RequestFigures{}, fmt.Errorf("bare requests: %+v: negative", b)
	}
	e, err := startEngine(dir, b.Sync)
	if err != nil {
		return RequestFigures{}, fmt.Errorf("bare requests: %w", err)
	}
	defer func() { err = errors.Join(err, e.close()) }()

	s, err := newRequestService(ctx, e, b)
	if err != nil {
		return RequestFigures{}, fmt.Errorf("bare requests: %w", err)
	}
	figures, err := b.measure(ctx, e, s)
	if err != nil {
		return RequestFigures{}, fmt.Errorf("bare requests: %w", err)
	}
	return figures, nil
}

func (b BareRequests) withDefaults() BareRequests {
	if b.Requesters == 0 {
		b.Requesters = 64
	}
	if b.Duration == 0 {
		b.Duration = 5 * time.Second
	}
	if b.PayloadBytes == 0 {
		b.PayloadBytes = 256
	}
	return b
}

// measure runs requesters against the service for Duration, then compares the
// counts of the service with the stream.
func (b BareRequests) measure(ctx context.Context, e *engine, s *requestService) (RequestFigures, error) {
	nc, err := e.connect("requesters")
	if err != nil {
		return RequestFigures{}, err
	}
	serving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := s.serve(serving); err != nil {
			stop(err) // requests under way fail with it
		}
	}()

	began, beganCPU := time.Now(), processCPU()
	waits, err := b.request(serving, nc, began.Add(b.Duration))
	elapsed, cpu := time.Since(began), processCPU()-beganCPU
	stop(nil)
	<-served
	if err != nil {
		return RequestFigures{}, err
	}
	if waits.total == 0 {
		return RequestFigures{}, fmt.Errorf("no request was answered within %v", b.Duration)
	}
	state, err := streamState(ctx, nc, journalStream)
	if err != nil {
		return RequestFigures{}, err
	}
	if state.LastSeq != s.journal.last || s.journal.rows != waits.total {
		return RequestFigures{}, fmt.Errorf("%d requests were answered; the journal holds %d rows, in %d appends of %d acknowledged",
			waits.total, s.journal.rows, state.LastSeq, s.journal.last)
	}
	return RequestFigures{
		Requests:      waits.total,
		PerSecond:     float64(waits.total) / elapsed.Seconds(),
		P50:           waits.quantile(0.50),
		P99:           waits.quantile(0.99),
		CPUPerRequest: cpu / time.Duration(waits.total),
		Appends:       int64(s.journal.last),
		RowsPerAppend: s.journal.rowsPerAppend(),
	}, nil
}

// request makes every requester ask, one request after the other, until end. It
// returns the times to the answers.
func (b BareRequests) request(ctx context.Context, nc *nats.Conn, end time.Time) (*latencies, error) {
	body := make([]byte, b.PayloadBytes) // publishing only reads it
	return askUntil(ctx, end, b.Requesters, func(ctx context.Context, _ int) error {
		if _, err := nc.RequestWithContext(ctx, requestSubject, body); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		return nil
	})
}

// askUntil runs so many askers until end, each of which asks one request after the
// other, and returns the times to the answers. Ours and bare are both timed by it. The
// first error, or the cause of ctx, ends all of them.
func askUntil(ctx context.Context, end time.Time, askers int, ask func(ctx context.Context, asker int) error) (*latencies, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waits := make([]latencies, askers)
	var all sync.WaitGroup
	for i := range waits {
		all.Go(func() {
			for now := time.Now(); now.Before(end); {
				if err := ask(ctx, i); err != nil {
					cancel(err) // the first cause wins, because a service that failed has set it already
					return
				}
				answered := time.Now()
				waits[i].add(answered.Sub(now))
				now = answered
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for i := range waits[1:] {
		waits[0].merge(&waits[1+i])
	}
	return &waits[0], nil
}

// A requestService answers requests from one goroutine, which runs serve.
type requestService struct {
	nc       *nats.Conn
	inbox    chan *nats.Msg // requests and acknowledgements
	requests *nats.Subscription
	failed   <-chan error
	journal  journal[string] // with the subject of the answer to each row
}

func newRequestService(ctx context.Context, e *engine, b BareRequests) (*requestService, error) {
	nc, err := e.connect("service")
	if err != nil {
		return nil, err
	}
	err = createStreams(ctx, nc, bareJournal())
	if err != nil {
		return nil, err
	}
	s := &requestService{
		nc:      nc,
		inbox:   make(chan *nats.Msg, b.Requesters+1), // one request of each, and the append in flight
		failed:  e.failed,
		journal: journal[string]{nc: nc, subject: journalSubject, inbox: nc.NewInbox()},
	}
	if s.requests, err = nc.ChanSubscribe(requestSubject, s.inbox); err != nil {
		return nil, fmt.Errorf("subscribe %s: %w", requestSubject, err)
	}
	if _, err = nc.ChanSubscribe(s.journal.inbox, s.inbox); err != nil {
		return nil, fmt.Errorf("subscribe acknowledgements: %w", err)
	}
	if err := nc.Flush(); err != nil {
		return nil, fmt.Errorf("flush subscriptions: %w", err)
	}
	return s, nil
}

// serve answers until ctx ends, which is no error.
func (s *requestService) serve(ctx context.Context) error {
	for {
		select {
		case msg := <-s.inbox:
			for n := len(s.inbox); n > 0; n-- {
				if err := s.handle(msg); err != nil {
					return err
				}
				msg = <-s.inbox
			}
			if err := s.handle(msg); err != nil {
				return err
			}
			if err := s.journal.send(); err != nil {
				return err
			}
		case err := <-s.failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *requestService) handle(msg *nats.Msg) error {
	if msg.Sub == s.requests {
		s.journal.add(msg.Data, msg.Reply)
		return nil
	}
	group, err := s.journal.acknowledged(msg)
	if err != nil {
		return err
	}
	if err := s.journal.send(); err != nil { // first, so that the disk works meanwhile
		return err
	}
	for _, reply := range group.effects {
		if err := s.nc.Publish(reply, nil); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	s.journal.release(group)
	return nil
}
