package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// observer checks a history against the contract. It sees the events before they
// are stepped, what was decided, what became durable and what was published, and
// keeps its own books of it.
type observer struct {
	t       *testing.T
	lives   map[uint64]*life
	current map[schema.PlanName]*life // by what is durable
	said    map[execID]map[schema.State]bool
	sends   map[execID]*sends
	ending  map[uint64]bool // a user has asked for the end of that incarnation
}

// life is one plan from its creation to its end.
type life struct {
	name        schema.PlanName
	incarnation uint64
	plan        schema.Plan
	changed     bool // its definition was replaced
	paused      bool
	promised    []int64 // numbers of triggered runs
	results     map[int64]schema.Result
	final       map[int64]bool
	real, skips int64
	attempts    map[int64]int64     // of occurrence k
	executions  map[int64][2]int64  // k and attempt of execution n
	recorded    map[int64]bool      // execution n is in a durable record
	due         map[int64]time.Time // of occurrence k
}

type execID struct {
	incarnation uint64
	n           int64
}

// sends is how often an execution was published.
type sends struct {
	epoch       int64
	excused     bool // nobody had it, since it was published last
	republished bool // it may be published at other times than what is durable says
}

func newObserver(t *testing.T) *observer {
	return &observer{
		t: t, lives: map[uint64]*life{}, current: map[schema.PlanName]*life{},
		said: map[execID]map[schema.State]bool{}, sends: map[execID]*sends{}, ending: map[uint64]bool{},
	}
}

// before takes in an event that is about to be stepped.
func (o *observer) before(m *Machine, ev Event) {
	switch ev := ev.(type) {
	case Heard:
		if id, ok := genuine(m, ev.About); ok {
			o.hears(id, ev.Reply.State)
		}
	case Sent:
		if p := m.plans[ev.Name]; p != nil {
			o.hears(execID{p.incarnation, ev.N}, schema.StateOK)
		}
	case Nobody:
		if id, ok := genuine(m, ev.About); ok && o.sends[id] != nil {
			o.sends[id].excused, o.sends[id].republished = true, true
		}
	case Ask:
		switch c := ev.What.(type) {
		case schema.ClosePlan:
			if p := m.plans[c.Name]; p != nil {
				o.ending[p.incarnation] = true
			}
		}
	}
}

func genuine(m *Machine, about schema.ReplyName) (execID, bool) {
	p := m.plans[schema.PlanName{Station: about.Station, PlanID: about.PlanID}]
	if p == nil || !m.isNonce(p, about.N, about.Nonce) {
		return execID{}, false
	}
	return execID{p.incarnation, about.N}, true
}

func (o *observer) hears(id execID, s schema.State) {
	if o.said[id] == nil {
		o.said[id] = map[schema.State]bool{}
	}
	o.said[id][s] = true
}

// after checks what an event led to, as it is decided.
func (o *observer) after(h *history, ev Event, effects []Effect) {
	answers := 0
	for _, e := range effects {
		switch e := e.(type) {
		case Answer:
			answers++
		case Dispatch:
			o.early(h, e.Execution)
		}
	}
	switch ev := ev.(type) {
	case Ask:
		if answers != 1 {
			o.t.Fatalf("%T has %d answers", ev.What, answers)
		}
		for _, e := range effects {
			if a, ok := e.(Answer); ok && a.Err == nil {
				o.obeyed(h.m, ev.What)
			}
		}
	case Heard:
		_, ok := genuine(h.m, ev.About)
		if stranger := answers == 0 && h.m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}] != nil; ok && ev.From != nil && stranger {
			o.t.Fatalf("a worker's word has no answer")
		}
	}
}

// obeyed checks that what a user was granted is so.
func (o *observer) obeyed(m *Machine, c schema.Command) {
	grant := func(name schema.PlanName, holds func(p *plan) bool) {
		if p := m.plans[name]; p != nil && !holds(p) {
			o.t.Fatalf("%s: %T was granted, and it is %s", name, c, p.dump())
		}
	}
	switch c := c.(type) {
	case schema.PausePlan:
		grant(c.Name, func(p *plan) bool { return p.halt == paused })
	case schema.ResumePlan:
		grant(c.Name, func(p *plan) bool { return p.halt == served && p.pausedAt == 0 })
	case schema.ResetPlan:
		grant(c.Name, func(p *plan) bool { return p.halt == served && !p.stopped() && p.reason == "" })
	case schema.SkipPlan:
		grant(c.Name, func(p *plan) bool {
			return c.Count < 0 && p.skips() < 0 || c.Count >= 0 && p.skips() >= 0 && p.skips() <= c.Count
		})
	case schema.CancelRun:
		grant(c.Name, func(p *plan) bool {
			was, _ := p.find(c.N)
			return was == nil && (!p.halt.stopped() || p.stopped())
		})
	case schema.ClosePlan:
		grant(c.Name, func(p *plan) bool { return p.closing && p.executing() })
	case schema.RemovePlan:
		grant(c.Name, func(*plan) bool { return false })
	}
}

// early checks that the first execution of an occurrence does not go out before it is
// due. (What comes after that may, by a clock that was set back meanwhile.)
func (o *observer) early(h *history, x *Outgoing) {
	if x.Attempt > 1 || o.sends[execID{x.Incarnation, x.N}] != nil {
		return
	}
	at, p := dueMoment(x.PlanTime), h.m.plans[x.Name]
	if p.revision == 1 && x.Trigger == 0 { // jitter is fixed when an occurrence opens: a later one says nothing of it
		at += moment(h.m.share("jitter/", p, x.Occurrence) * float64(p.options().jitter/time.Microsecond))
	}
	if momentOf(h.now) < at || h.now.Before(x.PlanTime) {
		o.t.Fatalf("%s: occurrence %d of %v is dispatched early, at %v", x.Name, x.Occurrence, x.PlanTime, h.now)
	}
}

// published checks an execution as it leaves.
func (o *observer) published(h *history, x *Outgoing) {
	l := o.lives[x.Incarnation]
	if l == nil || !l.recorded[x.N] {
		o.t.Fatalf("%s: execution %d is published, and nothing durable says so", x.Name, x.N)
	}
	id := execID{x.Incarnation, x.N}
	s := o.sends[id]
	if s == nil {
		o.sends[id] = &sends{epoch: x.Epoch, republished: x.Pub}
		return
	}
	adopted := x.Pub && s.epoch < x.Epoch
	if !s.excused && !adopted {
		o.t.Fatalf("%s: execution %d is published again, and somebody may have it", x.Name, x.N)
	}
	s.excused, s.epoch = false, x.Epoch
}

// republished reports that the times of execution n are not those of the journal.
func (o *observer) republished(p *plan, n int64) bool {
	s := o.sends[execID{p.incarnation, n}]
	return s != nil && s.republished
}

// finite reports that a plan has a last occurrence.
func (o *observer) finite(name schema.PlanName) bool {
	l := o.current[name]
	if l == nil {
		return false
	}
	switch l.plan.PlanType {
	case schema.TypeNone, schema.TypeTime:
		return true
	default:
		return l.plan.PlanRepet != nil && *l.plan.PlanRepet > 0
	}
}

// lazy shows an event or an effect in a line of the trail.
type lazy struct{ what any }

func (l lazy) String() string {
	switch e := l.what.(type) {
	case Dispatch:
		x := e.Execution
		return fmt.Sprintf("dispatch %s %d as %d.%d, due %v, start by %v, deadline %v", x.Name, x.Occurrence, x.N, x.Attempt, x.PlanTime, x.StartBy, x.Deadline)
	case Publish:
		return "publish " + wire.Trust(e.Enc, e.Body).String()
	default:
		return fmt.Sprintf("%T %s", e, text(e))
	}
}
