package scheduler

import (
	"context"
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
)

// askAgain is the pause before a missing leader is asked again.
const askAgain = 50 * time.Millisecond

// relay has the leader in another process carry out c, and calls done with its answer. A
// forward.ErrElsewhere means that nothing was done.
func (p *partition) relay(ctx context.Context, c command.Command, done func(any, error)) error {
	answer, err := p.line.Ask(ctx, c)
	switch {
	case err == nil:
		done(answer, nil)
	case errors.Is(err, forward.ErrNoLeader):
		p.learn(leaderless)
	case errors.Is(err, forward.ErrTooLarge):
		return errTooLarge
	case errors.Is(err, forward.ErrUnanswered):
		return errUnknown
	}
	return err
}

// Stuck is as with forward.Leader.
func (l *leader) Stuck() bool { return l.lacks(time.Now()) != nil }

// Take is as with forward.Leader.
func (l *leader) Take(c command.Dated, answer func(any, error)) {
	k := &call{stored: verb.Is(c.Command, verb.AfterResults), patient: verb.Is(c.Command, verb.Hands), by: c.By}
	// A leader's answer is encoded outside of the goroutine that performs, because it may be a page
	// of large definitions.
	k.done = func(body any, err error) {
		l.background(func() { answer(body, err) }, func(number string) { answer(nil, incident.Refusal(number)) })
	}
	if !l.enter(c, k) && l.finished && l.held.Trusted(time.Now()) {
		answer(nil, forward.ErrElsewhere)
	}
	// Otherwise it does not answer, because another leader may have got the same request, and be at
	// it.
}
