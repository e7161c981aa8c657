package protocol

import "time"

// A Stored is an append, and when it was stored, by the server's clock.
type Stored struct {
	Seq uint64
	At  time.Time
}

// A Gone is what is known of a writer in whose place another leads: nothing that it sent after
// the other took its lease is a renewal.
type Gone struct {
	// Silent is the first append of which it says itself that it has said nothing, nor of
	// those behind it, and never will; 0: it does not say.
	Silent uint64
	// Renewed is when its last renewal was stored; zero: that is not known.
	Renewed time.Time
	// Trust is for how long a writer trusts its lease, from when it sent a renewal or an
	// append that was confirmed. Apart is how much the clocks of two servers may differ.
	Trust, Apart time.Duration
}

// Unsaid returns the first append of tail of which nothing was said, nor of those behind it;
// 0: there is none of which that is sure. Tail is what the writer appended behind the last
// append that it had performed, as the newest one says, and before is when that was stored.
//
// A writer sends an append only while it trusts its lease, and says what it decided only
// when that was confirmed, and while it trusts its lease still. An append that was stored
// when no renewal and no append could give it trust any more, not even this one, was
// confirmed too late.
func (g Gone) Unsaid(before time.Time, tail []Stored) uint64 {
	until := later(g.Renewed, before).Add(g.Trust)
	known := !g.Renewed.IsZero() && !before.IsZero()
	for _, a := range tail {
		sent := earlier(a.At, until) // at the latest
		until = later(until, sent.Add(g.Trust))
		late := known && !a.At.Before(until.Add(g.Apart))
		if late || g.Silent != 0 && a.Seq >= g.Silent {
			return a.Seq
		}
	}
	return 0
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
