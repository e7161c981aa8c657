package sim

import (
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// wordKey is one word that was said; two copies of it have the same.
type wordKey struct {
	id    execID
	state schema.State
}

// word is something said about an execution as it travels.
type word struct {
	key   *wordKey // nil: a stranger's
	at    time.Time
	heard machine.Heard
}

// word is what a worker says, with all that it may add.
func (w *world) word(e *effort, state schema.State) machine.Heard {
	ev := machine.Heard{About: e.about, Reply: schema.Reply{State: state}}
	enc := one(w, wire.JSON, wire.MsgPack)
	if w.chance(0.6) {
		ev.From = &asker{e, state}
	}
	if w.chance(0.4) && !w.calm {
		ev.Reply.WorkerID = e.worker.id
	}
	if w.chance(0.5) {
		ev.Reply.Content = wire.Text(enc, strings.Repeat("\x02c", w.rng.IntN(50)))
	}
	if w.chance(0.003) {
		ev.Reply.Content = wire.Text(enc, strings.Repeat("\x03", w.rng.IntN(300<<10)))
	}
	if w.chance(0.25) {
		span := schema.Seconds(w.rng.IntN(30))
		ev.Reply.Extend, ev.Reply.Delay = &span, &span
	}
	return ev
}

// captured is the word as it is read from the capture, which keeps no inbox.
func (d word) captured() machine.Heard {
	ev := d.heard
	ev.From, ev.Captured = nil, true
	return ev
}

// reply carries a word to NATS, which captures it, and on to whoever listens.
func (w *world) reply(k *worker, said word) {
	if w.fault(w.odds.replyLost, "reply lost") {
		return
	}
	copies := 1
	if w.fault(w.odds.replyDouble, "reply doubled") {
		copies = 2
	}
	for range copies {
		at := w.now.Add(w.network())
		switch {
		case w.fault(w.odds.replyLate, "reply late"):
			at = w.now.Add(w.within(20 * time.Second)) // past what is said after it
		case at.Before(k.last):
			at = k.last
		default:
			k.last = at
		}
		w.after(at.Sub(w.now), func() {
			said.at = w.now
			w.disk.capture(said)
			w.check.captured(said)
			for _, n := range w.nodes {
				if !w.fault(w.odds.replyLost/4, "reply lost at the leader") {
					w.tellLeader(n, w.network(), said.heard)
				}
			}
		})
	}
}

// asker is a worker that wants to hear that its word was taken.
type asker struct {
	effort *effort
	state  schema.State
}

// hear brings an acknowledgement, if it arrives.
func (a *asker) hear(ack schema.Ack) {
	w := a.effort.worker.w
	if w.fault(w.odds.answerLost, "acknowledgement lost") {
		return
	}
	w.after(w.network(), func() {
		a.effort.acked = true
		if ack.Cancel {
			a.effort.stopped = true
		}
	})
}
