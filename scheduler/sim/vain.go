package sim

import (
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/image"
)

// A vain is a turn that is taken in vain: it panics at its end and is undone, so that no trace of
// it may be left, and the history continues as without it. Of a Tick that is the first turn with a
// look.
type vain struct {
	l             *leader
	ev            event.Event
	was           []byte // the machine when the turn began
	effects, size int    // of the batch when the turn began
}

// stepInVain takes a step in vain; true: it had no turn that could be undone, and has happened.
func (l *leader) stepInVain(ev event.Event, now time.Time) (p machine.Progress, happened bool) {
	v := &vain{l: l, ev: ev, was: l.images[0]}
	l.vainly = v
	defer func() {
		l.vainly = nil
		if fault := recover(); fault == nil {
			return
		} else if fault != any(v) {
			panic(fault)
		}
		v.undo()
	}()
	return l.m.Step(now, ev, l.batch), true
}

// canBeVain reports that all that ev changes, it changes in turns.
func canBeVain(ev event.Event) bool {
	switch ev := ev.(type) {
	case event.Flush, event.WorkerSeen, event.StationPresence, event.RepliesRead, event.Overwritten: // which have no turn
		return false
	case event.Ask:
		_, claims := ev.What.(command.ClaimWork) // which has one for each execution that it gets
		return !claims
	}
	return true
}

// probe panics at the end of the turn.
func (v *vain) probe(at string) {
	_, ticks := v.ev.(event.Tick)
	switch {
	case ticks && at == "looked", !ticks && strings.HasPrefix(at, "end "):
		panic(v)
	case ticks && at == "visit", !ticks && strings.HasPrefix(at, "begin "):
		v.was = image.Of(v.was[:0], v.l.m)
		v.effects, v.size = len(v.l.batch.Effects), v.l.batch.Size()
	}
}

// undo has the turn undone, and checks that the machine is as it was when the turn began.
func (v *vain) undo() {
	l := v.l
	if !l.m.Undone() {
		l.w.fail("%T cannot be undone", v.ev)
	}
	if len(l.batch.Effects) != v.effects || l.batch.Size() != v.size {
		l.w.fail("%T was undone, and the batch has %d effects and %d bytes more", v.ev, len(l.batch.Effects)-v.effects, l.batch.Size()-v.size)
	}
	is := image.Of(l.images[1][:0], l.m)
	if differ := image.Difference(v.was, is); differ != "" {
		l.w.fail("%T was undone, and the machine is another: %s", v.ev, differ)
	}
	l.images = [2][]byte{v.was, is}
}
