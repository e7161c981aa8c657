package sim

import (
	"maps"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// planModel holds the present plans and all former ones. Its promise: a plan exists from its entry
// in the journal to its removal there, under an incarnation of its own; the answers to users and the
// views of leaders show exactly that.
type planModel struct {
	w        *world
	lives    map[uint64]*life
	current  map[schema.PlanName]*life // by the journal
	byName   map[schema.PlanName][]*life
	repeated map[schema.PlanName]bool // plans that were created again with keep
	nonces   map[string]uint64        // of executions, which plan's they are
}

func newPlanModel(w *world) *planModel {
	return &planModel{
		w: w, lives: map[uint64]*life{}, current: map[schema.PlanName]*life{}, byName: map[schema.PlanName][]*life{},
		repeated: map[schema.PlanName]bool{}, nonces: map[string]uint64{},
	}
}

// names are the names of the existing plans, in order.
func (b *planModel) names() []schema.PlanName {
	return slices.SortedFunc(maps.Keys(b.current), compareNames)
}

// born enters a new plan; ending means that a user has requested its end already.
func (b *planModel) born(name schema.PlanName, ending bool) *life {
	l := newLife(b.w, name)
	l.ending = ending
	b.w.report.Plans++
	b.current[name] = l
	b.byName[name] = append(b.byName[name], l)
	return l
}

// of returns the life that an incarnation is.
func (b *planModel) of(name schema.PlanName, incarnation uint64) *life {
	l := b.current[name]
	switch {
	case l == nil:
		b.w.fail("%s: something happens to a plan that is not there", name)
	case l.incarnation == 0:
		if b.lives[incarnation] != nil {
			b.w.fail("%s: incarnation %d was given before", name, incarnation)
		}
		l.incarnation = incarnation
		b.lives[incarnation] = l
	case l.incarnation != incarnation:
		b.w.fail("%s is of incarnation %d, not %d", name, l.incarnation, incarnation)
	}
	return l
}

// askedToEnd enters that users have asked for the end of plans.
func (b *planModel) askedToEnd(names map[schema.PlanName]bool) {
	for name := range names {
		if l := b.current[name]; l != nil {
			l.ending = true
		}
	}
}

// isRecorded reports that a durable row has an execution.
func (b *planModel) isRecorded(x *event.Outgoing) bool {
	l := b.lives[x.Incarnation]
	return l != nil && l.recorded[x.N]
}

// underWay counts the executions under way at each station. The holder of a queue's claim is no
// worker, and an execution that a backup has lost has none.
func (b *planModel) underWay() map[string]int64 {
	under := map[string]int64{}
	for name, l := range b.current {
		for _, o := range l.record.Open {
			for _, x := range o.Executions {
				if _, lost := l.lost[x.N]; x.Lock == "" && !lost {
					under[name.Station]++
				}
			}
		}
	}
	return under
}

// shown is the record that a user can know of a plan; zero when the plan is absent.
func (b *planModel) shown(name schema.PlanName) record {
	if l := b.current[name]; l != nil {
		return l.record
	}
	return record{}
}

// endless reports that a plan is there that will not close by itself.
func (b *planModel) endless(name schema.PlanName) bool {
	l := b.current[name]
	if l == nil {
		return false
	}
	if l.record.Halt != "" || l.record.SkipTo != 0 {
		return true
	}
	if l.inbox != nil {
		return false // see users.empty
	}
	switch l.plan.PlanType {
	case schema.TypeNone, schema.TypeTime:
		return false
	default:
		return l.plan.PlanRepet == nil || *l.plan.PlanRepet < 0
	}
}

// mayRunAgain checks that an execution which may have run is sent again only where its plan is
// executed in doubt.
func (b *planModel) mayRunAgain(id execID, n schema.Notice) {
	if l := b.lives[id.incarnation]; l != nil && !l.changed && (l.plan.OnUnknown == schema.UnknownSkip || l.plan.OnUnknown == schema.UnknownHold) {
		b.w.fail("%s/%s: execution %d may have run and is sent again, which on_unknown forbids", n.Station, n.PlanID, n.N)
	}
}

// end checks the whole: every plan has ended, with a result for each number.
func (b *planModel) end() {
	for _, incarnation := range slices.Sorted(maps.Keys(b.lives)) {
		if l := b.lives[incarnation]; l.gone.IsZero() {
			b.w.fail("%s has not ended", l.name)
		}
	}
}

// followNotice follows the lives of plans; rest are the effects from the notice on.
func (c *checker) followNotice(n schema.Notice, rest []event.Effect) {
	name := schema.PlanName{Station: n.Station, PlanID: n.PlanID}
	l := c.plans.current[name]
	switch n.Kind {
	case schema.NoticeCreated:
		raw, d := c.landing.definition(c.w, name, n.Kind)
		if l != nil {
			c.w.fail("%s is created, and lives", name)
		}
		l = c.plans.born(name, c.landing.ending[name])
		l.define(d, c.landing.seq)
		l.paused = d.Plan.Paused
		c.plans.made(l, raw, maker(rest, name))
	case schema.NoticeUpdated:
		_, d := c.landing.definition(c.w, name, n.Kind)
		l.changed, l.schedules.moving = true, true
		l.define(d, c.landing.seq)
	case schema.NoticeRescheduled:
		c.calendars.rescheduled(l, n)
	case schema.NoticeRunning:
		c.claims.begun[name] = n.N
	case schema.NoticePaused:
		l.paused, l.turned = true, c.w.now
	case schema.NoticePlanError:
		l.stops(n, c.stations.ofTasks(name.Station))
	case schema.NoticeResumed:
		l.paused, l.halted, l.blamed, l.turned = false, false, false, c.w.now
	case schema.NoticeClosed, schema.NoticeRemoved:
		if len(c.landing.nextDefinition(c.w, name, n.Kind)) != 0 {
			c.w.fail("%s is gone, and has a definition", name)
		}
		if l == nil {
			c.w.fail("%s is %s, and was not there", name, n.Kind)
		}
		l.gone = c.w.now
		delete(c.plans.current, name)
		c.gaveBack(l)
		c.withdrawn(l)
		l.ended(n.Kind)
	}
}
