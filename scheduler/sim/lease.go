package sim

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// The lease, as broker/held.go and scheduler/lead.go have it: its holder acts for a short while
// after each renewal or append. Without trust a leader neither appends nor publishes, but waits for
// a renewal, or for another holder. scheduler/protocol decides whether it may go on after a long
// wait.

const (
	// trust is how long a leader believes in its lease without a renewal.
	trust = 900 * time.Millisecond
	// patience is the length of the lease: a standby waits that long for a silent leader, and a
	// leader for trust before it counts as gone.
	patience = 1500 * time.Millisecond
	// renewEvery is how often a leader renews its lease.
	renewEvery = patience / 5
)

// trusts reports that l may act.
func (l *leader) trusts() bool { return l.w.now.Before(l.trusted) }

// doubtLease ends the renewals of the lease, which is trusted for d at most.
func (l *leader) doubtLease(d time.Duration) {
	at := l.w.now.Add(d)
	if l.trusted.Equal(forEver) {
		l.renewed = at.Add(-trust)
	}
	if at.Before(l.trusted) {
		l.trusted = at
	}
}

// renewSoon has l renew its lease, or learn that another has it.
func (l *leader) renewSoon() {
	l.w.after(l.w.within(renewEvery)+l.w.network(), l.mine(func() {
		switch {
		case l.n.cut, l.losesRenewals: // it renews when it is connected again
		case l.w.lease == nil && l.paused && l.w.chance(0.5):
			l.w.report.Faults["record of the lease lost"]++ // and with it the last holder
			l.w.lease = l
			l.confirm(forEver)
		case l.w.lease != l:
			l.proceed(protocol.Taken{})
		default:
			l.confirm(forEver)
		}
	}))
}

// loseRenewals loses the renewals of l for d, though all else arrives.
func (l *leader) loseRenewals(d time.Duration) bool {
	if l.losesRenewals || !l.leads {
		return false
	}
	l.w.note("renewals of epoch %d are lost for %v", l.epoch, d)
	l.losesRenewals = true
	l.doubtLease(l.w.within(trust))
	l.w.after(d, l.mine(l.regainRenewals))
	l.w.after(patience+l.w.within(time.Second), l.w.watch)
	return true
}

func (l *leader) regainRenewals() {
	l.losesRenewals = false
	l.renewSoon()
}

// appended counts an append that was sent then as a renewal.
func (l *leader) appended(sent time.Time) {
	if by := sent.Add(trust); by.After(l.trusted) {
		l.confirm(by)
	}
}

// confirm runs the callbacks that wait for trust.
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

// regain runs f as soon as l may act. If that takes longer than a lease, l counts as gone until it
// is known that no other leader has replaced it.
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

// proceed carries out the protocol's decision about an event.
func (l *leader) proceed(in protocol.In) {
	for _, out := range l.core.Step(in) {
		l.carryOut(l.mistaken(out))
	}
}

// mistaken is out, or its planted variant.
func (l *leader) mistaken(out protocol.Out) protocol.Out {
	if down, ends := out.(protocol.StandDown); ends && errors.Is(down.Why, protocol.ErrWritten) && l.w.planted(GoesOnReplaced) {
		return protocol.Resume{}
	}
	return out
}

// carryOut carries out one decision of the protocol.
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

// readEnd reads the writer of the newest append.
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
