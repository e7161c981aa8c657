package protocol

import "errors"

// A Writer signs the appends of a leadership: a holder's name, which is never used again, and its
// epoch.
type Writer struct {
	Holder string
	Epoch  int64
}

// An In is an event of a leadership.
type In interface{ in() }

// The events.
type (
	// Doubted reports that the lease has not been trusted for as long as it lasts, and that effects
	// wait for trust.
	Doubted struct{}
	// Trusted reports that the lease is renewed, and trusted again.
	Trusted struct{}
	// Taken reports that another holder has the lease.
	Taken struct{}
	// Found is the end of the journal: the writer of its newest append, and its sequence.
	Found struct {
		By   Writer
		Last uint64
	}
	// Unread reports that the end of the journal could not be read.
	Unread struct{}
)

func (Doubted) in() {}
func (Trusted) in() {}
func (Taken) in()   {}
func (Found) in()   {}
func (Unread) in()  {}

// An Out is an order to a leadership.
type Out interface{ out() }

// The orders.
type (
	// Pause answers open calls that their outcome is unknown, then performs no effect and
	// answers no caller until Resume. The table, the batches and their effects are kept.
	Pause struct{}
	// Await waits for trust: Trusted or Taken is the answer, however long it takes.
	Await struct{}
	// Look reads the end of the journal: Found or Unread is the answer, or Doubted when the lease
	// is not trusted any more by then. After an Unread there is to be a rest.
	Look struct{}
	// Resume goes on with the kept state, which is current because no other node has written.
	Resume struct{}
	// StandDown ends the leadership, and its state is discarded.
	StandDown struct{ Why error }
)

func (Pause) out()     {}
func (Await) out()     {}
func (Look) out()      {}
func (Resume) out()    {}
func (StandDown) out() {}

// Reasons why a leadership stands down.
var (
	// ErrTaken reports that another holder has the lease.
	ErrTaken = errors.New("another has the lease")
	// ErrWritten reports that another writer has written to the journal.
	ErrWritten = errors.New("another has written to the journal")
	// ErrPurged reports that the journal begins behind the place of an append.
	ErrPurged = errors.New("the journal begins behind its append")
	// ErrShort reports that the journal lacks durable appends.
	ErrShort = errors.New("the journal ends before what was appended")
)

// A phase is the state of a leadership.
type phase uint8

const (
	leads   phase = iota
	paused        // without trust
	looking       // trusted again, but perhaps not current
	over
)

// A Core is one leadership, from its begin. The zero Core is of no use.
type Core struct {
	me    Writer
	seq   uint64 // of the last append known to be durable
	phase phase
}

// NewCore returns the leadership of a writer whose take-over record is append seq.
func NewCore(me Writer, seq uint64) *Core { return &Core{me: me, seq: seq} }

// Appended records that append seq is durable.
func (c *Core) Appended(seq uint64) { c.seq = max(c.seq, seq) }

// Step takes in an event, and returns the orders that follow, in order. An event that does not
// matter in the current phase leads to none.
func (c *Core) Step(in In) []Out {
	switch in := in.(type) {
	case Taken:
		return c.end(ErrTaken)
	case Doubted:
		switch c.phase {
		case leads:
			c.phase = paused
			return []Out{Pause{}, Await{}}
		case looking: // trust has gone again
			c.phase = paused
			return []Out{Await{}}
		}
	case Trusted:
		if c.phase == paused {
			c.phase = looking
			return []Out{Look{}}
		}
	case Unread:
		if c.phase == looking {
			return []Out{Look{}}
		}
	case Found:
		return c.found(in)
	}
	return nil
}

// found decides by the journal's end whether the kept state is current. An append of its own that
// is newer than the last one known was under way: its sender learns its fate.
func (c *Core) found(in Found) []Out {
	switch {
	case c.phase != looking:
		return nil
	case in.By != c.me:
		return c.end(ErrWritten)
	case in.Last < c.seq:
		return c.end(ErrShort)
	}
	c.phase = leads
	return []Out{Resume{}}
}

func (c *Core) end(why error) []Out {
	if c.phase == over {
		return nil
	}
	c.phase = over
	return []Out{StandDown{why}}
}
