package scheduler

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
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

// acknowledge answers a worker's word.
func (l *leader) acknowledge(to acknowledgement, e machine.Answer) {
	ack, _ := e.Body.(schema.Ack)
	l.publishBody(to.inbox, to.enc, &ack)
}

// acknowledgeJoined sends what has gathered about joined words.
func (l *leader) acknowledgeJoined() {
	for i := range l.acks.open {
		o := &l.acks.open[i]
		if len(o.ack.Of) == o.to.count {
			o.ack.Of = o.ack.Of[:0] // all of them
		}
		l.publishBody(o.to.inbox, o.to.enc, &o.ack)
		o.to = nil
	}
	l.acks.open = l.acks.open[:0]
}
