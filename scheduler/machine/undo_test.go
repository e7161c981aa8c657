package machine

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A bang is the value that a machine panics with in this test.
type bang struct{}

// Each script comes to the same end if each of its steps panics first, at each place in turn that
// it comes to, and is undone each time: a step leaves nothing behind.
func TestAStepThatPanicsIsUndone(t *testing.T) {
	undone := 0
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		s := newStory(t)
		s.instead = func(ev event.Event) bool {
			if !isOneTurn(ev) {
				return false
			}
			for place := 0; s.panics(ev, place); place++ {
				undone++
			}
			return true
		}
		datadriven.RunTest(t, path, s.run)
	})
	if undone < 5_000 {
		t.Errorf("only %d steps were undone", undone)
	}
}

// isOneTurn reports that ev happens in one turn.
func isOneTurn(ev event.Event) bool {
	switch ev := ev.(type) {
	case event.Tick, event.Flush, event.WorkerSeen, event.StationPresence, event.Listened, event.Overwritten:
		return false
	case event.Ask:
		_, claims := ev.What.(command.ClaimWork)
		return !claims
	}
	return true
}

// panics steps ev and panics at the place with this number, which is undone; false: ev does not
// come to so many places, and has happened.
func (s *story) panics(ev event.Event, place int) (undone bool) {
	s.m.part.Config.Probe = func(string, schema.PlanName) {
		if place--; place == -1 && s.m.part.IsOpen() {
			panic(bang{})
		}
	}
	effects, size := len(s.b.Effects), s.b.Size()
	defer func() {
		s.m.part.Config.Probe = nil
		switch fault := recover(); fault {
		case nil:
		case bang{}:
			if undone = s.m.Undone(); !undone || len(s.b.Effects) != effects || s.b.Size() != size {
				s.t.Fatalf("%T is undone: %v; %d effects and %d bytes are left", ev, undone, len(s.b.Effects)-effects, s.b.Size()-size)
			}
		default:
			panic(fault)
		}
	}()
	if p := s.m.Step(s.now, ev, s.b); p != Done {
		s.t.Fatalf("an empty batch has no room for %T: %d", ev, p)
	}
	return false
}
