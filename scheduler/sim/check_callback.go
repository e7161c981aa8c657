package sim

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// callbackModel holds the results of the landing append that may owe a callback. Its promise: the
// outcome of an occurrence is pushed, in the same append, to the plan that delivers it, or the log
// gives the reason for its absence; no other callback is pushed.
type callbackModel struct {
	w    *world
	owed []*owed
}

// owed is a result that may have a callback.
type owed struct {
	name schema.PlanName // of its plan
	n    int64
	key  string
	must bool // a callback is due
	paid bool
}

// owes notes a result with the outcome of an occurrence whose station wants a callback, or may want
// one: unsure means that the station has another record, before or behind the result. A result that
// settles no occurrence but stops its plan owes a callback, too; the stop appears only behind it.
func (b *callbackModel) owes(l *life, r *schema.Result, to *schema.Callback, unsure bool) {
	state := r.State
	if state == schema.StateSkipped && !r.Error.IsZero() {
		state = schema.StateFailure // it had failed, and was superseded
	}
	if state == schema.StateSkipped || state == schema.StateCancelled {
		return
	}
	if to.Target(state) != nil || unsure {
		b.owed = append(b.owed, &owed{name: l.name, n: r.N, key: r.Key, must: r.Final && !unsure})
	}
}

// calledBack checks an item of a plan that delivers another's callbacks: it is the result that was
// published just before.
func (b *callbackModel) calledBack(of schema.PlanName, e event.Keep) {
	r := b.w.decode(event.Publish{Name: e.Name, Body: e.Item.Value})
	if n := len(b.owed); n > 0 {
		if last := b.owed[n-1]; last.name == of && last.n == r.N && last.key == r.Key && !last.paid {
			last.paid = true
			return
		}
	}
	b.w.fail("%s is called back about result %d, key %s, which wants no callback", of, r.N, r.Key)
}

// paid checks that each callback owed is pushed, or that the log gives the reason why not.
func (b *callbackModel) paid(effects []event.Effect) {
	excused := map[owed]bool{}
	for _, e := range effects {
		if e, ok := e.(event.NotCalledBack); ok {
			excused[owed{name: e.Name, n: e.N}] = true
		}
	}
	for _, o := range b.owed {
		if o.must && !o.paid && !excused[owed{name: o.name, n: o.n}] {
			b.w.fail("%s: result %d has no callback", o.name, o.n)
		}
	}
}
