package protocol

import "errors"

// A Signature is the fence's record of the last batch of a stream behind the journal: its writer,
// and its number among that writer's batches, from 0 on. The zero Signature is that of no fence.
type Signature struct {
	By     Writer
	Number uint64
}

// A Lack is the meaning of a stream without a fence.
type Lack uint8

// The meanings.
const (
	// Lost: nothing removes the fence. A journal that was purged had a checkpoint, so a missing
	// fence means that the stream was deleted, if the journal does not begin at 1.
	Lost Lack = iota
	// Evicted: the stream's own limits remove old messages.
	Evicted
	// New: the stream may be younger than the journal. Once it has a fence it is as Lost.
	New
)

// Reasons why a leadership that cannot write a stream stands down.
var (
	// ErrFenced reports that another writer has taken the stream over.
	ErrFenced = errors.New("another has taken the stream over")
	// ErrUnfenced reports that the stream has no fence, though the journal was purged.
	ErrUnfenced = errors.New("the stream has no fence, though the journal was purged")
	// ErrNoFence reports that the fence is gone, which nothing removes.
	ErrNoFence = errors.New("the fence of the stream is gone")
	// ErrOlder reports that the fence is from before its leader's last batch.
	ErrOlder = errors.New("the fence of the stream is older than the last write")
)

// A Chain decides the writes of one leadership to a stream behind the journal: batches, one in
// flight, each of which rewrites the stream's fence and expects it at its last sequence. The server
// checks this when the batch is committed, and stores all of it or nothing (NATS ADR-50, "Server
// Behavior Design"). So a batch lands at most once, however often it is sent, and never behind a
// take-over of another; and the fence shows whether it did.
type Chain struct {
	me     Writer
	lack   Lack
	number uint64 // of the batch in flight, or of the last one
	rev    uint64 // of the fence, as last known; 0: there is none
	taking bool   // the take-over was sent
}

// NewChain returns the chain of a writer, which must take the stream over first.
func NewChain(me Writer, lack Lack) *Chain { return &Chain{me: me, lack: lack} }

// Revision is that of the fence as this chain wrote it last; 0: it has not, or it is gone.
func (c *Chain) Revision() uint64 { return c.rev }

// A ChainOut is an order about a stream behind the journal.
type ChainOut interface{ chainOut() }

// The orders.
type (
	// Rewrite sends the batch with the signature By and expects the fence at the revision Expect;
	// 0: it expects no fence.
	Rewrite struct {
		By     Signature
		Expect uint64
	}
	// AskJournal reads the writer of the newest append, because no fence shows it. The answer goes
	// to Journal.
	AskJournal struct{}
)

func (Rewrite) chainOut()    {}
func (AskJournal) chainOut() {}
func (Landed) chainOut()     {} // its fence is at Seq
func (StandDown) chainOut()  {}

// Take takes over the stream, whose fence was found at a revision (0: there is none), while the
// journal began at the sequence begins. It is called again when its order was not answered. The
// stream is read only after it has landed, because until then a batch of an earlier leader may
// land.
func (c *Chain) Take(found Signature, rev, begins uint64) ChainOut {
	switch {
	case found.By.Epoch > c.me.Epoch, found.By.Epoch == c.me.Epoch && found.By != c.me:
		return StandDown{ErrFenced}
	case found.By == c.me && c.taking: // it has landed
		return c.Landed(rev)
	case rev == 0 && c.lack == Lost && begins > 1:
		return StandDown{ErrUnfenced}
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

// Landed records that the batch in flight is durable, with the fence at a revision.
func (c *Chain) Landed(rev uint64) Landed {
	c.rev = rev
	return Landed{rev}
}

// Doubt settles the fate of a batch that was refused or not answered, by the fence found after it:
// if the fence is this batch's, it landed; if the fence has not moved, it did not, and if it lands
// later the next attempt is refused.
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

// Journal decides about a missing fence by the writer of the newest append, because each leadership
// appends before it takes a stream over.
func (c *Chain) Journal(newest Writer) ChainOut {
	if newest.Epoch > c.me.Epoch {
		return StandDown{ErrFenced}
	}
	c.rev = 0
	return c.rewrite()
}
