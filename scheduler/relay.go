package scheduler

import (
	"context"
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
)

// ask hands c to the leader, here or elsewhere, now or as soon as there is one. Commands of one
// caller arrive in the order in which they were asked.
func (p *partition) ask(c command.Command, done func(any, error)) {
	a := &asked{command: c, done: done, turn: p.asks.turn()}
	if p.asks.busy.Load() || !p.bring(a) {
		p.wait(a)
	}
}

// bring gives a to the leader, here or elsewhere; false when there is none. It does not wait for
// the answer.
func (p *partition) bring(a *asked) (brought bool) {
	p.incidents.Contain(metrics.AtRequest, func() {
		brought = p.try(a.command, p.newCall(a)) || p.standing() == ledElsewhere && !p.asks.doubt.Load() && p.send(a)
	}, func(number string) {
		a.finish(nil, incident.Refusal(number))
		brought = true
	})
	return brought
}

// newCall returns a call for the leader in this process. A call that it leaves undone goes to the
// next leader, wherever that is.
func (p *partition) newCall(a *asked) *call {
	bare, by := command.Bare(a.command)
	return &call{
		stored:  verb.Is(bare, verb.AfterResults),
		patient: verb.Is(bare, verb.Hands),
		by:      by,
		done: func(answer any, err error) {
			if errors.Is(err, forward.ErrElsewhere) {
				p.wait(a)
				return
			}
			a.finish(answer, err)
		},
	}
}

// send sends a to the leader in another process, behind all that was sent there before; false when
// it has not left.
func (p *partition) send(a *asked) bool {
	sent, err := p.line.Send(a.command)
	switch {
	case errors.Is(err, forward.ErrElsewhere):
		return false
	case errors.Is(err, forward.ErrTooLarge):
		a.finish(nil, errTooLarge)
		return true
	case err != nil:
		a.finish(nil, err)
		return true
	case !p.enter():
		a.finish(nil, errUnknown)
		return true
	}
	go func() {
		defer p.after.Done()
		p.incidents.Contain(metrics.AtRequest, func() { p.receive(a, sent) }, func(number string) { a.finish(nil, incident.Refusal(number)) })
	}()
	return true
}

// receive waits for the answer to a. If nothing was done, a comes again, and later commands wait
// until a probe has found a leader.
func (p *partition) receive(a *asked, sent *forward.Sent) {
	answer, err := sent.Answer(p.running)
	switch {
	case errors.Is(err, forward.ErrElsewhere):
		p.asks.doubt.Store(true)
		if errors.Is(err, forward.ErrNoLeader) {
			p.learn(leaderless)
		}
		p.wait(a)
	case errors.Is(err, forward.ErrUnanswered):
		a.finish(nil, errUnknown)
	default:
		a.finish(answer, err)
	}
}

// wait has a wait for a leader, and returns at once. A request without a leader waits, but not for
// long, and only so many do.
func (p *partition) wait(a *asked) {
	switch {
	case p.standing() == leaderless && p.config.Store.Full() != nil:
		a.finish(nil, p.noLeader()) // waiting would be in vain
		return
	case p.standing() != ledElsewhere && p.asks.waiting() >= waitersAtMost:
		a.finish(nil, p.noLeader())
		return
	case !p.enter():
		a.finish(nil, errNoLeader)
		return
	}
	a.until = time.Now().Add(patience)
	if !p.asks.add(a) {
		p.after.Done()
		return
	}
	go func() {
		defer p.after.Done()
		p.bringWaiting()
	}()
}

// bringWaiting brings the commands that wait to the leader, in their order, until none is left.
func (p *partition) bringWaiting() {
	for a := p.asks.take(); a != nil; a = p.asks.take() {
		changed := p.changed.next()
		if p.bring(a) {
			continue
		}
		p.asks.add(a)
		select {
		case <-changed:
		case <-time.After(askAgain):
		case <-p.running.Done():
			p.asks.expire(time.Time{}, errNoLeader)
			continue
		}
		p.asks.expire(time.Now(), p.noLeader())
		p.dispelDoubt(p.running)
	}
}

// dispelDoubt lets commands go to the leader elsewhere again when it leads.
func (p *partition) dispelDoubt(ctx context.Context) {
	if p.standing() != ledElsewhere || !p.asks.doubt.Swap(false) {
		return
	}
	if sign := p.look(ctx); sign != forward.Leads && sign != forward.Stuck {
		p.asks.doubt.Store(true)
		return
	}
	p.line.Resume()
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
