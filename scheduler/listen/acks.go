package listen

import (
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// acknowledgement is where a worker wants to hear that its word was taken, and in
// which encoding it spoke.
type acknowledgement struct {
	inbox string
	enc   wire.Encoding
}

// A joined is where a worker wants to hear of several words that it sent as one message.
type joined struct {
	acknowledgement
	count int // of the words
}

// A share is the part that one of them has in it.
type share struct {
	of    *joined
	place int
}

// acks gather what is said of joined words, so that one message says it of all of them
// that are taken together.
type acks struct{ open []openAck }

type openAck struct {
	to  *joined
	ack schema.JoinedAck
}

// acksOpen bounds those that gather. What is decided together was mostly said together,
// so there are few.
const acksOpen = 16

// add notes what is said of one word; full says that it is time to send.
func (a *acks) add(s share, ack schema.Ack) (full bool) {
	for i := len(a.open) - 1; i >= 0; i-- {
		if o := &a.open[i]; o.to == s.of && o.ack.Ack == ack {
			o.ack.Of = append(o.ack.Of, s.place)
			return false
		}
	}
	a.open = slices.Grow(a.open, 1)[:len(a.open)+1] // what Of had is used again
	o := &a.open[len(a.open)-1]
	o.to, o.ack.Ack, o.ack.Of = s.of, ack, append(o.ack.Of[:0], s.place)
	return len(a.open) == acksOpen
}

// Acknowledge tells a worker what became of its word, the From of which is to. What is said
// of words that came together gathers until SendAcks. Another to is left alone.
func (l *Listener) Acknowledge(to event.Asker, ack schema.Ack) {
	switch to := to.(type) {
	case acknowledgement:
		one := ack // a copy for the heap, where a joined one needs none
		l.publish(to, &one)
	case share:
		if l.acks.add(to, ack) {
			l.SendAcks()
		}
	}
}

// SendAcks sends what has gathered about joined words.
func (l *Listener) SendAcks() {
	for i := range l.acks.open {
		o := &l.acks.open[i]
		if len(o.ack.Of) == o.to.count {
			o.ack.Of = o.ack.Of[:0] // all of them
		}
		l.publish(o.to.acknowledgement, &o.ack)
		o.to = nil
	}
	l.acks.open = l.acks.open[:0]
}

// publish writes an acknowledgement as its worker speaks. It may be lost: who needs it asks
// again.
func (l *Listener) publish(to acknowledgement, ack interface{ AppendTo(*wire.Writer) }) {
	l.w.Reset(to.enc, l.buf[:0])
	ack.AppendTo(&l.w)
	l.buf = l.w.Bytes()
	msg := &nats.Msg{Subject: to.inbox, Header: schema.ContentHeader(to.enc), Data: l.buf}
	if err := l.config.Dispatch.PublishMsg(msg); err != nil {
		l.config.Log.Debug("not published", "subject", msg.Subject, "error", err)
	}
}
