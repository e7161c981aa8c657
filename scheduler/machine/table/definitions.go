package table

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Definitions are the large definitions that the bucket has, some of which have left memory.
type Definitions struct {
	Of     map[*state.Plan]*Definition
	Whole  unit.List[*Definition] // those that are in memory, the longest unused first
	Bytes  int                    // of them
	Ahead  int                    // of those that are read, or being read, ahead of their time
	Behind []*Definition          // handed out by the last Flush
	// Words counts what workers have said of plans whose definitions are read for it.
	Words map[schema.PlanName]int
}

// A Definition is a large one that the bucket has, in memory or away.
type Definition struct {
	P     *state.Plan
	Print event.Digest
	Asked bool        // it is being read for a look at its plan
	Ahead bool        // that is ahead of its time
	Late  bool        // there was no room for that: it is read when it is due
	Again unit.Moment // a look may have it read from then on; none: at once
	unit.Neighbours[*Definition]
}

// Leave takes l off the list of those that are in memory, if it is there.
func (ls *Definitions) Leave(l *Definition) {
	ls.Arrive(l)
	if l.Prev == nil && l.Next == nil && ls.Whole.Head != l {
		return
	}
	ls.Whole.Drop(l)
	ls.Bytes -= l.Print.Size
}

// Forget lets go of p's definition, which is another now, or gone.
func (ls *Definitions) Forget(p *state.Plan) {
	if l := ls.Of[p]; l != nil {
		ls.Leave(l)
		delete(ls.Of, p)
	}
}

// Arrive notes that l is no longer ahead of its time.
func (ls *Definitions) Arrive(l *Definition) {
	if l.Ahead {
		l.Ahead = false
		ls.Ahead -= l.Print.Size
	}
}

// ReadAhead is how long before an execution is due its definition is read at least, as
// far as there is room for all that wait for their time so. Each is read up to as long
// before that, so that those which are due together are not read together, nor just
// when others are due.
const ReadAhead = unit.Moment(500 * time.Millisecond / time.Microsecond)

// Awaits notes that ev waits until the definition of a plan is read.
func (ls *Definitions) Awaits(name schema.PlanName, ev event.Event) {
	if _, said := ev.(event.Heard); said {
		ls.Words[name]++
	}
}

// Taken notes that ev, which has waited for the definition of a plan, is heard now.
func (ls *Definitions) Taken(name schema.PlanName, ev event.Event) {
	if _, said := ev.(event.Heard); !said {
		return
	}
	if ls.Words[name]--; ls.Words[name] == 0 {
		delete(ls.Words, name)
	}
}

// Waits reports that something was said of p that is not heard yet, so that no deadline
// counts.
func (ls *Definitions) Waits(p *state.Plan) bool { return len(ls.Words) > 0 && ls.Words[p.Name] > 0 }

// Lead is how long before its time l is read.
func (l *Definition) Lead() unit.Moment {
	return ReadAhead + unit.Moment(l.Print.Hash%uint64(ReadAhead))
}

// LookAt is when a plan whose definition is away is looked at: for what ends, and ahead of
// what starts at a moment.
func (l *Definition) LookAt(ends, starts unit.Moment) (end, start unit.Moment) {
	if l.Asked {
		return 0, 0 // it is looked at when that has been read
	}
	if starts != 0 && !l.Late && !l.P.Station.IsPull() {
		starts = max(starts-l.Lead(), 1)
	}
	return l.notBefore(ends), l.notBefore(starts)
}

// notBefore is when a look for a moment may have l read.
func (l *Definition) notBefore(at unit.Moment) unit.Moment {
	if at == 0 {
		return 0
	}
	return max(at, l.Again)
}
