package protocol

import "slices"

// Inherited is the batch number that stands for all appends of earlier leaders.
const Inherited = 0

// A Checkpoint decides up to where the journal is finished: all streams behind it have its content.
// It is written with the rows of the bucket, in one batch, so that it is never ahead of them (NATS
// ADR-50: all messages of an atomic batch are stored, or none). The journal before it is purged
// only when that batch is durable, because the next leader replays from there on. The zero
// Checkpoint is that of an empty bucket.
type Checkpoint struct {
	taken   Mark // how far the bucket has the journal, when the rows at hand are written
	mark    Mark // the checkpoint, as last written
	appends []appended
	bytes   int64 // of the appends
	passed  int64 // of the appends that the bucket has since the checkpoint was moved
}

// appended is a batch that became append seq, and that the bucket does not have.
type appended struct {
	batch, seq uint64
	bytes      int64
}

// NewCheckpoint returns the checkpoint that was found.
func NewCheckpoint(found Mark) Checkpoint { return Checkpoint{taken: found, mark: found} }

// Mark is the checkpoint as last written.
func (c *Checkpoint) Mark() Mark { return c.mark }

// Behind is the number of bytes appended that the bucket does not have.
func (c *Checkpoint) Behind() int64 { return c.bytes }

// Appended records that the batch of a number is durable as append seq, of so many bytes.
func (c *Checkpoint) Appended(batch, seq uint64, bytes int) {
	c.appends = append(c.appends, appended{batch, seq, int64(bytes)})
	c.bytes += int64(bytes)
}

// Overdue reports that rows are to be written although their plans are busy, because the bucket
// lacks more than most bytes, or more than inherited bytes of earlier leaders. The latter bound is
// there because leaders that die young would each leave more to the next, which has to read all of
// it.
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

// Rows are a batch of the bucket's rows, as the machine hands them over.
type Rows struct {
	// Before is the number of the first batch that may have made changes which the bucket does not
	// have once these rows are written.
	Before uint64
	// N is their number. Left reports that others are to be written.
	N    int
	Left bool
	// Soon reports that the checkpoint was moved a short while ago, so that a move without rows is
	// not worth a batch yet.
	Soon bool
}

// A Move is the decision about rows.
type Move struct {
	// UpTo is the checkpoint that is written with the rows.
	UpTo Mark
	// Write: they are written. Again: more is left to be written.
	Write, Again bool
}

// Move takes in rows, and how far other streams have the journal. The checkpoint goes as far as all
// of them have it, and never back, because the next leader reads the journal from there on, and the
// journal before it may be purged.
func (c *Checkpoint) Move(rows Rows, stored ...Mark) Move {
	c.pass(rows.Before)
	upTo := most(least(c.taken, stored...), c.mark)
	moves := upTo != c.mark
	m := Move{UpTo: upTo, Write: rows.N > 0 || moves && !rows.Soon}
	m.Again = rows.Left || upTo.Compare(c.taken) < 0 || moves && !m.Write
	return m
}

// pass forgets the appends before the batch of a number, because the bucket has them.
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

// A Purge is the part of the journal that is not needed any more: the appends up to UpTo, of which
// about Bytes are new in it.
type Purge struct {
	UpTo  uint64
	Bytes int64
}

// Written records that m is durable. It returns the part that may be purged from now on, and false
// when it has not grown.
func (c *Checkpoint) Written(m Move) (Purge, bool) {
	if m.UpTo == c.mark {
		return Purge{}, false
	}
	p := Purge{m.UpTo.From(), c.passed}
	c.mark, c.passed = m.UpTo, 0
	return p, true
}
