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

// A panic costs what it was about, and nothing else (ADR 0011). What a machine was doing when it
// panicked is undone, its plan is stopped in the next step, and the leader goes on. Where the
// panic came outside of what can be undone, or a plan panics that is stopped already, the machine
// is thrown away with the batch that it was filling, of which nothing was written or said: what
// was sealed before is finished, requests are passed on, replies and what NATS has reported are
// stepped again, and the same node goes on, under the same lease, with a machine that it has read
// anew. What made the machine panic is kept from the next one.

// errContained ends a leadership whose machine panicked, or a take-over whose did.
var errContained = errors.New("the machine is read anew without what it failed at")

// mostKept bounds what is remembered of panics that leave nothing in the table. Beyond it
// a partition begins to forget.
const mostKept = 10_000

// A suspects keeps what made machines of a partition panic in this process, but for rows,
// which followers leave out. It is safe for concurrent use.
type suspects struct {
	ignores atomic.Bool // words or workers has any; each event asks
	mu      sync.Mutex
	blames  []event.Event // what the next leader steps first
	plans   map[event.PlanID]bool
	words   map[schema.ReplyName]bool // of workers about these executions: not heard
	workers map[string]bool           // whose presence is not taken in
	carried []event.Event             // what the next leader steps again
}

func newSuspects() *suspects {
	return &suspects{
		plans: map[event.PlanID]bool{}, words: map[schema.ReplyName]bool{}, workers: map[string]bool{},
	}
}

// convict notes what a step with ev, which looked at s, panicked at. False: nobody can
// tell, and the next machine would do the same.
func (k *suspects) convict(ev event.Event, s event.Suspect) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := false
	switch ev := ev.(type) {
	case event.Blame:
		s.Blamed = true
	case event.Heard: // a worker repeats it, and it is captured
		known = true
		k.ignores.Store(true)
		keep(k.words, ev.About)
	case event.Seen: // likewise
		known = true
		k.ignores.Store(true)
		keep(k.workers, ev.Worker.WorkerID)
	case event.Nobody, event.Sent, event.Unsent, event.Left, event.Ask, event.Fetched:
		known = true // it is not said again
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

// setAside keeps a plan from the machines to come.
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
	case event.Heard:
		return k.words[ev.About]
	case event.Seen:
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
		case event.Heard:
			ev.Captured = true // others may come behind it, before any deadline
			k.carried = append(k.carried, ev)
		case event.Nobody, event.Sent, event.Unsent, event.Left, event.Seen:
			k.carried = append(k.carried, ev)
		}
	}
}

// takeBlames returns which plans are to be stopped, for a leader that goes on.
func (k *suspects) takeBlames() []event.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	blames := k.blames
	k.blames = nil
	return blames
}

// take returns what a leader that begins steps first.
func (k *suspects) take() []event.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := append(k.blames, k.carried...)
	k.blames, k.carried = nil, nil
	return first
}

// drop forgets what was meant for a leader that does not follow: who leads instead finds
// out by itself.
func (k *suspects) drop() { k.take() }

// failed notes that a step with ev panicked. What it had begun is undone, and its plan stopped
// before anything else; where that cannot be, the leader is over. A request that was undone is
// answered with the incident, unless it is a claim that got something before: that is answered yet.
func (d *desk) failed(ev event.Event, fault any) {
	s, undone := d.machine.Suspect(), d.machine.Undone()
	if d.machine.Happened() {
		ev = event.Tick{} // it is not to blame, and who asked is answered
	}
	number := d.incidents.Report(metrics.AtStep, fault, "event", nameOf(ev), "plan", s.Name.String())
	if c := askedBy(ev); c != nil && !d.machine.Answered(c) {
		c.finish(nil, incident.Refusal(number))
	}
	_, blame := ev.(event.Blame)
	switch {
	case s.Reads && undone:
	case !d.suspects.convict(ev, s):
		d.over = fmt.Errorf("incident %s: the scheduler failed, and cannot tell at which plan", number)
	case undone && !s.Blamed && !blame:
		d.blames = append(d.blames, d.suspects.takeBlames()...)
	default:
		d.over = errContained
	}
}

// nameOf is what the log says of an event.
func nameOf(ev event.Event) string {
	if ask, ok := ev.(event.Ask); ok {
		return fmt.Sprintf("%T", ask.What)
	}
	return fmt.Sprintf("%T", ev)
}

// askedBy returns who waits for an answer to ev; nil: nobody.
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

// abandon ends decide behind a panic. The batch that was being filled is dropped.
func (d *desk) abandon(stop func(error)) error {
	if !errors.Is(d.over, errContained) {
		return d.over
	}
	d.leader.left = append(d.leader.left, d.stepped...)
	d.leader.left = append(append(d.leader.left, d.held...), d.asked...)
	stop(errContained)
	return nil
}

// leftover is what a leader that is closed has taken and not decided, or not said.
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

// doContained performs one effect of append seq. What panics ends the leadership, whose
// successor reads from the journal what is to be stored; but an execution that cannot be
// sent is its plan's matter, and an answer or an event whoever hears it.
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
			l.after.add(x.NotSent(), event.Nobody{About: aboutOf(l.index, x)}, event.Blame{Name: x.Name, Incarnation: x.Incarnation})
		case event.Answer:
			l.refuseTo(e.To, number)
		case event.Handout:
			l.refuseTo(e.To, number)
		case event.Hand:
			l.refuseTo(e.To, number)
		case event.Tell, event.Cancel:
		default:
			err = fmt.Errorf("incident %s", number)
		}
	}()
	return l.do(e, seq)
}

// refuseTo tells whoever asked that there is no answer. What was claimed comes back when
// its time is up.
func (l *leader) refuseTo(to event.Asker, number string) {
	if c, ok := to.(*call); ok {
		c.finish(nil, incident.Refusal(number))
	}
}

// errand does f beside all others, and before the leader is closed. Where f panics,
// otherwise is told the number.
func (l *leader) errand(f func(), otherwise func(number string)) {
	l.errands.Go(func() { l.incidents.Contain(metrics.AtStore, f, otherwise) })
}

// probe lets a test panic here.
func (p *partition) probe(at string, name schema.PlanName) {
	if p.config.Probe != nil {
		p.config.Probe(at, name)
	}
}
