package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Claims of the items of a queue: who holds its lock, and what becomes of what is locked.

// claimed enters a claim, or a look, that is granted.
func (c *checker) claimed(e machine.Hand) {
	r := e.To.(*request)
	r.landed = true
	l := c.plans.of(e.Name, e.Incarnation)
	in := l.inbox
	most := int64(0)
	switch what := r.what.(type) {
	case schema.LookItems:
		most = what.Number
	case schema.ClaimItems:
		most = what.Number
		if in.lock == nil {
			c.locked(l, what, e)
		} else if in.lock.random != what.Random {
			c.w.fail("%s is claimed with %s, and locked with %s", l.name, what.Random, in.lock.random)
		} else {
			most = in.lock.count
		}
	}
	if e.First != in.first || e.Count != min(most, in.length()) || e.Claimed.Length != in.length() {
		c.w.fail("%s: a claim of %d gets %d items from %d on, of %d; there are %d from %d on",
			l.name, most, e.Count, e.First, e.Claimed.Length, in.length(), in.first)
	}
	if len(in.data) != e.Claimed.Data.Len() {
		c.w.fail("%s has data %v, and a claim gets %v", l.name, in.data, e.Claimed.Data)
	}
	for key, want := range in.data {
		if is, _ := e.Claimed.Data.Field(key).Text(); is != want {
			c.w.fail("%s has data %v, and a claim gets %v", l.name, in.data, e.Claimed.Data)
		}
	}
}

// locked enters a new lock.
func (c *checker) locked(l *life, what schema.ClaimItems, e machine.Hand) {
	in := l.inbox
	if e.To.(*request).strained {
		c.w.fail("%s is claimed while too many results are behind", l.name)
	}
	for k := range in.spans {
		if !l.final[k] {
			c.w.fail("%s is claimed while occurrence %d hands over its items", l.name, k)
		}
	}
	if l.paused || l.halted {
		c.w.fail("%s is claimed while it is paused or waits for a person", l.name)
	}
	in.lock = &lock{random: what.Random, n: c.begun[l.name], first: e.First, count: e.Count, ageless: e.To.(*request).by.IsZero()}
	in.mark, in.pushed = true, false
	in.at = time.Time{} // the end of the lock, unless something is due before
}

// unlocked enters the end of a lock.
func (c *checker) unlocked(l *life, r *schema.Result) {
	in := l.inbox
	held := in.lock
	in.lock = nil
	ends := c.landing.locksEnd[l.name.PlanID]
	granted := &request{}
	if len(ends) > 0 && (r.State == schema.StateOK || r.State == schema.StateError) {
		granted, c.landing.locksEnd[l.name.PlanID] = ends[0], ends[1:]
	}
	switch what := granted.what.(type) {
	case schema.CompleteItems:
		if r.State == schema.StateOK && what.Random == held.random {
			c.completed(l, held, what.Number, r)
			return
		}
	case schema.ReleaseItems:
		if r.State == schema.StateError && what.Random == held.random {
			if !what.PlanTime.IsZero() {
				in.at = laterThan(what.PlanTime, granted.decided)
			}
			return
		}
	default:
		if r.State == schema.StateTimeout || r.State == schema.StateCancelled {
			return
		}
	}
	c.w.fail("%s: the lock with %s ends %s (%s) by %+v", l.name, held.random, r.State, r.Reason, granted.what)
}

// completed takes out what a claim was completed of. A request that says of no time may lock
// again when the lock that its user knows has ended: then what that one has is completed.
func (c *checker) completed(l *life, held *lock, number int64, r *schema.Result) {
	count := held.count
	if number >= 0 {
		count = min(count, number)
	}
	if count > 0 && !held.given && !(held.ageless && c.heldBy[held.random]) {
		c.w.fail("%s: items are completed that nobody was given", l.name)
	}
	c.emptied(l, count, r.EndTime)
}

// left checks what a user is told who has completed, released or dropped.
func (c *checker) left(r *request, e machine.Answer) {
	if e.Err != nil {
		return
	}
	told := e.Body.(schema.InboxLeft)
	id := ""
	switch what := r.what.(type) {
	case schema.CompleteItems:
		id = what.PlanID
	case schema.ReleaseItems:
		id = what.PlanID
	case schema.DropItems:
		if l := c.queues[what.PlanID]; told.Dropped > 0 && (l.gone.IsZero() || told.Dropped != l.inbox.length()) {
			c.w.fail("%s: %d items are dropped of %d; it is gone: %t", l.name, told.Dropped, l.inbox.length(), !l.gone.IsZero())
		}
		return
	}
	l := c.queues[id]
	if told.Length != l.inbox.length() {
		c.w.fail("%s: who has completed or released is told that %d items wait, and %d do", l.name, told.Length, l.inbox.length())
	}
}

// handed checks that a claim is durable before it is answered.
func (c *checker) handed(r *request, written bool) {
	if written && !r.landed {
		c.w.fail("%T is answered with items, and nothing durable says so", r.what)
	}
}

// given checks the items that a claim, or a look, is answered with.
func (c *checker) given(r *request, e machine.Hand, items []string) {
	book := c.plans.lives[e.Incarnation]
	if book == nil || book.inbox == nil {
		c.w.fail("%s: items are handed out of an inbox that is not durable", e.Name)
	}
	claim, _ := r.what.(schema.ClaimItems)
	held := book.inbox.lock
	mine := held != nil && held.random == claim.Random && claim.Random != ""
	if c.same(book, e.First, e.Count, items) && mine {
		held.given = true
	}
	if len(items) > 0 && claim.Random != "" {
		c.heldBy[claim.Random] = true
	}
}
