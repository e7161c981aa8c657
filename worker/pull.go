package worker

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// claimWait is the time for which the scheduler keeps a claim without executions for it. A
	// claim dies with the node that keeps it, which is noticed claimGrace later.
	claimWait  = 5 * time.Second
	claimGrace = 4 * time.Second
	// claimsAtOnce is the number of claims of one station that may be under way after an
	// answer of plentyFrom executions or more came full.
	claimsAtOnce = 4
	plentyFrom   = schema.MaxClaim / 2
	// crowdedWait replaces claimWait where there are more stations than room, so that
	// each has its turn.
	crowdedWait = 100 * time.Millisecond
	// After a claim without an answer the next one waits backoffFirst, twice as long each
	// time, backoffMost at last; each between half of that and all of it, because all
	// workers of a scheduler that comes back would claim at once.
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// A puller claims work of the pull stations whenever there is room for it. One claim is
// under way for each station, and waits there for work. After an empty answer the next claim
// is for one execution, and each later one for twice as many as came the last time, so that
// a burst is shared out among idle workers while a busy worker takes large batches. When a
// large batch came full, more claims are sent beside it, which do not wait.
type puller struct {
	nc       *nats.Conn
	log      *slog.Logger
	workerID string
	enc      wire.Encoding
	room     int                           // executions held at once, pushed ones too
	spare    int                           // the part of room beyond the number of handlers
	load     func() int                    // the number of executions held
	take     func(list wire.Value) (n int) // takes over claimed executions, and counts them

	wake chan struct{} // of size one: there may be room, or an answer
	quit context.CancelFunc
	loop sync.WaitGroup

	mu      sync.Mutex
	inbox   string // "_INBOX.….", in front of a claim's token
	answers subscription
	seq     uint64
	sources []*source // in the order of their turns
	asked   int       // by all claims under way together
}

// A source is a station that work is claimed from.
type source struct {
	station *Station
	subject string
	pending []pendingClaim
	limit   int  // of the next claim, if there is room
	plenty  bool // the last answer was large, and full
	pause   time.Duration
	after   time.Time // the next claim may be sent then
	warned  bool      // it was logged that claims fail
}

// A pendingClaim is a claim without an answer yet.
type pendingClaim struct {
	token string
	limit int
	since time.Time
	wait  time.Duration
}

func (u *pendingClaim) overdue() time.Time { return u.since.Add(u.wait + claimGrace) }

func newPuller(w *Worker) *puller {
	return &puller{
		nc: w.nc, log: w.log, workerID: w.opts.ID, enc: w.opts.Encoding,
		room: w.opts.Concurrency + w.opts.Prefetch, spare: w.opts.Prefetch,
		load: w.table.size, take: w.claimed,
		wake: make(chan struct{}, 1),
	}
}

// add makes the puller claim from a station, by requests on subject.
func (p *puller) add(s *Station, subject string) {
	p.sources = append(p.sources, &source{station: s, subject: subject, limit: 1})
}

// start begins to claim, unless there is no station to claim from.
func (p *puller) start() error {
	if len(p.sources) == 0 {
		return nil
	}
	if err := p.open(); err != nil {
		return err
	}
	again := p.nc.StatusChanged(nats.CONNECTED)
	ctx, cancel := context.WithCancel(context.Background())
	p.quit = cancel
	p.loop.Go(func() {
		defer p.nc.RemoveStatusListener(again)
		p.run(ctx, again)
	})
	return nil
}

// stop sends no more claims, and returns when the answers that were on their way have
// been taken. A later answer finds no subscriber, and the scheduler puts its executions back.
func (p *puller) stop() {
	if p.quit == nil {
		return
	}
	p.quit()
	p.loop.Wait()
	drain(p.nc, p.answers)
}

// open makes an inbox for the answers from now on.
func (p *puller) open() error {
	inbox := p.nc.NewInbox() + "."
	sub, err := p.nc.Subscribe(inbox+"*", contained(p.log, p.answered))
	if err != nil {
		return fmt.Errorf("subscribe to answers of claims: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox, p.answers = inbox, watch(sub)
	return nil
}

// notify makes the loop check for room.
func (p *puller) notify() { nudge(p.wake) }

// run sends claims until ctx ends. A connection that was away has lost answers, so that all
// claims are sent again, with another inbox; the executions of answers to the former one are
// put back.
func (p *puller) run(ctx context.Context, again <-chan nats.Status) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again:
			if !p.renew() {
				return
			}
		case <-p.wake:
		case <-timer.C:
		}
		if next := p.claim(time.Now()); next > 0 {
			timer.Reset(next)
		} else {
			timer.Stop()
		}
	}
}

// renew ends all pending claims, and reports false when the connection is closed for good.
func (p *puller) renew() bool {
	former := p.answers
	if err := p.open(); err != nil {
		p.log.Debug("claims end", "error", err)
		return false
	}
	drain(p.nc, former)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sources {
		s.pending, s.after = nil, time.Time{}
	}
	p.asked = 0
	return true
}

// claim sends the claims for which there is room, and returns the wait before the next
// call; zero: until an event.
func (p *puller) claim(now time.Time) (next time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sooner := func(at time.Time) {
		if wait := max(at.Sub(now), 1); next == 0 || wait < next {
			next = wait
		}
	}
	var waiting, asked []*source // the others come first, the next time
	for _, s := range p.sources {
		p.expire(s, now)
		sent := false
		for now.Compare(s.after) >= 0 && s.mayAsk() {
			// Better one large batch, a little later, than many small ones.
			free := p.room - p.load() - p.asked
			if free < 1 || free < min(s.limit, (p.spare+1)/2) {
				break
			}
			p.send(s, min(s.limit, free), now)
			sent = true
		}
		if now.Before(s.after) {
			sooner(s.after)
		}
		for i := range s.pending {
			sooner(s.pending[i].overdue())
		}
		if sent {
			asked = append(asked, s)
		} else {
			waiting = append(waiting, s)
		}
	}
	p.sources = append(waiting, asked...)
	return next
}

// mayAsk reports whether one more claim may be sent.
func (s *source) mayAsk() bool {
	return len(s.pending) == 0 || s.plenty && len(s.pending) < claimsAtOnce
}

// expire ends the claims with an overdue answer.
func (p *puller) expire(s *source, now time.Time) {
	for i := len(s.pending) - 1; i >= 0; i-- {
		if !now.Before(s.pending[i].overdue()) {
			p.end(s, i)
			p.fail(s, now, "no answer came")
		}
	}
}

// send asks for up to limit executions.
func (p *puller) send(s *source, limit int, now time.Time) {
	p.seq++
	u := pendingClaim{token: token('c', p.seq), limit: limit, since: now, wait: claimWait}
	switch {
	case len(s.pending) > 0:
		u.wait = 0
	case len(p.sources) > p.room:
		u.wait = crowdedWait
	}
	p.asked += limit
	s.pending = append(s.pending, u)
	body, err := wire.Marshal(p.enc, u.claim(p.workerID, s.station.pull))
	if err == nil {
		err = p.nc.PublishMsg(&nats.Msg{Subject: s.subject, Reply: p.inbox + u.token, Data: body, Header: nats.Header{
			schema.HeaderAnswerBy: {schema.FormatAnswerBy(u.overdue())},
		}})
	}
	if err != nil {
		p.end(s, len(s.pending)-1)
		p.fail(s, now, err.Error())
	}
}

// claim is the request.
func (u *pendingClaim) claim(workerID string, only *Filter) schema.Claim {
	return schema.Claim{
		WorkerID: workerID, Limit: int64(u.limit), WaitMS: u.wait.Milliseconds(),
		TenantID: only.TenantID, Category: only.Category, Caller: only.Caller, Labels: only.Labels,
	}
}

// end removes a claim from the pending ones.
func (p *puller) end(s *source, i int) {
	p.asked -= s.pending[i].limit
	s.pending = slices.Delete(s.pending, i, i+1)
}

// fail logs a claim that failed, and delays the next one.
func (p *puller) fail(s *source, now time.Time, why string) {
	s.limit, s.plenty = 1, false
	s.pause = min(max(2*s.pause, backoffFirst), backoffMost)
	s.after = now.Add(s.pause/2 + rand.N(s.pause/2))
	if s.warned {
		p.log.Debug("claim failed", "station", s.station.name, "error", why)
		return
	}
	s.warned = true
	p.log.Warn("claims fail; they are repeated", "station", s.station.name, "error", why)
}

// answered is called for every message to the inbox. Its executions are taken also when the
// claim was ended, because they are this worker's.
func (p *puller) answered(msg *nats.Msg) {
	n := 0
	answer, err := readClaimed(msg)
	if err == nil {
		n = p.take(answer.executions)
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sources {
		i := slices.IndexFunc(s.pending, func(u pendingClaim) bool { return strings.HasSuffix(msg.Subject, "."+u.token) })
		if i < 0 {
			continue
		}
		u := s.pending[i]
		p.end(s, i)
		if err != nil {
			p.fail(s, now, err.Error())
			break
		}
		s.limit, s.plenty = min(max(2*n, 1), schema.MaxClaim), n == u.limit && n >= plentyFrom
		s.pause, s.warned = 0, false
		switch {
		case answer.again > 0:
			s.after = now.Add(answer.again/2 + rand.N(answer.again))
		case n == 0 && now.Sub(u.since) < u.wait/2:
			s.after = now.Add(backoffFirst) // it was not kept, so the next one may not be
		}
		break
	}
	p.notify()
}
