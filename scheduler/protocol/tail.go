package protocol

import (
	"slices"
	"time"
)

// tailMost bounds a tail. No leader has as many appends on their way.
const tailMost = 64

// A Tail is what a leader appended behind the last append of which it had said all, as it
// says itself in its newest one. T is what an append begins.
type Tail[T any] struct {
	// Holder signs it; empty: there is none, or the leader is of a release that does not say.
	Holder string
	// Before is when the append before it was stored, by the server's clock.
	Before  time.Time
	Appends []Unsaid[T]
}

// An Unsaid is an append of which it is not known that all was said, and what it begins.
type Unsaid[T any] struct {
	Stored
	Begun []T
}

// A Seen is an append, as who follows the journal sees it.
type Seen struct {
	Stored
	Holder   string
	Takeover bool
	// Said is the last append of which its writer had said all; 0: it does not say.
	Said uint64
}

// Note notes that an append has come, and what was said when it was written. Of whoever
// takes over it is to say what is left of the one before; but what is left when holder own
// does is for who it is.
func (t *Tail[T]) Note(a Seen, own string) {
	switch {
	case a.Takeover && a.Holder == own:
	case a.Takeover:
		*t = Tail[T]{Holder: a.Holder, Before: a.At}
	case a.Said == 0:
		*t = Tail[T]{Before: a.At}
	case a.Holder != t.Holder: // its take-over was not seen
		*t = Tail[T]{Holder: a.Holder, Before: a.At}
	default:
		said := 0
		for said < len(t.Appends) && (t.Appends[said].Seq <= a.Said || len(t.Appends)-said == tailMost) {
			t.Before = t.Appends[said].At
			said++
		}
		t.Appends = append(t.Appends[said:], Unsaid[T]{Stored: a.Stored})
	}
}

// Cut drops the appends behind seq.
func (t *Tail[T]) Cut(seq uint64) {
	if n := slices.IndexFunc(t.Appends, func(a Unsaid[T]) bool { return a.Seq > seq }); n >= 0 {
		t.Appends = t.Appends[:n]
	}
}

// Unsent are the appends of which the writer that a holder was, and is gone, has surely said
// nothing. There are none where another wrote last, who had the lease in between, or nobody knows
// who.
func (t *Tail[T]) Unsent(holder string, gone Gone) []Unsaid[T] {
	if t.Holder != holder {
		return nil
	}
	stored := make([]Stored, len(t.Appends))
	for i, a := range t.Appends {
		stored[i] = a.Stored
	}
	from := gone.Unsaid(t.Before, stored)
	n := slices.IndexFunc(t.Appends, func(a Unsaid[T]) bool { return from != 0 && a.Seq >= from })
	if n < 0 {
		return nil
	}
	return t.Appends[n:]
}
