package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// pushModel is the landing push, between its item and its answer. Its promise: each item kept was
// pushed by a user, unchanged; the answer follows it, with the number of items that wait and the
// time of their delivery.
type pushModel struct {
	w       *world
	pushing *pushing
}

// pushing is a push between its item and its answer.
type pushing struct {
	r      *request
	in     *inboxModel
	n      int64
	retime bool // it sets the time
}

// kept enters an item: a pushed one, or a result that is a callback.
func (c *checker) kept(e event.Keep) {
	l := c.plans.of(e.Name, e.Item.Incarnation)
	of, calls := schema.CalledBack(e.Name.Station)
	if l.inbox == nil {
		l.inbox = newInboxModel(l)
		if !calls {
			c.claims.adopt(l)
		}
	}
	in, rows := l.inbox, c.landing.rows.items
	id := itemID{e.Name, e.Item.Incarnation, e.N, textOf(e.Item), len(e.Item.Value)}
	if row := int(e.Row); row < 1 || row > len(rows) || rows[row-1] != id {
		c.w.fail("%s: item %d is kept, and no row has it", e.Name, e.N)
	}
	wasEmpty := in.length() == 0
	in.keep(id)
	if !calls {
		c.pushes.pushed(in, id, wasEmpty, c.landing.nextPush())
		return
	}
	if c.callbacks.calledBack(schema.PlanName{Station: of, PlanID: e.Name.PlanID}, e); wasEmpty {
		in.at, in.timed = time.Time{}, true // now
	}
}

// pushed enters a push's effects on an inbox, apart from its item. R is the next push granted in the
// append; nil: there is none.
func (b *pushModel) pushed(in *inboxModel, id itemID, wasEmpty bool, r *request) {
	if r == nil {
		b.w.fail("%s: item %d is kept, and no push is granted", id.name, id.n)
	}
	what := r.what.(command.PushItem)
	if id.n == 1 {
		in.manner, in.abandons = what.Terms.Manner, what.Terms.AbandonAfter > 0
	}
	if text, _ := what.Item.Text(); text != id.value {
		b.w.fail("%s: item %d says %.20s, and %.20s was pushed", id.name, id.n, id.value, text)
	}
	if !what.Terms.Data.IsZero() {
		for key, v := range what.Terms.Data.Map() {
			in.data[key], _ = v.Text()
		}
	}
	retime := wasEmpty || in.mark || what.Retime == schema.RetimeAlways
	if retime {
		in.at, in.timed = laterThan(what.PlanTime, r.decided), true
	}
	in.pushed = true
	b.pushing = &pushing{r: r, in: in, n: id.n, retime: retime}
}

// laterThan is the requested time, or the zero time if that has passed, because the model cannot
// know the moment of the step.
func laterThan(asked, now time.Time) time.Time {
	if !asked.After(now) {
		return time.Time{}
	}
	return asked
}

// accepted checks the answer to a push, which ends it: the time in the answer is the one that the
// push has set, or has not.
func (b *pushModel) accepted(r *request, e event.Answer) {
	p := b.pushing
	b.pushing = nil
	if e.Err != nil {
		if p != nil {
			b.w.fail("%s: item %d is kept, and its push refused: %v", p.in.l.name, p.n, e.Err)
		}
		return
	}
	answer := e.Body.(schema.Pushed)
	if p == nil || p.r != r {
		b.w.fail("%s: a push is answered, and no item was kept", answer.PlanID)
	}
	l, in := p.in.l, p.in
	if answer.Length != in.length() {
		b.w.fail("%s: a push is answered that %d items wait, and %d do", l.name, answer.Length, in.length())
	}
	// An occurrence in its station's concurrency queue may have been due before.
	wrong := answer.PlanTime.After(in.at) || p.retime && !answer.PlanTime.Equal(in.at)
	wrong = wrong && !l.record.isDue(answer.PlanTime) // by a clock that was ahead
	if b.w.apart > 0 {                                // which opened it and was set back in this append
		wrong = wrong && !b.w.check.landing.rows.states[l.name].isDue(answer.PlanTime)
	}
	if in.manner == schema.MannerDeliver && !in.at.IsZero() && wrong {
		b.w.fail("%s is due at %v, and a push that sets the time (%t) is answered %v", l.name, in.at, p.retime, answer.PlanTime)
	}
}
