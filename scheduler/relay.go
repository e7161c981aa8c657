package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

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
	answer, err := routesByType[typeOf(c)].open(t.Body)
	if err != nil {
		return fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	done(answer, nil)
	return nil
}

// errand handles what comes in on the leader's own subject, to which whoever takes over
// subscribes before it leads, and who is deposed until it knows. An empty message only
// asks whether it is there, any other is a command that came in at another node.
func (l *leader) errand(m *nats.Msg) {
	if !l.config.Space.Answerable(m.Reply) {
		return
	}
	if len(m.Data) == 0 {
		l.publish(&nats.Msg{Subject: m.Reply, Data: []byte("{}")})
		return
	}
	r, c, err := decodeErrand(m.Data)
	if err != nil {
		l.reportBack(m.Reply, r, nil, err)
		return
	}
	k := &call{stored: waitsForResults(c)}
	// What a leader answers is encoded outside of the goroutine that performs, since
	// it may be a page of large definitions.
	k.done = func(answer any, err error) {
		l.errands.Go(func() { l.reportBack(m.Reply, r, answer, err) })
	}
	if !l.enter(c, k) && l.finished && l.held.Trusted(time.Now()) {
		l.reportBack(m.Reply, r, nil, errElsewhere)
	}
	// Otherwise it keeps silent: another may have heard the same errand, and be at it.
}

// reportBack answers an errand.
func (l *leader) reportBack(to string, r *route, answer any, asked error) {
	body, err := encodeTidings(r, answer, asked)
	if err != nil {
		l.log.Error("the answer to another node's request cannot be encoded", "error", err)
		return
	}
	l.publish(&nats.Msg{Subject: to, Data: body})
}
