package sim

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// worker is one member of a station's queue group. Its replies arrive in the order in which they are
// sent, as on one connection, unless a fault changes it.
type worker struct {
	w       *world
	id      string
	station string
	last    time.Time          // when its latest reply arrives
	runs    map[execID]*effort // its executions under way
}

// effort is a worker's handling of one execution.
type effort struct {
	worker   *worker
	about    schema.ReplyName
	id       execID
	vote     bool // others are asked, too
	notified bool // of items that it may claim
	claimed  bool // it has seen to them
	stopped  bool // it was cancelled
	acked    bool // its end was acknowledged
}

// execID names an execution for ever.
type execID struct {
	incarnation uint64
	n           int64
}

// calmVotes are as many as the largest vote waits for; all replies of a worker to a vote are
// nameless when it is calm.
const calmVotes = 8

// work is a worker's behaviour for an execution, which is random.
func (k *worker) work(e *effort, startBy time.Time) {
	w := k.w
	k.runs[e.id] = e
	if e.notified && !e.claimed && (w.calm || w.chance(0.8)) {
		e.claimed = true
		w.users.claim(e.about.PlanID, func() { k.work(e, startBy) })
		return
	}
	soon, later := w.within(200*time.Millisecond), w.within(40*time.Second)
	if w.calm {
		for range calmVotes {
			if k.reply(e, w.within(time.Second), schema.StateOK); !e.vote {
				return
			}
		}
		return
	}
	if !startBy.IsZero() && w.now.After(startBy) && w.chance(0.5) {
		delete(k.runs, e.id)
		return // a library does not start it
	}
	switch n := w.rng.IntN(100); {
	case n < 40:
		k.reply(e, soon, schema.StateOK)
	case n < 46:
		k.insist(e, soon, one(w, schema.StateOK, schema.StateError), 6)
	case n < 50: // twice, and then not at all
		k.reply(e, soon, schema.StateOK)
		k.reply(e, soon*2, schema.StateOK)
		k.reply(e, later, schema.StateError)
	case n < 58:
		k.reply(e, soon, schema.StateError)
	case n < 60:
		k.reply(e, soon, schema.StateFailure)
		k.reply(e, later, schema.StateOK) // after all
	case n < 61:
		k.reply(e, soon, "perhaps")
	case n < 72: // slow
		k.reply(e, soon, schema.StateRunning)
		k.reply(e, soon*2, schema.StateRunning)
		k.reply(e, soon+later, one(w, schema.StateOK, schema.StateOK, schema.StateError))
	case n < 78:
		k.reply(e, soon, schema.StateWaiting)
		k.reply(e, soon+later, schema.StateWaiting)
		k.reply(e, soon+2*later, schema.StateOK)
	case n < 82:
		k.reply(e, soon, schema.StateRunning) // and dies
	case n < 88:
		k.reply(e, later, schema.StateOK)
	case n < 93:
		k.insist(e, later, schema.StateOK, 6)
	case n < 95:
		k.forge(e, soon)
	case n < 98: // it stops, and has not begun
		k.insist(e, one(w, soon, later), schema.StateNotWorker, 1+w.rng.IntN(3))
	default: // silent
	}
}

// insist repeats a reply until it is acknowledged, as libraries do.
func (k *worker) insist(e *effort, after time.Duration, state schema.State, times int) {
	k.w.after(after, func() {
		if e.acked || e.stopped {
			return
		}
		k.reply(e, 0, state)
		if times > 1 {
			k.insist(e, time.Second+k.w.within(5*time.Second), state, times-1)
		}
	})
}

// forge answers with a nonce that was never given.
func (k *worker) forge(e *effort, after time.Duration) {
	w := k.w
	reply := w.replyOf(e, one(w, schema.StateOK, schema.StateFailure))
	reply.About.Nonce = fmt.Sprintf("%016x", w.rng.Uint64())
	w.report.Faults["forged reply"]++
	w.after(after, func() { w.reply(k, sentReply{ev: reply}) })
}

// reply sends a reply, unless the worker was cancelled meanwhile.
func (k *worker) reply(e *effort, after time.Duration, state schema.State) {
	w := k.w
	w.after(after, func() {
		if e.stopped {
			return
		}
		if state != schema.StateRunning && state != schema.StateWaiting {
			delete(k.runs, e.id)
		}
		key := &replyKey{id: e.id, state: state}
		w.check.words.sends(key)
		if k.station == jobStation && e.claimed && w.chance(0.7) {
			k.report(e, key, 1+w.rng.IntN(6))
			return
		}
		w.reply(k, sentReply{key: key, ev: w.replyOf(e, state)})
	})
}

// ignoresCancel workers do not heed a cancellation. It is a property of the execution, because the order in
// which a map is walked must not matter.
func (w *world) ignoresCancel(id execID) bool { return (id.incarnation+uint64(id.n))%3 == 0 }
