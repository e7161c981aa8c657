package follow

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// tailMost bounds a tail. No leader has as many appends on their way.
const tailMost = 64

// A Tail is what a leader appended behind the last append of which it had said all, as it
// says itself in its newest one.
type Tail struct {
	// Holder signs it; empty: there is none, or the leader is of a release that does not say.
	Holder string
	// Before is when the append before it was stored, by the server's clock.
	Before  time.Time
	Appends []Unsaid
}

// An Unsaid is an append of which it is not known that all was said.
type Unsaid struct {
	Seq   uint64
	At    time.Time      // when it was stored, by the server's clock
	Begun []event.Unsent // the executions that it begins
}

// noteTail notes that an append has come, and what was said when it was written. Of whoever
// takes over it is to say what is left of the one before; but what is left when this node
// does is for who takes this follower.
func (f *Follower) noteTail(a broker.Append) {
	switch {
	case a.Takeover && a.Holder == f.config.Holder:
	case a.Takeover || a.Said == 0:
		f.tail = Tail{Before: a.Time}
		if a.Takeover {
			f.tail.Holder = a.Holder
		}
	case a.Holder != f.tail.Holder: // its take-over was not seen
		f.tail = Tail{Holder: a.Holder, Before: a.Time}
	default:
		said := 0
		for said < len(f.tail.Appends) && f.tail.Appends[said].Seq <= a.Said {
			f.tail.Before = f.tail.Appends[said].At
			said++
		}
		if said == 0 && len(f.tail.Appends) == tailMost {
			f.tail.Before = f.tail.Appends[0].At
			said = 1
		}
		f.tail.Appends = append(f.tail.Appends[said:], Unsaid{Seq: a.Seq, At: a.Time})
	}
}

// said is the last append before the tail.
func (f *Follower) said() uint64 {
	if len(f.tail.Appends) == 0 {
		return f.seen
	}
	return f.tail.Appends[0].Seq - 1
}

// noteBegun notes which executions those appends of the tail begin that are not replayed yet:
// what was before tells.
func (f *Follower) noteBegun() {
	before := map[schema.PlanName][]byte{}
	rows := f.pending
	for i := range f.tail.Appends {
		a := &f.tail.Appends[i]
		for ; len(rows) > 0 && rows[0].seq <= a.Seq; rows = rows[1:] {
			if r := rows[0]; r.Kind == event.RowState {
				a.Begun = append(a.Begun, f.machine.Begun(before[r.Name], r.Row)...)
				before[r.Name] = r.Value
			}
		}
	}
}

// forget drops what was gathered of the appends behind seq.
func (f *Follower) forget(seq uint64) {
	f.pending, f.states, f.seen = nil, map[schema.PlanName]int{}, seq
	if n := slices.IndexFunc(f.tail.Appends, func(a Unsaid) bool { return a.Seq > seq }); n >= 0 {
		f.tail.Appends = f.tail.Appends[:n]
	}
}
