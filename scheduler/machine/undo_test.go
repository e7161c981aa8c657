package machine

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/image"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A bang is the value that a machine panics with in this test.
type bang struct{}

// Each script comes to the same end if each turn of each of its steps panics first, at each place
// that it comes to, one after the other, and is undone each time. The machine is then as it was
// at the beginning of that turn, to the last field.
func TestAStepThatPanicsIsUndone(t *testing.T) {
	undone := 0
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		s := newStory(t)
		s.instead = func(ev event.Event) bool {
			if !canBeUndone(ev) {
				return false
			}
			for r := (rehearsal{bench: &bench{T: s.t, m: s.m, b: s.b, now: s.now}, ev: ev}); r.panics(); {
				undone++
			}
			return true
		}
		datadriven.RunTest(t, path, s.run)
	})
	if undone < 7_500 {
		t.Errorf("only %d turns were undone", undone)
	}
}

// canBeUndone reports that ev changes plans in turns.
func canBeUndone(ev event.Event) bool {
	switch ev.(type) {
	case event.Flush, event.WorkerSeen, event.StationPresence, event.RepliesRead, event.Overwritten:
		return false
	}
	return true
}

// claimsWork reports that ev is a claim, whose first turn leaves the claim behind, and which has one
// more for each execution that it gets.
func claimsWork(ev event.Event) bool {
	ask, _ := ev.(event.Ask)
	_, claims := ask.What.(command.ClaimWork)
	return claims
}

// A rehearsal is a step that is repeated until it has panicked at each place of each of its turns.
type rehearsal struct {
	*bench
	ev    event.Event
	place int // how many places of the first turn that has not been kept are through
	tries int

	// Of one repetition.
	turns         int // that it has begun
	left          int // places until it panics
	served        bool
	was, is       []byte // the machine when the turn began, and after the undo
	effects, size int    // of the batch when the turn began
}

// panics steps the event until it panics, and checks that the turn was undone; false: it came to no
// further place, and has happened.
func (r *rehearsal) panics() (undone bool) {
	m, b := r.m, r.b
	r.turns, r.served = 0, false
	m.part.Config.Probe = r.probe
	defer func() {
		fault := recover()
		if _, is := fault.(bang); fault != nil && !is {
			panic(fault)
		}
		if undone = fault != nil; undone {
			r.check()
		}
		m.part.Config.Probe = nil
	}()
	if p := m.Step(r.now, r.ev, b); p != Done && b.Empty() {
		r.Fatalf("an empty batch has no room for %T: %d", r.ev, p)
	}
	return false
}

// probe panics at the next place.
func (r *rehearsal) probe(at string, _ schema.PlanName) {
	m, b := r.m, r.b
	if !m.part.IsOpen() || r.served {
		return
	}
	if r.turns == 0 && at != "hand" && claimsWork(r.ev) {
		return
	}
	begins := at == "visit" || at == "hand" || strings.HasPrefix(at, "begin ")
	switch {
	case at == "hand" && len(m.part.Claims.Served) > 0:
		r.served = true // because the undo answers the claims that were served
		return
	case begins:
		if r.turns++; r.turns > 1 {
			r.place = 0
		}
		r.left, r.was = r.place, image.Of(r.was[:0], m)
		r.effects, r.size = len(b.Effects), b.Size()
	}
	if r.left--; r.left < 0 {
		panic(bang{})
	}
}

// check undoes the turn that has panicked.
func (r *rehearsal) check() {
	m, b := r.m, r.b
	if !m.Undone() || len(b.Effects) != r.effects || b.Size() != r.size {
		r.Fatalf("%T is undone with %d effects and %d bytes left", r.ev, len(b.Effects)-r.effects, b.Size()-r.size)
	}
	r.is = image.Of(r.is[:0], m)
	if differ := image.Difference(r.was, r.is); differ != "" {
		r.Fatalf("%T was undone at place %d, and left a trace: %s", r.ev, r.place, differ)
	}
	if r.place++; m.Happened() {
		r.ev = event.Tick{} // which serves the claims that wait
	}
	if r.tries++; r.tries > 10_000 {
		r.Fatalf("%T comes to no end", r.ev)
	}
}
