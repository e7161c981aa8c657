package scheduler

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stationmaster-io/stationmaster/incident"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A panic costs what it was about, and nothing else (ADR 0011). A machine that panicked
// is thrown away with the batch that it was filling, of which nothing was written or said:
// what was sealed before is finished, who waits for an answer is passed on, what workers
// and NATS said is stepped again, and the same node goes on, under the same lease, with a
// machine that it has read anew. What made it panic is kept from the next one.

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
	blames  []machine.Event // what the next leader steps first
	plans   map[machine.PlanID]bool
	words   map[schema.ReplyName]bool // of workers about these executions: not heard
	workers map[string]bool           // whose presence is not taken in
	carried []machine.Event           // what the next leader steps again
}

func newSuspects() *suspects {
	return &suspects{
		plans: map[machine.PlanID]bool{}, words: map[schema.ReplyName]bool{}, workers: map[string]bool{},
	}
}

// convict notes what a step with ev, which looked at s, panicked at. False: nobody can
// tell, and the next machine would do the same.
func (k *suspects) convict(ev machine.Event, s machine.Suspect) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := false
	switch ev := ev.(type) {
	case machine.Blame:
		s.Blamed = true
	case machine.Heard: // a worker repeats it, and it is captured
		known = true
		k.ignores.Store(true)
		keep(k.words, ev.About)
	case machine.Seen: // likewise
		known = true
		k.ignores.Store(true)
		keep(k.workers, ev.Worker.WorkerID)
	case machine.Nobody, machine.Sent, machine.Left, machine.Ask, machine.Fetched:
		known = true // it is not said again
	}
	switch {
	case s.Asked || s.Incarnation == 0:
		return known
	case s.Blamed:
		keep(k.plans, machine.PlanID{Name: s.Name, Incarnation: s.Incarnation})
	default:
		k.blames = append(k.blames, machine.Blame{Name: s.Name, Incarnation: s.Incarnation})
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
func (k *suspects) setAside(s machine.Suspect) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keep(k.plans, machine.PlanID{Name: s.Name, Incarnation: s.Incarnation})
}

// isIgnored reports that an event is not to be stepped.
func (k *suspects) isIgnored(ev machine.Event) bool {
	if !k.ignores.Load() {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch ev := ev.(type) {
	case machine.Heard:
		return k.words[ev.About]
	case machine.Seen:
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
func (k *suspects) carry(events []machine.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, ev := range events {
		if read, ok := ev.(machine.Fetched); ok {
			ev = read.For
		}
		switch ev := ev.(type) {
		case machine.Heard:
			ev.Captured = true // others may come behind it, before any deadline
			k.carried = append(k.carried, ev)
		case machine.Nobody, machine.Sent, machine.Left, machine.Seen:
			k.carried = append(k.carried, ev)
		}
	}
}

// take returns what a leader that begins steps first.
func (k *suspects) take() []machine.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := append(k.blames, k.carried...)
	k.blames, k.carried = nil, nil
	return first
}

// drop forgets what was meant for a leader that does not follow: who leads instead finds
// out by itself.
func (k *suspects) drop() { k.take() }

// failed notes that a step with ev panicked, which had found so many effects in its batch.
// Whoever asked is told.
func (d *desk) failed(ev machine.Event, effects int, fault any) {
	s := d.machine.Suspect(d.batch)
	number := d.incidents.Report(metrics.AtStep, fault, "event", nameOf(ev), "plan", s.Name.String())
	if c := askedBy(ev); c != nil {
		c.finish(nil, incident.Refusal(number))
	}
	switch {
	case s.Reads:
		d.batch.Cut(effects)
	case d.suspects.convict(ev, s):
		d.over = errContained
	default:
		d.over = fmt.Errorf("incident %s: the scheduler failed, and cannot tell at which plan", number)
	}
}

// nameOf is what the log says of an event.
func nameOf(ev machine.Event) string {
	if ask, ok := ev.(machine.Ask); ok {
		return fmt.Sprintf("%T", ask.What)
	}
	return fmt.Sprintf("%T", ev)
}

// askedBy returns who waits for an answer to ev; nil: nobody.
func askedBy(ev machine.Event) *call {
	if read, ok := ev.(machine.Fetched); ok {
		ev = read.For
	}
	ask, ok := ev.(machine.Ask)
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
func (l *leader) leftover() []machine.Event {
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
func (l *leader) doContained(e machine.Effect, seq uint64) (err error) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		number := l.incidents.Report(metrics.AtPerform, fault, "effect", fmt.Sprintf("%T", e))
		switch e := e.(type) {
		case machine.Dispatch:
			x := e.Execution
			l.after.add(x.NotSent(), machine.Nobody{About: aboutOf(l.index, x)}, machine.Blame{Name: x.Name, Incarnation: x.Incarnation})
		case machine.Answer:
			l.refuseTo(e.To, number)
		case machine.Handout:
			l.refuseTo(e.To, number)
		case machine.Hand:
			l.refuseTo(e.To, number)
		case machine.Tell, machine.Cancel:
		default:
			err = fmt.Errorf("incident %s", number)
		}
	}()
	return l.do(e, seq)
}

// refuseTo tells whoever asked that there is no answer. What was claimed comes back when
// its time is up.
func (l *leader) refuseTo(to machine.Asker, number string) {
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
