package protocol

import (
	"slices"
	"time"
)

// tailMost bounds a tail, in appends, because no leader has as many under way.
const tailMost = 64

// A Tail are the appends of a leader behind the last one whose effects it had all performed, as its
// newest append records. T is an effect that an append begins.
type Tail[T any] struct {
	// Holder signs it; empty: there is none, or the leader is of a release that does not record it.
	Holder string
	// Before is when the append before it was stored, by the server's clock.
	Before  time.Time
	Appends []Unperformed[T]
}

// An Unperformed is an append whose effects may not all be performed, and the effects that it begins.
type Unperformed[T any] struct {
	Stored
	Begun []T
}

// A Seen is an append, as a follower of the journal sees it.
type Seen struct {
	Stored
	Holder   string
	Takeover bool
	// Performed is the last append whose effects its writer had all performed; 0: unknown.
	Performed uint64
}

// Note records an append, and the progress of its writer at that time. A take-over begins the tail
// anew, because the new leader performs the rest of the one before; but a take-over of the holder
// own keeps the tail, because that rest is its own task.
func (t *Tail[T]) Note(a Seen, own string) {
	switch {
	case a.Takeover && a.Holder == own:
	case a.Takeover:
		*t = Tail[T]{Holder: a.Holder, Before: a.At}
	case a.Performed == 0:
		*t = Tail[T]{Before: a.At}
	case a.Holder != t.Holder: // its take-over was not seen
		*t = Tail[T]{Holder: a.Holder, Before: a.At}
	default:
		performed := 0
		for performed < len(t.Appends) && (t.Appends[performed].Seq <= a.Performed || len(t.Appends)-performed == tailMost) {
			t.Before = t.Appends[performed].At
			performed++
		}
		t.Appends = append(t.Appends[performed:], Unperformed[T]{Stored: a.Stored})
	}
}

// Cut drops the appends behind seq.
func (t *Tail[T]) Cut(seq uint64) {
	if n := slices.IndexFunc(t.Appends, func(a Unperformed[T]) bool { return a.Seq > seq }); n >= 0 {
		t.Appends = t.Appends[:n]
	}
}

// Unsent are the appends of a gone writer with the name holder of which it has surely performed no
// effect. There are none if another, which had the lease in between, or an unknown writer wrote
// last.
func (t *Tail[T]) Unsent(holder string, gone Gone) []Unperformed[T] {
	if t.Holder != holder {
		return nil
	}
	stored := make([]Stored, len(t.Appends))
	for i, a := range t.Appends {
		stored[i] = a.Stored
	}
	from := gone.Unperformed(t.Before, stored)
	n := slices.IndexFunc(t.Appends, func(a Unperformed[T]) bool { return from != 0 && a.Seq >= from })
	if n < 0 {
		return nil
	}
	return t.Appends[n:]
}
