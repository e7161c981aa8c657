package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Machines panic, and their leaders go on without the cause, as scheduler/contain.go has it: the
// turn is undone and its plan stopped; where it cannot be undone, the batch that was being filled is
// dropped, sealed batches are finished, and the same node begins anew, under the same lease. The
// place of a panic is chance, among all at which a machine can be made to panic, half way through its
// work there.

// A mishap is the value that a machine panics with.
type mishap string

// mishaps decide how often machines panic. They have a source of chance of their own, so that the
// histories of seeds without panics are the same as before.
type mishaps struct {
	rng    *rand.Rand
	odds   float64
	at     string // nowhere else; empty: anywhere
	spared bool   // no machine panics now
}

func newMishaps(o Options) mishaps {
	m := mishaps{rng: rand.New(rand.NewPCG(o.Seed, 1)), at: o.Panic}
	switch {
	case m.at != "":
		m.odds = 0.02
	case m.rng.IntN(3) == 0:
		m.odds = 1e-4 * math.Pow(20, m.rng.Float64())
	}
	return m
}

// rare reports that histories seldom come to a place, at which machines panic the more often.
func rare(at string) bool {
	for _, s := range []string{"command.", "Fetched", "Dispatched", "Left", "NoResponders", "hand"} {
		if strings.Contains(at, s) {
			return true
		}
	}
	return false
}

// happens is true when a machine panics at a place.
func (m *mishaps) happens(at string) bool {
	if m.spared || m.odds == 0 || m.at != "" && m.at != at {
		return false
	}
	odds := m.odds
	if rare(at) {
		odds *= 25
	}
	return m.rng.Float64() < odds
}

// probe panics, now and then. It spares a plan that is stopped already, because its state would have
// to be set aside: no history can end well after that fault.
func (l *leader) probe(at string, name schema.PlanName) {
	if l.vainly != nil {
		l.vainly.probe(at)
		return
	}
	if l.w.calm || at == "lead" || !l.w.mishaps.happens(at) {
		return
	}
	if l.leads && l.batch != nil && l.m.Suspect().Blamed {
		return
	}
	l.w.report.Faults["panic "+at]++
	panic(mishap(fmt.Sprintf("%s %s", at, name)))
}

// survives runs f, which reads rows. A panic of the machine ends the take-over.
func (l *leader) survives(f func()) (ok bool) {
	defer func() {
		if is, planted := l.planted(recover()); planted {
			l.end("its machine panicked at " + string(is))
		}
	}()
	f()
	return true
}

// planted distinguishes the world's panics from genuine ones, which are violations.
func (l *leader) planted(fault any) (is mishap, planted bool) {
	if fault == nil {
		return "", false
	}
	if is, planted = fault.(mishap); !planted {
		panic(fault)
	}
	return is, true
}

// stepped does one step of the machine. False: it panicked.
func (l *leader) stepped(ev event.Event, now time.Time) (p machine.Progress, ok bool) {
	defer func() {
		if is, planted := l.planted(recover()); planted {
			l.failed(ev, is)
		}
	}()
	if l.w.inVain && canBeVain(ev) {
		if p, happened := l.stepInVain(ev, now); happened {
			return p, true
		}
	}
	return l.m.Step(now, ev, l.batch), true
}

// failed handles a step that panicked.
func (l *leader) failed(ev event.Event, is mishap) {
	s := l.m.Suspect()
	l.w.note("epoch %d panics at %s, in a step with %T", l.epoch, is, ev)
	if l.w.planted(GoesOn) {
		return
	}
	undone := l.m.Undone()
	if l.m.Happened() {
		ev = event.Tick{}
	}
	goesOn := undone && event.CanBeLost(ev)
	if read, ok := ev.(event.Fetched); ok {
		ev = read.For
	}
	if ask, ok := ev.(event.Ask); ok {
		if r, ok := ask.From.(*request); ok && !l.m.Answered(r) {
			r.answer(nil, &schema.Error{Code: schema.CodeInternal, Message: "incident"})
		}
	}
	if s.Reads && undone {
		return
	}
	switch ev := ev.(type) {
	case event.ReplyReceived:
		l.n.unreadable[ev.About] = true
		l.w.check.words.panicked[ev.About] = true
	case event.WorkerSeen:
		l.n.unseen[ev.Worker.WorkerID] = true
	}
	if s.Incarnation != 0 && !s.Asked {
		l.blames = append(l.blames, event.Blame{Name: s.Name, Incarnation: s.Incarnation})
	}
	if goesOn {
		l.turnSoon()
		return
	}
	for _, e := range l.batch.Effects {
		if out, ok := e.(event.ClaimGranted); ok {
			out.To.(*request).answers-- // it was not given
		}
	}
	l.failing, l.batch = true, nil
	l.turnSoon()
}

// ignores reports that an event made a machine of this process panic before, and would be received
// again for ever.
func (n *node) ignores(ev event.Event) bool {
	switch ev := ev.(type) {
	case event.ReplyReceived:
		return n.unreadable[ev.About]
	case event.WorkerSeen:
		return n.unseen[ev.Worker.WorkerID]
	}
	return false
}

// forgive forgets those events, as a restarted process does.
func (n *node) forgive() {
	n.unreadable, n.unseen = map[schema.ReplyName]bool{}, map[string]bool{}
}

// beginAnew continues the node with another machine, once all sealed batches are done. Events that
// were taken and not sealed are stepped again.
func (l *leader) beginAnew() {
	if l.flying != nil || len(l.durable) > 0 {
		return // both call a turn when they are through
	}
	left := append(append(append(l.inBatch, l.held...), l.after...), l.events...)
	blames := l.blames
	l.end("its machine panicked")
	if !l.n.candidate("its machine panicked") {
		return // and others find out by themselves
	}
	next := l.n.leader
	next.held = append(next.held, blames...)
	for _, ev := range left {
		if read, ok := ev.(event.Fetched); ok {
			ev = read.For
		}
		switch ev := ev.(type) {
		case event.ReplyReceived:
			ev.Captured = true
			next.held = append(next.held, ev)
		case event.NoResponders, event.Dispatched, event.Unsent, event.Left, event.WorkerSeen:
			next.held = append(next.held, ev)
		case event.Ask: // it is passed on
			next.events = append(next.events, ev)
		}
	}
}
