package listen

import (
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// acknowledgement is the subject for a worker's acknowledgement, and the encoding of its
// reply.
type acknowledgement struct {
	inbox string
	enc   wire.Encoding
}

// A joined is the acknowledgement of several replies that a worker sent as one message.
type joined struct {
	acknowledgement
	count int // of the replies
}

// A share is one reply of a joined message, and its index there.
type share struct {
	of    *joined
	place int
}

// acks gather the acknowledgements of joined replies, so that one message has all of them that
// are accepted together.
type acks struct{ open []openAck }

type openAck struct {
	to  *joined
	ack schema.JoinedAck
}

// acksOpen bounds the gathered messages. There are few, because replies that are decided
// together were mostly sent together.
const acksOpen = 16

// add notes the acknowledgement of one reply; full reports that it is time to send.
func (a *acks) add(s share, ack schema.Ack) (full bool) {
	for i := len(a.open) - 1; i >= 0; i-- {
		if o := &a.open[i]; o.to == s.of && o.ack.Ack == ack {
			o.ack.Of = append(o.ack.Of, s.place)
			return false
		}
	}
	a.open = slices.Grow(a.open, 1)[:len(a.open)+1] // reuses the memory of Of
	o := &a.open[len(a.open)-1]
	o.to, o.ack.Ack, o.ack.Of = s.of, ack, append(o.ack.Of[:0], s.place)
	return len(a.open) == acksOpen
}

// Acknowledge sends a worker the acknowledgement of the reply whose From is to. Acknowledgements of
// joined replies gather until SendAcks. Another to is ignored.
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

// SendAcks sends the gathered acknowledgements of joined replies.
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

// publish writes an acknowledgement in its worker's encoding. It may be lost, because a worker
// that needs it repeats its reply.
func (l *Listener) publish(to acknowledgement, ack interface{ AppendTo(*wire.Writer) }) {
	l.w.Reset(to.enc, l.buf[:0])
	ack.AppendTo(&l.w)
	l.buf = l.w.Bytes()
	msg := &nats.Msg{Subject: to.inbox, Header: schema.ContentHeader(to.enc), Data: l.buf}
	if err := l.config.Dispatch.PublishMsg(msg); err != nil {
		l.config.Log.Debug("not published", "subject", msg.Subject, "error", err)
	}
}
