package sim

import (
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// replyKey identifies one reply; two copies of it have the same key.
type replyKey struct {
	id    execID
	state schema.State
}

// sentReply is a reply about an execution as it travels.
type sentReply struct {
	key *replyKey // nil: a stranger's
	at  time.Time
	ev  event.ReplyReceived
}

// replyOf is a worker's reply, with all its optional members.
func (w *world) replyOf(e *effort, state schema.State) event.ReplyReceived {
	ev := event.ReplyReceived{About: e.about, Reply: schema.Reply{State: state}}
	switch is, no := characterOf(e.id), false; {
	case state == schema.StateError:
		ev.Reply.Unsure = is.unsure
		if is.last {
			ev.Reply.Retry = &no
		}
	case state == schema.StateOK && is.quiet:
		ev.Reply.Callback = &no
	}
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

// character is the members that a worker adds to all its replies about one execution.
type character struct {
	unsure bool // of its error: it may have been done all the same
	last   bool // of its error: it is not to be tried again
	quiet  bool // of its ok: no callback is wanted
}

// characterOf derives the character from the execution, so that the models know it whichever of
// several replies the scheduler has received.
func characterOf(id execID) character {
	mixed := (id.incarnation*31 + uint64(id.n)) * 0x9e3779b97f4a7c15 //nolint:gosec // a hash
	return character{unsure: mixed>>40%3 == 0, last: mixed>>48%5 == 0, quiet: mixed>>56%4 == 0}
}

// received is a reply as the scheduler reads it: unchanged, but for a planted mistake.
func (w *world) received(ev event.ReplyReceived) event.ReplyReceived {
	r := &ev.Reply
	switch {
	case w.planted(LosesDoubt):
		r.Unsure = false
	case w.planted(LosesEnd):
		r.Retry = nil
	case w.planted(LosesSilence):
		r.Callback = nil
	case w.planted(NoGivingBack) && r.State == schema.StateNotWorker:
		r.State = schema.StateError
	}
	return ev
}

// captured is the reply as it is read from the capture, which stores no inbox.
func (d sentReply) captured() event.ReplyReceived {
	ev := d.ev
	ev.From, ev.Captured = nil, true
	return ev
}

// reply carries a reply to NATS, which captures it and passes it on to the subscribers.
func (w *world) reply(k *worker, reply sentReply) {
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
			at = w.now.Add(w.within(20 * time.Second)) // past the replies sent after it
		case at.Before(k.last):
			at = k.last
		default:
			k.last = at
		}
		w.after(at.Sub(w.now), func() {
			reply.at = w.now
			w.disk.capture(reply)
			w.check.words.captured(reply)
			for _, n := range w.nodes {
				if !w.fault(w.odds.replyLost/4, "reply lost at the leader") {
					n.sentTo(reply)
					w.sendToLeader(n, w.network(), w.received(reply.ev))
				}
			}
		})
	}
}

// asker is a worker that waits for the acknowledgement of its reply.
type asker struct {
	effort *effort
	state  schema.State
}

// receive brings an acknowledgement, if it arrives.
func (a *asker) receive(ack schema.Ack) {
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
