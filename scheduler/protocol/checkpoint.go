package protocol

import "slices"

// Inherited is the number of the batches that stand for what earlier leaders appended.
const Inherited = 0

// A Checkpoint decides how far the journal is done with: that all streams behind it have what
// it holds. It is written with the rows of the bucket, in one batch, so that it is never ahead
// of them (NATS ADR-50: all messages of an atomic batch are stored, or none); and what is
// before it is purged only when that batch is durable, because who takes over replays the
// journal from there on. The zero Checkpoint is that of a bucket that has nothing.
type Checkpoint struct {
	taken   Mark // how far the bucket has the journal, when the rows at hand are written
	mark    Mark // the checkpoint, as it was written last
	appends []appended
	bytes   int64 // of them
	passed  int64 // of those that the bucket has since the checkpoint was moved
}

// appended is a batch that became append seq, and that the bucket does not have.
type appended struct {
	batch, seq uint64
	bytes      int64
}

// NewCheckpoint is the one that was found.
func NewCheckpoint(found Mark) Checkpoint { return Checkpoint{taken: found, mark: found} }

// Mark is the checkpoint as it was written last.
func (c *Checkpoint) Mark() Mark { return c.mark }

// Behind is how many bytes were appended that the bucket does not have.
func (c *Checkpoint) Behind() int64 { return c.bytes }

// Appended notes that the batch of a number is durable as append seq, of so many bytes.
func (c *Checkpoint) Appended(batch, seq uint64, bytes int) {
	c.appends = append(c.appends, appended{batch, seq, int64(bytes)})
	c.bytes += int64(bytes)
}

// Overdue reports that rows are to be written although their plans are busy, since the bucket
// lacks more than most bytes, or more than so many of what earlier leaders left: where
// leaders die young, each would leave more to the next, who has to read it all.
func (c *Checkpoint) Overdue(most, inherited int64) bool {
	left := int64(0)
	for _, a := range c.appends {
		if a.batch != Inherited {
			break
		}
		left += a.bytes
	}
	return c.bytes > most || left > inherited
}

// Rows are some of the bucket, as the machine hands them over.
type Rows struct {
	// Before is the number of the first batch that may have changed something which the
	// bucket does not have when these are written.
	Before uint64
	// N is how many there are. Left says that others are to be written.
	N    int
	Left bool
	// Soon says that the checkpoint was moved a short while ago: without rows it is not worth
	// a batch yet.
	Soon bool
}

// A Move is what is to be done with rows.
type Move struct {
	// UpTo is the checkpoint that is written with the rows.
	UpTo Mark
	// Write says that they are written, Again that there is something left to be.
	Write, Again bool
}

// Move takes in rows, and how far other streams have the journal. The checkpoint goes as far
// as all of them have it, and never back: who takes over reads the journal from there on, which
// what is before may have left.
func (c *Checkpoint) Move(rows Rows, stored ...Mark) Move {
	c.pass(rows.Before)
	upTo := most(least(c.taken, stored...), c.mark)
	moves := upTo != c.mark
	m := Move{UpTo: upTo, Write: rows.N > 0 || moves && !rows.Soon}
	m.Again = rows.Left || upTo.Compare(c.taken) < 0 || moves && !m.Write
	return m
}

// pass forgets the appends before the batch of a number: the bucket has them.
func (c *Checkpoint) pass(before uint64) {
	n := 0
	for n < len(c.appends) && c.appends[n].batch < before {
		c.taken = Mark{Seq: c.appends[n].seq + 1}
		c.bytes -= c.appends[n].bytes
		c.passed += c.appends[n].bytes
		n++
	}
	c.appends = slices.Delete(c.appends, 0, n)
}

// A Purge is what need not be in the journal any more: the appends up to UpTo, of which about
// Bytes were not before.
type Purge struct {
	UpTo  uint64
	Bytes int64
}

// Written notes that m is durable. It returns what may be purged from now on, and false when
// that is nothing new.
func (c *Checkpoint) Written(m Move) (Purge, bool) {
	if m.UpTo == c.mark {
		return Purge{}, false
	}
	p := Purge{m.UpTo.From(), c.passed}
	c.mark, c.passed = m.UpTo, 0
	return p, true
}
