package protocol

import "time"

// A Stored is an append, and when it was stored, by the server's clock.
type Stored struct {
	Seq uint64
	At  time.Time
}

// A Gone is the evidence about a writer that another has replaced. No message that it sent after
// the other took its lease is a renewal.
type Gone struct {
	// Silent is the first append of which it records itself that it has performed no effect, nor of
	// those behind it, and never will; 0: unknown.
	Silent uint64
	// Renewed is when its last renewal was stored; zero: unknown.
	Renewed time.Time
	// Trust is for how long a writer trusts its lease, from when it sent a renewal or an append
	// that was confirmed. Apart is how much the clocks of two servers may differ.
	Trust, Apart time.Duration
}

// Unperformed returns the first append of tail of which no effect was performed, nor of those behind it;
// 0: none is certain. Tail are the writer's appends behind the last one that it had performed,
// according to the newest, and before is when that last one was stored.
//
// A writer sends an append only while it trusts its lease, and performs its effects only when it
// was confirmed, and while it still trusts its lease. So an append that was stored when no renewal
// and no append could give it trust any more, not even this one, was confirmed too late.
func (g Gone) Unperformed(before time.Time, tail []Stored) uint64 {
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
