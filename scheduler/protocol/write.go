package protocol

// A Write is one append, from when it is sealed until it is durable or can never be. It
// expects the journal to end where its writer knows it to end, so that it lands at most once,
// however often it is sent, and never behind a take-over of another. A refusal proves nothing
// about who wrote, and a silence nothing at all: after both it is looked what is there.
type Write struct {
	me     Writer
	number uint64 // of the append, among its writer's
	base   uint64 // the sequence behind which it is to land
	done   bool
}

// NewWrite is the append of a number, to be sent behind base. What Begin says comes first.
func NewWrite(me Writer, number, base uint64) *Write {
	return &Write{me: me, number: number, base: base}
}

// A WriteIn is what has become of an append.
type WriteIn interface{ writeIn() }

// What becomes of it.
type (
	// Acknowledged says that it is durable, as Seq.
	Acknowledged struct{ Seq uint64 }
	// Unanswered says that it was refused, or that no answer came.
	Unanswered struct{}
	// Behind says that a message is there, at Seq, the next behind the base: an append of By
	// with a number, or with Foreign something else.
	Behind struct {
		Seq, Number uint64
		By          Writer
		Foreign     bool
	}
	// Absent says that nothing is there, and that the journal is the one that it was.
	Absent struct{}
	// Purged says that the journal begins behind where it was to land.
	Purged struct{}
	// Unseen says that it could not be looked.
	Unseen struct{}
)

func (Acknowledged) writeIn() {}
func (Unanswered) writeIn()   {}
func (Behind) writeIn()       {}
func (Absent) writeIn()       {}
func (Purged) writeIn()       {}
func (Unseen) writeIn()       {}

// A WriteOut is what is to be done about an append.
type WriteOut interface{ writeOut() }

// What is to be done.
type (
	// Send sends it behind Base, as soon as the lease is trusted.
	Send struct{ Base uint64 }
	// Seek reads the message behind Base. There is to be a rest before it is sent again.
	Seek struct{ Base uint64 }
	// Landed says that it is durable as Seq, or of a batch that its fence is.
	Landed struct{ Seq uint64 }
)

func (Send) writeOut()      {}
func (Seek) writeOut()      {}
func (Landed) writeOut()    {}
func (StandDown) writeOut() {}

// Begin is the first thing to be done.
func (w *Write) Begin() WriteOut { return Send{w.base} }

// Step takes in what has happened, and returns what is to be done; nil when it is over.
func (w *Write) Step(in WriteIn) WriteOut {
	if w.done {
		return nil
	}
	switch in := in.(type) {
	case Acknowledged:
		return w.landed(in.Seq)
	case Behind:
		return w.behind(in)
	case Absent, Unseen: // it lands at most once, wherever the one before is
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

// behind judges what is there. An append of another can only be there with a take-over.
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
