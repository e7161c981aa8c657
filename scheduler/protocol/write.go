package protocol

// A Write is one append, from when it is sealed until it is durable or can never be. It expects the
// journal to end where its writer knows it to end, so that it lands at most once, however often it
// is sent, and never behind a take-over of another. After a refusal or a timeout the journal is
// read, because a refusal does not prove another writer, and a timeout proves nothing.
type Write struct {
	me     Writer
	number uint64 // of the append, among its writer's
	base   uint64 // the sequence behind which it is to land
	done   bool
}

// NewWrite returns the append of a number, to be sent behind base. Begin is called first.
func NewWrite(me Writer, number, base uint64) *Write {
	return &Write{me: me, number: number, base: base}
}

// A WriteIn is an event of an append.
type WriteIn interface{ writeIn() }

// The events.
type (
	// Acknowledged reports that it is durable, as Seq.
	Acknowledged struct{ Seq uint64 }
	// Unanswered reports that it was refused, or no answer came.
	Unanswered struct{}
	// Behind reports that there is a message at Seq, the next behind the base: an append of By with
	// a number, or with Foreign another message.
	Behind struct {
		Seq, Number uint64
		By          Writer
		Foreign     bool
	}
	// Absent reports that there is no message, and the journal is the one that it was.
	Absent struct{}
	// Purged reports that the journal begins behind the place of the append.
	Purged struct{}
	// Unseen reports that the journal could not be read.
	Unseen struct{}
)

func (Acknowledged) writeIn() {}
func (Unanswered) writeIn()   {}
func (Behind) writeIn()       {}
func (Absent) writeIn()       {}
func (Purged) writeIn()       {}
func (Unseen) writeIn()       {}

// A WriteOut is an order about an append.
type WriteOut interface{ writeOut() }

// The orders.
type (
	// Send sends it behind Base, as soon as the lease is trusted.
	Send struct{ Base uint64 }
	// Seek reads the message behind Base. There is to be a rest before the append is sent again.
	Seek struct{ Base uint64 }
	// Landed reports that the append is durable as Seq, or the batch of a chain with its fence at
	// Seq.
	Landed struct{ Seq uint64 }
)

func (Send) writeOut()      {}
func (Seek) writeOut()      {}
func (Landed) writeOut()    {}
func (StandDown) writeOut() {}

// Begin is the first order.
func (w *Write) Begin() WriteOut { return Send{w.base} }

// Step takes in an event, and returns the next order; nil when the append is over.
func (w *Write) Step(in WriteIn) WriteOut {
	if w.done {
		return nil
	}
	switch in := in.(type) {
	case Acknowledged:
		return w.landed(in.Seq)
	case Behind:
		return w.behind(in)
	case Absent, Unseen: // it lands at most once, wherever the attempt before is
		return Send{w.base}
	case Purged:
		w.done = true
		return StandDown{ErrPurged}
	default: // Unanswered
		return Seek{w.base}
	}
}

func (w *Write) landed(seq uint64) WriteOut {
	w.done = true
	return Landed{seq}
}

// behind judges the message found. An append of another can only be there with a take-over.
func (w *Write) behind(in Behind) WriteOut {
	switch {
	case in.Foreign:
		w.base = in.Seq
		return Seek{w.base}
	case in.By == w.me && in.Number == w.number:
		return w.landed(in.Seq)
	}
	w.done = true
	return StandDown{ErrWritten}
}
