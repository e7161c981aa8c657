package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// What a leader has appended and not said, as its successor finds out (scheduler/unsent.go,
// scheduler/follow/tail.go). All stamps are of one clock here.

// predecessor is what the record of the lease says of who held it.
type predecessor struct {
	holder  string
	renewed time.Time // zero: it is not known
	silent  uint64    // 0: it does not say
}

// lastRecord is what the record says when l holds the lease no more. A process that goes on
// gives it back, if it can, and says up to where it has spoken.
func lastRecord(l *leader) predecessor {
	switch {
	case l.released:
		return predecessor{holder: l.holder, silent: l.begun + 1}
	case l.trusted.Equal(forEver):
		return predecessor{holder: l.holder, renewed: l.w.now}
	default:
		return predecessor{holder: l.holder, renewed: l.renewed}
	}
}

// giveUp ends a leadership whose append is not answered, or whose store is in trouble.
func (l *leader) giveUp() bool {
	if !l.leads || l.n.frozen || l.n.cut {
		return false
	}
	l.released = true
	l.end("it gives up")
	return true
}

// tail is what a writer has appended behind the last append of which it says that all was said.
type tail struct {
	holder  string
	before  time.Time
	appends []protocol.Stored
	begun   [][]event.Unsent
}

// note takes in an append. Who takes over settles what was before.
func (t *tail) note(a landed, own string) {
	switch {
	case a.takeover && a.holder == own:
	case a.takeover, a.holder != t.holder:
		*t = tail{holder: a.holder, before: a.at}
	default:
		n := 0
		for n < len(t.appends) && t.appends[n].Seq <= a.said {
			t.before = t.appends[n].At
			n++
		}
		t.appends = append(t.appends[n:], protocol.Stored{Seq: a.seq, At: a.at})
		t.begun = append(t.begun[n:], nil)
	}
}

// begins notes what a row of the newest append begins.
func (t *tail) begins(m *machine.Machine, r event.Row) {
	if n := len(t.begun); n > 0 {
		t.begun[n-1] = append(t.begun[n-1], m.Begun(nil, r)...)
	}
}

// unsent are the executions of which the leader before l has surely said nothing.
func (l *leader) unsent(t *tail) (events []event.Event) {
	if t.holder == "" || t.holder != l.before.holder {
		return nil
	}
	gone := protocol.Gone{Silent: l.before.silent, Renewed: l.before.renewed, Trust: trust}
	from := gone.Unsaid(t.before, t.appends)
	if l.w.planted(UnsentUnproved) && len(t.appends) > 0 {
		from = t.appends[0].Seq
	}
	for i, a := range t.appends {
		if from != 0 && a.Seq >= from {
			for _, x := range t.begun[i] {
				events = append(events, x)
			}
		}
	}
	return events
}
