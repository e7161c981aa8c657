package scheduler

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A panic costs the subject that caused it, and nothing else (ADR 0011). The step in which the
// machine panicked is undone, its plan is stopped in the next step, and the leader goes on. If the
// panic came outside of a step that can be undone, or from a plan that is stopped already, the
// machine is discarded with the batch that it was filling, because no row or message of that batch
// has left: batches sealed before are finished, requests are passed on, replies and the reports of
// NATS are stepped again, and the same node goes on, under the same lease, with a machine that it
// has read anew. The cause of the panic is kept from the next machine.

// errContained ends a leadership, or a take-over, whose machine panicked.
var errContained = errors.New("the machine is read again without the cause of its failure")

// mostKept bounds the memory of panics that leave nothing in the table, in entries. Beyond it a
// partition begins to forget.
const mostKept = 10_000

// A suspects keeps the causes of panics of a partition's machines in this process, except for rows,
// because followers leave those out. It is safe for concurrent use.
type suspects struct {
	ignores atomic.Bool // words or workers is not empty; each event reads it
	mu      sync.Mutex
	blames  []event.Event // events that the next leader steps first
	plans   map[event.PlanID]bool
	words   map[schema.ReplyName]bool // executions whose replies are ignored
	workers map[string]bool           // workers whose presence is ignored
	carried []event.Event             // events that the next leader steps again
}

func newSuspects() *suspects {
	return &suspects{
		plans: map[event.PlanID]bool{}, words: map[schema.ReplyName]bool{}, workers: map[string]bool{},
	}
}

// convict records that a step with ev, which was at s, panicked. False: the cause is unknown, and
// the next machine would panic at it, too.
func (k *suspects) convict(ev event.Event, s event.Suspect) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := false
	switch ev := ev.(type) {
	case event.Blame:
		s.Blamed = true
	case event.ReplyReceived: // a worker repeats it, and it is captured
		known = true
		k.ignores.Store(true)
		keep(k.words, ev.About)
	case event.WorkerSeen: // likewise
		known = true
		k.ignores.Store(true)
		keep(k.workers, ev.Worker.WorkerID)
	case event.NoResponders, event.Dispatched, event.Unsent, event.Left, event.Ask, event.Fetched:
		known = true // the reply is not repeated
	}
	switch {
	case s.Asked || s.Incarnation == 0:
		return known
	case s.Blamed:
		keep(k.plans, event.PlanID{Name: s.Name, Incarnation: s.Incarnation})
	default:
		k.blames = append(k.blames, event.Blame{Name: s.Name, Incarnation: s.Incarnation})
	}
	return true
}

// keep adds one to a bounded set.
func keep[K comparable](set map[K]bool, one K) {
	if len(set) >= mostKept {
		clear(set)
	}
	set[one] = true
}

// setAside keeps a plan from later machines.
func (k *suspects) setAside(s event.Suspect) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keep(k.plans, event.PlanID{Name: s.Name, Incarnation: s.Incarnation})
}

// isIgnored reports that an event is not to be stepped.
func (k *suspects) isIgnored(ev event.Event) bool {
	if !k.ignores.Load() {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch ev := ev.(type) {
	case event.ReplyReceived:
		return k.words[ev.About]
	case event.WorkerSeen:
		return k.workers[ev.Worker.WorkerID]
	}
	return false
}

// keepPlansFrom keeps them from a machine that is to lead.
func (k *suspects) keepPlansFrom(m *machine.Machine) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id := range k.plans {
		m.SetAside(id)
	}
}

// carry keeps events for the leader that follows one whose machine panicked.
func (k *suspects) carry(events []event.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, ev := range events {
		if read, ok := ev.(event.Fetched); ok {
			ev = read.For
		}
		switch ev := ev.(type) {
		case event.ReplyReceived:
			ev.Captured = true // others may come behind it, before any deadline
			k.carried = append(k.carried, ev)
		case event.NoResponders, event.Dispatched, event.Unsent, event.Left, event.WorkerSeen:
			k.carried = append(k.carried, ev)
		}
	}
}

// takeBlames returns the plans to be stopped, for a leader that goes on.
func (k *suspects) takeBlames() []event.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	blames := k.blames
	k.blames = nil
	return blames
}

// take returns the events that a new leader steps first.
func (k *suspects) take() []event.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := append(k.blames, k.carried...)
	k.blames, k.carried = nil, nil
	return first
}

// drop discards the events meant for a next leader that does not come, because a leader elsewhere
// finds out by itself.
func (k *suspects) drop() { k.take() }

// failed records that a step with ev panicked. The step is undone and its plan stopped before
// anything else; if that is impossible, the leadership ends. A request that was undone is answered
// with the incident, except for a claim that had got work before: that claim is still answered.
func (d *decider) failed(ev event.Event, fault any) {
	s, undone := d.machine.Suspect(), d.machine.Undone()
	if d.machine.Happened() {
		ev = event.Tick{} // it is not to blame, and its caller is answered
	}
	number := d.incidents.Report(metrics.AtStep, fault, "event", nameOf(ev), "plan", s.Name.String())
	if c := askedBy(ev); c != nil && !d.machine.Answered(c) {
		c.finish(nil, incident.Refusal(number))
	}
	switch {
	case s.Reads && undone:
	case !d.suspects.convict(ev, s):
		d.over = fmt.Errorf("incident %s: the scheduler failed, and the plan is unknown", number)
	case undone && !s.Blamed && event.CanBeLost(ev):
		d.blames = append(d.blames, d.suspects.takeBlames()...)
	default:
		d.over = errContained
	}
}

// nameOf is the name of an event in the log.
func nameOf(ev event.Event) string {
	if ask, ok := ev.(event.Ask); ok {
		return fmt.Sprintf("%T", ask.What)
	}
	return fmt.Sprintf("%T", ev)
}

// askedBy returns the call that waits for an answer to ev, or nil.
func askedBy(ev event.Event) *call {
	if read, ok := ev.(event.Fetched); ok {
		ev = read.For
	}
	ask, ok := ev.(event.Ask)
	if !ok {
		return nil
	}
	c, _ := ask.From.(*call)
	return c
}

// abandon ends decide after a panic. The batch that was being filled is dropped.
func (d *decider) abandon(stop func(error)) error {
	if !errors.Is(d.over, errContained) {
		return d.over
	}
	d.leader.left = append(d.leader.left, d.stepped...)
	d.leader.left = append(append(d.leader.left, d.held...), d.asked...)
	stop(errContained)
	return nil
}

// leftover returns the events that a closed leader has accepted, but not decided or not performed.
func (l *leader) leftover() []event.Event {
	left := l.after.take(l.left)
	for {
		select {
		case ev := <-l.events:
			left = append(left, ev)
		case ev := <-l.asks:
			left = append(left, ev)
		default:
			return left
		}
	}
}

// doContained performs one effect of append seq. A panic ends the leadership, because its successor
// reads from the journal the results that are still to be stored. Two effects are excepted: an
// execution that cannot be sent concerns its plan alone, an answer or an event its receiver alone.
func (l *leader) doContained(e event.Effect, seq uint64) (err error) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		number := l.incidents.Report(metrics.AtPerform, fault, "effect", fmt.Sprintf("%T", e))
		switch e := e.(type) {
		case event.Dispatch:
			x := e.Execution
			l.after.add(x.NotSent(), event.NoResponders{About: aboutOf(l.index, x)}, event.Blame{Name: x.Name, Incarnation: x.Incarnation})
		case event.Answer:
			l.refuseTo(e.To, number)
		case event.ClaimGranted:
			l.refuseTo(e.To, number)
		case event.ItemsGranted:
			l.refuseTo(e.To, number)
		case event.Notify, event.Cancel:
		default:
			err = fmt.Errorf("incident %s", number)
		}
	}()
	return l.do(e, seq)
}

// refuseTo answers the asker that there is no answer. Claimed executions come back when their time
// is up.
func (l *leader) refuseTo(to event.Asker, number string) {
	if c, ok := to.(*call); ok {
		c.finish(nil, incident.Refusal(number))
	}
}

// background runs f beside all others, and before the leader is closed. If f panics, otherwise gets the
// number of the incident.
func (l *leader) background(f func(), otherwise func(number string)) {
	l.errands.Go(func() { l.incidents.Contain(metrics.AtStore, f, otherwise) })
}

// probe lets a test panic here.
func (p *partition) probe(at string, name schema.PlanName) {
	if p.config.Probe != nil {
		p.config.Probe(at, name)
	}
}
