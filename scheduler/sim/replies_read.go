package sim

import (
	"math"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// An arrival is an event on its way from the server to a leader's subscription.
type arrival struct{ ev event.Event }

// receives reports that a leader's subscription receives messages from the server.
func receives(l *leader) bool { return l != nil && l.listens && !l.n.cut }

// clogged is the time until the connection's backlog is read.
func clogged(l *leader) time.Duration { return max(0, l.n.clogged.Sub(l.w.now)) }

// incoming brings an event that the server sends now.
func (l *leader) incoming(in time.Duration, ev event.Event) {
	a := &arrival{ev}
	l.arriving = append(l.arriving, a)
	l.w.after(in+clogged(l), l.mine(func() { l.arrive(a) }))
}

// arrive delivers an event that has not arrived yet.
func (l *leader) arrive(a *arrival) {
	if i := slices.Index(l.arriving, a); i >= 0 {
		l.arriving = slices.Delete(l.arriving, i, i+1)
		l.events = append(l.events, a.ev)
		l.turnSoon()
	}
}

// readReplies delivers all events that the server has sent by now, and then notifies the machine
// (scheduler/listen/catch_up.go). Events lost with a broken connection are not read again here.
func (l *leader) readReplies() {
	if l.asks {
		return
	}
	l.asks = true
	to := l.n.clock()
	if l.w.planted(TimesOutUnread) {
		l.repliesRead(to)
		return
	}
	sealed := l.batches - 1
	var sent []*arrival
	l.retry(func() error { sent = slices.Clone(l.arriving); return nil }, func() {
		l.w.after(clogged(l), l.mine(func() {
			for _, a := range sent { // on one connection, and before the answer
				l.arrive(a)
			}
			l.awaitPerformed(sealed, func() { l.repliesRead(to) })
		}))
	})
}

// repliesRead notifies the machine, behind all events that have arrived.
func (l *leader) repliesRead(to time.Time) {
	l.asks = false
	done := l.performed
	if l.w.planted(EndsUnsent) {
		done = math.MaxUint64
	}
	l.held, l.after = append(l.held, l.after...), nil
	l.events = append(l.events, event.RepliesRead{To: to, Performed: done})
	l.turnSoon()
}

// awaitPerformed does f when the batches up to a number are performed.
func (l *leader) awaitPerformed(number uint64, f func()) {
	if l.performed >= number || l.w.planted(EndsUnsent) {
		f()
		return
	}
	l.behind = append(l.behind, func() { l.awaitPerformed(number, f) })
}

// hasPerformed notes that all effects of a batch were performed.
func (l *leader) hasPerformed(number uint64) {
	l.performed = number
	waiting := l.behind
	l.behind = nil
	for _, f := range waiting {
		f()
	}
}
