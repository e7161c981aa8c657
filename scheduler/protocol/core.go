package protocol

import "errors"

// A Writer is who signs the appends of a leadership: a holder's name, which is never used
// again, and its epoch.
type Writer struct {
	Holder string
	Epoch  int64
}

// An In is what has happened to a leadership.
type In interface{ in() }

// What happens.
type (
	// Doubted says that the lease has not been trusted for as long as it lasts, and that
	// something waits to be said.
	Doubted struct{}
	// Trusted says that the lease is renewed, and trusted again.
	Trusted struct{}
	// Taken says that another has the lease.
	Taken struct{}
	// Found says how the journal ends: who wrote its newest append, and its sequence.
	Found struct {
		By   Writer
		Last uint64
	}
	// Unread says that the end of the journal could not be read.
	Unread struct{}
)

func (Doubted) in() {}
func (Trusted) in() {}
func (Taken) in()   {}
func (Found) in()   {}
func (Unread) in()  {}

// An Out is what a leadership is to do.
type Out interface{ out() }

// What is to be done.
type (
	// Pause says that nothing is said and nobody is answered until Resume: who waits for an
	// answer is told that nobody knows. The table, the batches and what is to be said of
	// them are kept.
	Pause struct{}
	// Await asks for trust: Trusted or Taken is the answer, however long it takes.
	Await struct{}
	// Look asks for the end of the journal: Found or Unread is the answer, or
	// Doubted when the lease is not trusted any more by then. Behind an Unread there is to
	// be a rest.
	Look struct{}
	// Resume says that nobody else has written: what was kept is current, and all goes on.
	Resume struct{}
	// StandDown ends the leadership, and what it has is thrown away.
	StandDown struct{ Why error }
)

func (Pause) out()     {}
func (Await) out()     {}
func (Look) out()      {}
func (Resume) out()    {}
func (StandDown) out() {}

// Why a leadership stands down.
var (
	// ErrTaken says that another has the lease.
	ErrTaken = errors.New("another has the lease")
	// ErrWritten says that another has written to the journal.
	ErrWritten = errors.New("another has written to the journal")
	// ErrPurged says that the journal begins behind where an append was to land.
	ErrPurged = errors.New("the journal begins behind its append")
	// ErrShort says that the journal lacks what was appended.
	ErrShort = errors.New("the journal ends before what was appended")
)

// A phase is where a leadership is.
type phase uint8

const (
	leads   phase = iota
	paused        // without trust
	looking       // trusted again, and not known to be current
	over
)

// A Core is one leadership, from when it leads. The zero Core is of no use.
type Core struct {
	me    Writer
	seq   uint64 // of the last append that is known to be durable
	phase phase
}

// NewCore is the leadership of a writer whose take-over record is append seq.
func NewCore(me Writer, seq uint64) *Core { return &Core{me: me, seq: seq} }

// Appended notes that append seq is durable.
func (c *Core) Appended(seq uint64) { c.seq = max(c.seq, seq) }

// Step takes in what has happened, and returns what is to be done, in order. What
// does not matter where the leadership is leads to nothing.
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

// found tells by the journal's end whether what is kept is current. An append of its own
// that is newer than the last one that it knows of was under way: its fate is told to who
// sent it.
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
