package sim

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// The lease, as broker/held.go and scheduler/lead.go have it: who holds it acts as long as it
// was renewed a short while ago, by a renewal or by an append. Without that a leader neither
// appends nor says anything, and waits: until it is renewed, or another has it. Whether it may
// go on after long is for scheduler/protocol to say.

const (
	// trust is how long a leader believes in its lease without a renewal.
	trust = 900 * time.Millisecond
	// patience is how long a standby waits for a leader of which it hears nothing, and a
	// leader for trust before it is as good as gone: the length of the lease.
	patience = 1500 * time.Millisecond
	// renewEvery is how often a leader renews its lease.
	renewEvery = patience / 5
)

// trusts reports that l may act.
func (l *leader) trusts() bool { return l.w.now.Before(l.trusted) }

// doubtLease says that the lease is not renewed any more, and trusted for d at most.
func (l *leader) doubtLease(d time.Duration) {
	at := l.w.now.Add(d)
	if l.trusted.Equal(forEver) {
		l.renewed = at.Add(-trust)
	}
	if at.Before(l.trusted) {
		l.trusted = at
	}
}

// renewSoon has l renew its lease, or hear that another has it.
func (l *leader) renewSoon() {
	l.w.after(l.w.within(renewEvery)+l.w.network(), l.mine(func() {
		switch {
		case l.n.cut, l.muted: // it does when it is heard again
		case l.w.lease == nil && l.paused && l.w.chance(0.5):
			l.w.report.Faults["record of the lease lost"]++ // and with it who had it last
			l.w.lease = l
			l.confirm(forEver)
		case l.w.lease != l:
			l.proceed(protocol.Taken{})
		default:
			l.confirm(forEver)
		}
	}))
}

// mute has nothing of what l renews arrive for d, though all else does.
func (l *leader) mute(d time.Duration) bool {
	if l.muted || !l.leads {
		return false
	}
	l.w.note("renewals of epoch %d are lost for %v", l.epoch, d)
	l.muted = true
	l.doubtLease(l.w.within(trust))
	l.w.after(d, l.mine(l.unmute))
	l.w.after(patience+l.w.within(time.Second), l.w.watch)
	return true
}

func (l *leader) unmute() {
	l.muted = false
	l.renewSoon()
}

// appended counts an append that was sent then as a renewal.
func (l *leader) appended(sent time.Time) {
	if by := sent.Add(trust); by.After(l.trusted) {
		l.confirm(by)
	}
}

// confirm has those go on who wait for trust.
func (l *leader) confirm(until time.Time) {
	l.trusted = until
	waiting := l.awaiting
	l.awaiting = nil
	for _, f := range waiting {
		l.w.after(0, l.mine(f))
	}
}

// awaitTrust does f as soon as l may act; for as long as it leads, if it takes that.
func (l *leader) awaitTrust(f func()) {
	if l.trusts() {
		f()
		return
	}
	l.awaiting = append(l.awaiting, func() { l.awaitTrust(f) })
}

// regain does f as soon as l may act. Where that takes longer than a lease l is as good as
// gone, until it is known that nobody has replaced it.
func (l *leader) regain(f func()) {
	waits := true
	l.awaitTrust(func() {
		if waits {
			waits = false
			f()
		}
	})
	if !waits {
		return
	}
	l.w.report.Faults["effects waited for trust"]++
	l.w.after(patience, l.mine(func() {
		if waits {
			waits, l.resumes = false, f
			l.proceed(protocol.Doubted{})
		}
	}))
}

// proceed does what the protocol says to something that has happened.
func (l *leader) proceed(in protocol.In) {
	for _, out := range l.core.Step(in) {
		l.carryOut(l.mistaken(out))
	}
}

// mistaken is out, or what a planted mistake makes of it.
func (l *leader) mistaken(out protocol.Out) protocol.Out {
	if down, ends := out.(protocol.StandDown); ends && errors.Is(down.Why, protocol.ErrWritten) && l.w.planted(GoesOnReplaced) {
		return protocol.Resume{}
	}
	return out
}

// carryOut does one thing that the protocol says.
func (l *leader) carryOut(out protocol.Out) {
	switch out := out.(type) {
	case protocol.Pause:
		l.w.note("epoch %d waits for trust", l.epoch)
		l.paused = true
	case protocol.Await:
		l.awaitTrust(func() { l.proceed(protocol.Trusted{}) })
	case protocol.Look:
		l.readEnd()
	case protocol.Resume:
		l.w.note("epoch %d goes on", l.epoch)
		l.w.report.Faults["leader went on"]++
		l.paused = false
		l.w.check.wentOn(l)
		l.resumes()
	case protocol.StandDown:
		l.end(out.Why.Error())
	}
}

// readEnd reads who wrote the newest append.
func (l *leader) readEnd() {
	var newest landed
	l.call(func() error {
		newest, l.ledBy = l.d.newest(), l.w.check.epoch
		return nil
	}, func(err error) {
		switch {
		case err != nil:
			l.later(func() { l.proceed(protocol.Unread{}) })
		case !l.trusts():
			l.proceed(protocol.Doubted{})
		default:
			l.proceed(protocol.Found{By: newest.by(), Last: newest.seq})
		}
	})
}
