package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/incident"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// relayWithin bounds an errand: a leader that took it and died says nothing.
	relayWithin = 5 * time.Second
	// askAgain is how soon a leader that was not there is asked for again.
	askAgain = 50 * time.Millisecond
)

// errElsewhere says that an errand was taken by nobody, so that it may be sent again.
var errElsewhere = errors.New("the partition is not led where it was asked for")

// relay has the leader in another process carry out c, and calls done with
// what it says. An errElsewhere means that nothing was done.
func (p *partition) relay(ctx context.Context, c schema.Command, done func(any, error)) error {
	body, err := encodeErrand(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, relayWithin)
	defer cancel()
	m, err := p.config.Dispatch.RequestWithContext(ctx, p.config.Space.Lead(p.index), body)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		p.learn(ledByNobody)
		return errElsewhere
	case errors.Is(err, nats.ErrMaxPayload):
		return errTooLarge
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return errElsewhere // it never left
	case err != nil:
		return errUnknown
	}
	var t tidings
	if err := scanInto(m.Data, &t); err != nil {
		return fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	switch {
	case t.Moved:
		return errElsewhere
	case t.Error != nil:
		return t.Error
	}
	bare, _ := schema.Bare(c)
	answer, err := routesByType[typeOf(bare)].open(t.Body)
	if err != nil {
		return fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	done(answer, nil)
	return nil
}

// A post is the leader's own subject, kept by whoever has the lease: where nobody answers
// there for a moment, the holder counts as dead, and a take-over may last longer.
type post struct {
	*partition
	sub    *nats.Subscription
	leader atomic.Pointer[leader] // nil until it listens
}

// man subscribes to the leader's own subject.
func (p *partition) man() (*post, error) {
	post := &post{partition: p}
	subject := p.config.Space.Lead(p.index)
	var err error
	if post.sub, err = p.config.Dispatch.Subscribe(subject, post.errand); err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	if err := post.sub.SetPendingLimits(-1, pendingBytes); err != nil {
		post.leave()
		return nil, fmt.Errorf("limit what waits of %s: %w", subject, err)
	}
	return post, nil
}

// leave gives the post up before anybody leads.
func (p *post) leave() {
	if err := p.sub.Unsubscribe(); err != nil {
		p.log.Debug("unsubscribe", "subject", p.sub.Subject, "error", err)
	}
}

// errand hands what comes in to the leader. Who takes over does nothing yet, and says so.
func (p *post) errand(m *nats.Msg) {
	p.incidents.Contain(metrics.AtMessage, func() { p.handle(m) }, func(number string) {
		p.reportBack(m.Reply, nil, nil, incident.Refusal(number))
	})
}

func (p *post) handle(m *nats.Msg) {
	if !p.config.Space.Answerable(m.Reply) {
		return
	}
	if l := p.leader.Load(); l != nil {
		l.take(m)
		return
	}
	p.reportBack(m.Reply, nil, nil, errElsewhere)
}

// take does what came in on the leader's own subject. An empty message only asks whether
// it is there, any other is a command that came in at another node.
func (l *leader) take(m *nats.Msg) {
	if len(m.Data) == 0 {
		l.publish(&nats.Msg{Subject: m.Reply, Data: presence(l.lacks(time.Now()) != nil)})
		return
	}
	r, c, by, err := decodeErrand(m.Data)
	if err != nil {
		l.reportBack(m.Reply, r, nil, err)
		return
	}
	k := &call{stored: waitsForResults(c), patient: isClaim(c), by: by}
	// What a leader answers is encoded outside of the goroutine that performs, since
	// it may be a page of large definitions.
	k.done = func(answer any, err error) {
		l.errand(func() { l.reportBack(m.Reply, r, answer, err) }, func(number string) {
			l.reportBack(m.Reply, nil, nil, incident.Refusal(number))
		})
	}
	if !l.enter(c, k) && l.finished && l.held.Trusted(time.Now()) {
		l.reportBack(m.Reply, r, nil, errElsewhere)
	}
	// Otherwise it keeps silent: another may have heard the same errand, and be at it.
}

// reportBack answers an errand.
func (p *partition) reportBack(to string, r *route, answer any, asked error) {
	body, err := encodeTidings(r, answer, asked)
	if err != nil {
		p.log.Error("the answer to another node's request cannot be encoded", "error", err)
		return
	}
	p.publish(&nats.Msg{Subject: to, Data: body})
}
