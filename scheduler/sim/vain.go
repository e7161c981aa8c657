package sim

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// A vain is the panic value at the end of a step that is to be undone.
type vain struct{}

// stepInVain takes a step and has it undone, so that no trace of it may be left: the history
// continues as without it.
func (l *leader) stepInVain(ev event.Event) {
	switch ev := ev.(type) {
	case event.Flush, event.WorkerSeen, event.StationPresence, event.Listened, event.Overwritten:
		return // which have no turn
	case event.Ask:
		if _, claims := ev.What.(command.ClaimWork); claims {
			return // which has one for each execution that it gets
		}
	}
	effects, size := len(l.batch.Effects), l.batch.Size()
	l.vainly = true
	defer func() {
		l.vainly = false
		fault := recover()
		if _, is := fault.(vain); !is {
			panic(fault)
		}
		if !l.m.Undone() {
			l.w.fail("%T cannot be undone", ev)
		}
		if len(l.batch.Effects) != effects || l.batch.Size() != size {
			l.w.fail("%T was undone, and the batch has %d effects and %d bytes more", ev, len(l.batch.Effects)-effects, l.batch.Size()-size)
		}
	}()
	l.m.Step(l.clock(), ev, l.batch)
}
