package sim

import "time"

// The lease, as broker/held.go and scheduler/lead.go have it: who holds it acts as long as it
// was renewed a short while ago, by a renewal or by an append. Without that a leader neither
// appends nor says anything, and waits: until it is renewed, or another has it.

const (
	// trust is how long a leader believes in its lease without a renewal.
	trust = 900 * time.Millisecond
	// patience is how long a standby waits for a leader of which it hears nothing, and a
	// leader for trust before it says what has landed: the length of the lease.
	patience = 1500 * time.Millisecond
	// renewEvery is how often a leader renews its lease.
	renewEvery = patience / 5
)

// trusts reports that l may act.
func (l *leader) trusts() bool { return l.w.now.Before(l.trusted) }

// doubtLease says that the lease is not renewed any more, and trusted for d at most.
func (l *leader) doubtLease(d time.Duration) {
	if at := l.w.now.Add(d); at.Before(l.trusted) {
		l.trusted = at
	}
}

// renewSoon has l renew its lease, or hear that another has it.
func (l *leader) renewSoon() {
	l.w.after(l.w.within(renewEvery)+l.w.network(), l.mine(func() {
		switch {
		case l.n.cut: // it does when it is connected again
		case l.w.lease != l:
			l.end("another has its lease")
		default:
			l.confirm(forEver)
		}
	}))
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

// regain does f as soon as l may act, and has it replaced if that takes a lease.
func (l *leader) regain(f func()) {
	waits := true
	l.awaitTrust(func() {
		waits = false
		f()
	})
	if waits {
		l.w.report.Faults["effects waited for trust"]++
		l.w.after(patience, l.mine(func() {
			if waits {
				l.end("no trust")
			}
		}))
	}
}
