package sim

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// node is one process: it stands by, or it leads or tries to.
type node struct {
	w     *world
	index int
	skew  time.Duration // by how much its clock is ahead
	shown time.Time     // the latest that it had shown when it was last set

	alive  bool
	frozen bool
	cut    bool // from NATS
	// clogged is the time until which messages from the server lie unread in its connection.
	clogged time.Time
	held    []func() // callbacks that wait for it to thaw
	leader  *leader  // nil: it stands by

	unreadable map[schema.ReplyName]bool // replies at which a machine of its panicked
	unseen     map[string]bool           // workers at whose presence a machine of its panicked
}

// clock is the time by the node's clock.
func (n *node) clock() time.Time { return n.w.now.Add(n.skew) }

// set sets the clock, by so much. The leader reads it each second.
func (n *node) set(by time.Duration) {
	if now := n.clock(); now.After(n.shown) {
		n.shown = now
	}
	n.skew += by
	if l := n.leader; l != nil {
		n.w.after(n.w.within(time.Second), l.mine(l.turnSoon))
	}
}

// run runs f in the process, now or when it thaws.
func (n *node) run(f func()) {
	if n.frozen {
		n.held = append(n.held, f)
		return
	}
	f()
}

// crash ends the process; its messages travel on all the same. False: it was down.
func (n *node) crash() bool {
	if !n.alive {
		return false
	}
	n.w.note("node %d dies", n.index)
	if n.leader != nil {
		n.leader.end("died")
	}
	n.alive, n.frozen, n.held = false, false, nil
	n.forgive()
	n.w.after(n.w.within(10*time.Second), func() { n.alive = true })
	return true
}

// freeze stops the process; then it continues unchanged.
func (n *node) freeze(d time.Duration) bool {
	if !n.alive || n.frozen {
		return false
	}
	n.w.note("node %d freezes for %v", n.index, d)
	n.frozen = true
	if l := n.leader; l != nil {
		l.doubtLease(trust - n.w.within(renewEvery))
	}
	n.w.after(d, n.thaw)
	n.w.after(patience+n.w.within(time.Second), n.w.watch)
	return true
}

func (n *node) thaw() {
	if !n.frozen {
		return
	}
	n.frozen = false
	if l := n.leader; l != nil {
		l.renewSoon()
	}
	held := n.held
	n.held = nil
	for _, f := range held {
		n.w.after(0, func() { n.run(f) }) // each in its turn
	}
}

// disconnect cuts the node off from NATS.
func (n *node) disconnect(d time.Duration) bool {
	if !n.alive || n.cut {
		return false
	}
	n.w.note("node %d is cut off for %v", n.index, d)
	n.cut = true
	if l := n.leader; l != nil {
		l.doubtLease(trust - n.w.within(renewEvery))
	}
	n.w.after(d, n.reconnect)
	n.w.after(patience+n.w.within(time.Second), n.w.watch)
	return true
}

func (n *node) reconnect() {
	n.cut = false
	if l := n.leader; l != nil {
		l.renewSoon()
	}
}

// recover repairs all faults of the node.
func (n *node) recover() {
	n.set(-n.skew)
	n.alive = true
	n.forgive()
	if n.leader != nil {
		n.leader.losesRenewals = false
	}
	n.reconnect()
	n.thaw()
}

// watch starts a take-over when no node leads.
func (w *world) watch() {
	if l := w.lease; l != nil && !l.over && l.n.alive && !l.n.frozen && !l.n.cut && !l.losesRenewals {
		return
	}
	for _, i := range w.rng.Perm(len(w.nodes)) {
		if n := w.nodes[i]; n.alive && !n.frozen && !n.cut && n.leader == nil {
			n.candidate("nobody leads")
			return
		}
	}
	w.after(w.within(time.Second), w.watch)
}

// candidate takes the lease and begins to take over. False: it cannot.
func (n *node) candidate(why string) bool {
	if !n.alive || n.frozen || n.leader != nil {
		return false
	}
	before := n.w.record
	if old := n.w.lease; old != nil && !old.over {
		old.doubtLease(n.w.within(trust)) // its next renewals are refused
		old.renewSoon()
		before = predecessor{holder: old.holder, renewed: old.renewed}
	}
	l := newLeader(n)
	n.leader, l.before = l, before
	n.w.lease = l
	n.w.report.Takeovers++
	n.w.note("node %d takes over as %s: %s", n.index, l.holder, why)
	l.next()
	return true
}

var errSilent = errors.New("no answer")

// call sends an operation to NATS. Op is carried out there, at one moment, at once, late or never;
// then gets its answer, or errSilent when none came in time, whether or not op was, or
// will yet be, carried out.
func (l *leader) call(op func() error, then func(error)) {
	w, asked := l.w, l.w.now
	answered := false
	answer := func(err error) {
		l.n.run(func() {
			if !l.over && !answered {
				answered = true
				then(err)
			}
		})
	}
	silence := func() { w.after(max(0, callPatience-w.now.Sub(asked)), func() { answer(errSilent) }) }
	if l.n.cut || w.fault(w.odds.lost, "request lost") {
		silence()
		return
	}
	there := w.network()
	if w.fault(w.odds.late, "request late") {
		there = w.within(3 * callPatience)
	}
	if there > callPatience {
		silence() // and then it is carried out all the same
	}
	w.after(there, func() {
		err := op()
		if l.n.cut || w.fault(w.odds.silent, "answer lost") {
			silence()
			return
		}
		w.after(w.network(), func() { answer(err) })
	})
}

// callPatience is the longest wait for an answer.
const callPatience = 2 * time.Second

// retry repeats the operation until then accepts an answer.
func (l *leader) retry(op func() error, then func()) {
	l.call(op, func(err error) {
		if err == nil {
			then()
			return
		}
		l.later(func() { l.retry(op, then) })
	})
}

// later does f after a rest, as trouble has it.
func (l *leader) later(f func()) {
	l.w.after(20*time.Millisecond+l.w.within(250*time.Millisecond), l.mine(f))
}

// mine limits f to the time of the leadership.
func (l *leader) mine(f func()) func() {
	return func() {
		l.n.run(func() {
			if !l.over {
				f()
			}
		})
	}
}
