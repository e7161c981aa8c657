package protocol

// A Seizure is a take-over record, from its writer's first look until it is durable or can never
// be. It has a higher epoch than all before, and expects the journal to end where it was seen to
// end, as each append does (docs/adr/0033), so that it lands at most once, and no append of an
// earlier leader lands behind it. After one that lands before it, its writer only looks again; a
// take-over of another is the end.
type Seizure struct {
	me      Writer
	highest int64 // the epoch before, as it was at the first look
}

// NewSeizure returns that of a holder, whose name is never used again.
func NewSeizure(holder string) *Seizure { return &Seizure{me: Writer{Holder: holder}} }

// Writer is the writer that takes over; its epoch is 0 before the first look.
func (s *Seizure) Writer() Writer { return s.me }

// Before is the highest epoch known at the first look.
func (s *Seizure) Before() int64 { return s.highest }

// An End is the end of a journal, as it was read.
type End struct {
	By   Writer // of the newest append; zero: there is none
	Seq  uint64 // of that
	Last uint64 // of the last message, which may be no append
	// Known is the highest epoch in the streams behind the journal. Believed: an end with a lower
	// one is not the stale view of an old server.
	Known    int64
	Believed bool
}

// Older reports that the journal ends with an older leadership than the streams behind it know. It
// is believed only when it stays, because a server that led the stream once may show an old end.
type Older struct{}

func (Older) writeOut() {}

// Look takes in the journal's end, and returns the next order: Send the record behind it, and look
// again when that is refused or not answered; or it is Landed, or there is another, or the end is
// Older. The first look that is none of these sets the epoch: now, in Unix milliseconds, or one
// more than the highest before.
func (s *Seizure) Look(end End, now int64) WriteOut {
	switch {
	case s.me.Epoch == 0 && end.By.Epoch < end.Known && !end.Believed:
		return Older{}
	case s.me.Epoch == 0:
		s.highest = max(end.By.Epoch, end.Known)
		s.me.Epoch = max(now, s.highest+1)
	case end.By.Epoch > s.highest:
		return s.Behind(Behind{Seq: end.Seq, By: end.By})
	}
	return Send{end.Last}
}

// Behind judges a message in the place of the record. Appends carry the epoch of their leader, so
// one that is higher than at the first look is a take-over that came between; behind all others the
// record may still be sent.
func (s *Seizure) Behind(in Behind) WriteOut {
	switch {
	case in.Foreign, in.By.Epoch <= s.highest:
		return Seek{in.Seq}
	case in.By == s.me:
		return Landed{in.Seq}
	}
	return StandDown{ErrWritten}
}
