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
	Whole  unit.List[*Definition] // those in memory, the least recently used first
	Bytes  int                    // of Whole
	Ahead  int                    // of those read ahead of their time, finished or not
	Behind []*Definition          // handed out by the last Flush
	// Words counts, by plan, the workers' replies that wait for its definition.
	Words map[schema.PlanName]int
}

// A Definition is a large definition that the bucket has, in memory or away.
type Definition struct {
	P      *state.Plan
	Digest event.Digest
	Asked  bool        // it is being read for a look at its plan
	Ahead  bool        // the read is ahead of its time
	Late   bool        // there was no room to read it ahead, so it is read when due
	Again  unit.Moment // a look may fetch it from then on; 0: at once
	unit.Neighbours[*Definition]
}

// Leave removes l from the list of those in memory, if it is there.
func (ls *Definitions) Leave(l *Definition) {
	ls.Arrive(l)
	if l.Prev == nil && l.Next == nil && ls.Whole.Head != l {
		return
	}
	ls.Whole.Drop(l)
	ls.Bytes -= l.Digest.Size
}

// Forget removes p's definition, which was replaced or deleted.
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
		ls.Ahead -= l.Digest.Size
	}
}

// ReadAhead is the minimum time before an execution is due at which its definition is read, as
// far as there is room for all that are read ahead. Each is read up to as long before that, so
// that definitions which are due together are not read together, nor just when others are due.
const ReadAhead = unit.Moment(500 * time.Millisecond / time.Microsecond)

// Awaits notes that ev waits until the definition of a plan is read.
func (ls *Definitions) Awaits(name schema.PlanName, ev event.Event) {
	if _, isReply := ev.(event.ReplyReceived); isReply {
		ls.Words[name]++
	}
}

// Taken notes that ev, which waited for the definition of a plan, is being handled.
func (ls *Definitions) Taken(name schema.PlanName, ev event.Event) {
	if _, isReply := ev.(event.ReplyReceived); !isReply {
		return
	}
	if ls.Words[name]--; ls.Words[name] == 0 {
		delete(ls.Words, name)
	}
}

// Waits reports that a reply for p has not been handled yet, so that no deadline counts.
func (ls *Definitions) Waits(p *state.Plan) bool { return len(ls.Words) > 0 && ls.Words[p.Name] > 0 }

// Lead is how long before its time l is read.
func (l *Definition) Lead() unit.Moment {
	return ReadAhead + unit.Moment(l.Digest.Hash%uint64(ReadAhead))
}

// LookAt is when a plan whose definition is away is looked at: at the moment of an end, and
// ahead of the moment of a start.
func (l *Definition) LookAt(ends, starts unit.Moment) (end, start unit.Moment) {
	if l.Asked {
		return 0, 0 // it is looked at when the definition has been read
	}
	if starts != 0 && !l.Late && !l.P.Station.IsPull() {
		starts = max(starts-l.Lead(), 1)
	}
	return l.notBefore(ends), l.notBefore(starts)
}

// notBefore is the later of a moment and the next permitted read of l; 0 stays 0.
func (l *Definition) notBefore(at unit.Moment) unit.Moment {
	if at == 0 {
		return 0
	}
	return max(at, l.Again)
}
