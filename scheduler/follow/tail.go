package follow

import (
	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// noteTail records an append, and the last performed append that it names.
func (f *Follower) noteTail(a broker.Append) {
	f.tail.Note(protocol.Seen{
		Stored: protocol.Stored{Seq: a.Seq, At: a.Time}, Holder: a.Holder, Takeover: a.Takeover, Performed: a.Published,
	}, f.config.Holder)
}

// beforeTail is the last append before the tail.
func (f *Follower) beforeTail() uint64 {
	if len(f.tail.Appends) == 0 {
		return f.seen
	}
	return f.tail.Appends[0].Seq - 1
}

// noteBegun records the executions that begin in those appends of the tail that are not replayed
// yet, because the state before is needed to see them.
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

// forget drops the rows gathered of the appends behind seq.
func (f *Follower) forget(seq uint64) {
	f.pending, f.states, f.seen = nil, map[schema.PlanName]int{}, seq
	f.tail.Cut(seq)
}
