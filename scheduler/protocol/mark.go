package protocol

// A Mark is a position in a journal: all appends before Seq are taken, and of Seq the first Row
// rows. (The results of one append may span batches.) Zero: nothing is. Its JSON is part of the
// fences of streams.
type Mark struct {
	Seq uint64 `json:"seq"`
	Row uint32 `json:"row"`
}

// Through is the highest sequence of which any row was taken; 0: none.
func (m Mark) Through() uint64 {
	if m.Row > 0 || m.Seq == 0 {
		return m.Seq
	}
	return m.Seq - 1
}

// From is the sequence before the append at Seq, behind which a reader begins.
func (m Mark) From() uint64 { return max(m.Seq, 1) - 1 }

// Compare is negative when m is before o, zero when they are equal, else positive.
func (m Mark) Compare(o Mark) int {
	switch {
	case m.Seq < o.Seq, m.Seq == o.Seq && m.Row < o.Row:
		return -1
	case m == o:
		return 0
	}
	return 1
}

// least is the mark that is before all others.
func least(m Mark, others ...Mark) Mark {
	for _, o := range others {
		if o.Compare(m) < 0 {
			m = o
		}
	}
	return m
}

// most is the later one of two marks.
func most(m, o Mark) Mark {
	if m.Compare(o) < 0 {
		return o
	}
	return m
}

// A Progress measures how much of its part of the journal, results or items, a stream behind the
// journal has. The zero Progress is that of an empty stream.
type Progress struct {
	mark          Mark   // of the last batch that was stored
	through       uint64 // the newest append all of whose messages were added
	added, stored uint64
}

// NewProgress returns that of a stream whose fence has the journal up to from.
func NewProgress(from Mark) Progress { return Progress{mark: from} }

// Add counts a message that is to be stored.
func (p *Progress) Add() { p.added++ }

// Performed records that all messages of the appends up to seq were added; 0: of none.
func (p *Progress) Performed(seq uint64) {
	if seq != 0 {
		p.through = seq
	}
}

// Store records that the next n messages are stored, and the journal is taken as far as upTo.
func (p *Progress) Store(n int, upTo Mark) {
	p.stored += uint64(n)
	p.mark = upTo
}

// Added is the number of messages ever added.
func (p *Progress) Added() uint64 { return p.added }

// Stored is the number of stored messages.
func (p *Progress) Stored() uint64 { return p.stored }

// UpTo is how far this stream lets the journal be purged. If no message waits, it is behind the
// last append seen, even one without messages for the stream, which its fence does not record.
func (p *Progress) UpTo() Mark {
	if p.stored == p.added && p.through >= p.mark.Seq {
		return Mark{Seq: p.through + 1}
	}
	return p.mark
}

// A Heritage finds the rows of earlier leaders that are to be stored again: those that the streams
// behind the journal do not have, according to their fences. It is fed the rows of appends, in
// their order.
type Heritage struct {
	results, items Mark // stored
	seq            uint64
	result, item   uint32 // of append seq
}

// NewHeritage returns the rest behind the stored results and items.
func NewHeritage(results, items Mark) *Heritage {
	return &Heritage{results: results, items: items}
}

// From is where the reading of the rest begins, with a checkpoint that passes no result and no item
// that is not stored.
func (h *Heritage) From(checkpoint Mark) Mark {
	return most(least(h.results, h.items), checkpoint)
}

// Append begins the rows of append seq.
func (h *Heritage) Append(seq uint64) { h.seq, h.result, h.item = seq, 0, 0 }

// Result takes in the next row that is a result. It returns the row's mark, and whether it is to be
// stored.
func (h *Heritage) Result() (at Mark, left bool) {
	h.result++
	at = Mark{h.seq, h.result}
	return at, at.Compare(h.results) > 0
}

// Item takes in the next row that is an item, as Result does a result.
func (h *Heritage) Item() (at Mark, left bool) {
	h.item++
	at = Mark{h.seq, h.item}
	return at, at.Compare(h.items) > 0
}
