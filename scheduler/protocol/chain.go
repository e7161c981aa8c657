package protocol

import "errors"

// A Signature is what the fence of a stream behind the journal says of its last batch: who
// wrote it, and which of its writer's it was, from 0 on. The zero Signature is that of no fence.
type Signature struct {
	By     Writer
	Number uint64
}

// A Lack says what it means that a stream has no fence.
type Lack uint8

// What it means.
const (
	// Lost: nothing takes the fence away. A journal that was purged had a checkpoint, so
	// where it does not begin at 1 somebody has thrown the stream away.
	Lost Lack = iota
	// Evicted: the stream's own limits take away what is old.
	Evicted
	// New: the stream may be younger than the journal. From when it has a fence it is as Lost.
	New
)

// Why a leadership that cannot write a stream stands down.
var (
	// ErrFenced says that another has taken the stream over.
	ErrFenced = errors.New("another has taken the stream over")
	// ErrThrownAway says that the stream has no fence, though the journal was purged.
	ErrThrownAway = errors.New("the stream has no fence, though the journal was purged")
	// ErrNoFence says that the fence is gone, which nothing takes away.
	ErrNoFence = errors.New("the fence of the stream is gone")
	// ErrOlder says that the fence is one that was there before its leader's last batch.
	ErrOlder = errors.New("the fence of the stream is older than what was written")
)

// A Chain is what one leadership writes to a stream behind the journal: batches, one in
// flight, each of which rewrites the stream's fence and expects it where it was. The server
// compares that with what the stream has when the batch is committed, and stores all of it or
// nothing (NATS ADR-50, "Server Behavior Design"). So a batch lands at most once, however often
// it is sent, and never behind a take-over of another; and what the fence says tells whether
// it did.
type Chain struct {
	me     Writer
	lack   Lack
	number uint64 // of the batch in flight, or of the last one
	rev    uint64 // of the fence as it was known last; 0: there is none
	taking bool   // the take-over was sent
}

// NewChain is that of a writer, which is to take the stream over before all else.
func NewChain(me Writer, lack Lack) *Chain { return &Chain{me: me, lack: lack} }

// Revision is that of the fence as this chain wrote it last; 0: it has not, or it is gone.
func (c *Chain) Revision() uint64 { return c.rev }

// A ChainOut is what is to be done about a stream behind the journal.
type ChainOut interface{ chainOut() }

// What is to be done.
type (
	// Rewrite sends the batch, signed so, with the fence expected at the revision Expect; 0: it is
	// expected that there is none.
	Rewrite struct {
		By     Signature
		Expect uint64
	}
	// AskJournal reads who wrote the newest append, since no fence can tell: Journal is told.
	AskJournal struct{}
)

func (Rewrite) chainOut()    {}
func (AskJournal) chainOut() {}
func (Landed) chainOut()     {} // its fence is at Seq
func (StandDown) chainOut()  {}

// Take takes the stream over, whose fence was found at a revision (0: there is none), when
// the journal was known to begin at a sequence. It is asked again when what it says was not
// answered. What the stream holds is read after that: later an earlier leader's batch may land.
func (c *Chain) Take(found Signature, rev, begins uint64) ChainOut {
	switch {
	case found.By.Epoch > c.me.Epoch, found.By.Epoch == c.me.Epoch && found.By != c.me:
		return StandDown{ErrFenced}
	case found.By == c.me && c.taking: // it has landed
		return c.Landed(rev)
	case rev == 0 && c.lack == Lost && begins > 1:
		return StandDown{ErrThrownAway}
	}
	c.rev, c.taking = rev, true
	return c.rewrite()
}

// Next begins the next batch. The one before is durable.
func (c *Chain) Next() Rewrite {
	c.number++
	return c.rewrite()
}

func (c *Chain) rewrite() Rewrite { return Rewrite{Signature{c.me, c.number}, c.rev} }

// Landed notes that the batch in flight is durable, with the fence at a revision.
func (c *Chain) Landed(rev uint64) Landed {
	c.rev = rev
	return Landed{rev}
}

// Doubt says what became of a batch that was refused or not answered, by what was found behind
// it: if the fence is this batch's, it landed; if it is where it was, it did not, and if it
// lands later the next attempt is refused.
func (c *Chain) Doubt(found Signature, rev uint64) ChainOut {
	switch {
	case rev == 0 && c.lack == Evicted:
		return AskJournal{}
	case rev == 0:
		return StandDown{ErrNoFence}
	case found == (Signature{c.me, c.number}):
		return c.Landed(rev)
	case rev < c.rev:
		return StandDown{ErrOlder}
	case rev > c.rev:
		return StandDown{ErrFenced}
	}
	return c.rewrite()
}

// Journal says what is to be done where the fence is gone, by who wrote the newest append:
// each leadership appends before it takes a stream over.
func (c *Chain) Journal(newest Writer) ChainOut {
	if newest.Epoch > c.me.Epoch {
		return StandDown{ErrFenced}
	}
	c.rev = 0
	return c.rewrite()
}
