package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// claimModel holds the claims of queue items and their holders. Its promise: a locked queue is
// neither claimed by others nor delivered; its lock ends by its holder, by time or with the queue;
// and only items that its holder was given are completed.
type claimModel struct {
	w      *world
	queues map[string]*life          // the newest plan of each queue
	heldBy map[string]bool           // by the random of a claim: its user was sent items
	begun  map[schema.PlanName]int64 // the newest execution reported to have begun
}

func newClaimModel(w *world) *claimModel {
	return &claimModel{w: w, queues: map[string]*life{}, heldBy: map[string]bool{}, begun: map[schema.PlanName]int64{}}
}

// adopt enters a plan that has an inbox now, if that is a queue.
func (b *claimModel) adopt(l *life) {
	if slices.Contains(queueIDs, l.name.PlanID) {
		b.queues[l.name.PlanID] = l
	}
}

// claimed enters a claim, or a look, that is granted.
func (b *claimModel) claimed(l *life, e event.ItemsGranted) {
	r := e.To.(*request)
	r.landed = true
	in := l.inbox
	most := int64(0)
	switch what := r.what.(type) {
	case command.ListItems:
		most = what.Number
	case command.ClaimItems:
		most = what.Number
		if in.lock == nil {
			b.locked(l, what, e)
		} else if in.lock.random != what.Random {
			b.w.fail("%s is claimed with %s, and locked with %s", l.name, what.Random, in.lock.random)
		} else {
			most = in.lock.count
		}
	}
	if e.First != in.first || e.Count != min(most, in.length()) || e.Claimed.Length != in.length() {
		b.w.fail("%s: a claim of %d gets %d items from %d on, of %d; there are %d from %d on",
			l.name, most, e.Count, e.First, e.Claimed.Length, in.length(), in.first)
	}
	if len(in.data) != e.Claimed.Data.Len() {
		b.w.fail("%s has data %v, and a claim gets %v", l.name, in.data, e.Claimed.Data)
	}
	for key, want := range in.data {
		if is, _ := e.Claimed.Data.Field(key).Text(); is != want {
			b.w.fail("%s has data %v, and a claim gets %v", l.name, in.data, e.Claimed.Data)
		}
	}
}

// locked enters a new lock.
func (b *claimModel) locked(l *life, what command.ClaimItems, e event.ItemsGranted) {
	in := l.inbox
	if e.To.(*request).strained {
		b.w.fail("%s is claimed while too many results are behind", l.name)
	}
	for k := range in.spans {
		if !l.final[k] {
			b.w.fail("%s is claimed while occurrence %d hands over its items", l.name, k)
		}
	}
	if l.paused || l.halted {
		b.w.fail("%s is claimed while it is paused or waits for a person", l.name)
	}
	in.lock = &lock{random: what.Random, n: b.begun[l.name], first: e.First, count: e.Count, ageless: e.To.(*request).by.IsZero()}
	in.mark, in.pushed = true, false
	in.at = time.Time{} // the end of the lock, unless something is due before
}

// unlocked enters the end of a lock, in the append that lands.
func (b *claimModel) unlocked(in *inboxModel, r *schema.Result, a *landing) {
	l, held := in.l, in.lock
	in.lock = nil
	ends := a.locksEnd[l.name.PlanID]
	granted := &request{}
	if len(ends) > 0 && (r.State == schema.StateOK || r.State == schema.StateError) {
		granted, a.locksEnd[l.name.PlanID] = ends[0], ends[1:]
	}
	switch what := granted.what.(type) {
	case command.CompleteItems:
		if r.State == schema.StateOK && what.Random == held.random {
			b.completed(in, held, what.Number, r)
			return
		}
	case command.ReleaseItems:
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
	b.w.fail("%s: the lock with %s ends %s (%s) by %+v", l.name, held.random, r.State, r.Reason, granted.what)
}

// completed removes the items that a claim completes. A request without a time may lock again when
// the lock known to its user has ended: then the items of the new lock are completed.
func (b *claimModel) completed(in *inboxModel, held *lock, number int64, r *schema.Result) {
	count := held.count
	if number >= 0 {
		count = min(count, number)
	}
	if count > 0 && !held.given && !(held.ageless && b.heldBy[held.random]) {
		b.w.fail("%s: items are completed that no user was given", in.l.name)
	}
	in.emptied(count, r.EndTime)
}

// left checks the answer to a user who has completed, released or dropped items.
func (b *claimModel) left(r *request, e event.Answer) {
	if e.Err != nil {
		return
	}
	answer := e.Body.(command.InboxLeft)
	id := ""
	switch what := r.what.(type) {
	case command.CompleteItems:
		id = what.PlanID
	case command.ReleaseItems:
		id = what.PlanID
	case command.DropItems:
		if l := b.queues[what.PlanID]; answer.Dropped > 0 && (l.gone.IsZero() || answer.Dropped != l.inbox.length()) {
			b.w.fail("%s: %d items are dropped of %d; it is gone: %t", l.name, answer.Dropped, l.inbox.length(), !l.gone.IsZero())
		}
		return
	}
	l := b.queues[id]
	if answer.Length != l.inbox.length() {
		b.w.fail("%s: a complete or release is answered that %d items wait, and %d do", l.name, answer.Length, l.inbox.length())
	}
}

// handed checks that a claim is durable before it is answered.
func (b *claimModel) handed(r *request, written bool) {
	if written && !r.landed {
		b.w.fail("%T is answered with items, and no durable append has their lock", r.what)
	}
}

// given notes the user who was sent the items of a claim, which are the ones pushed.
func (b *claimModel) given(in *inboxModel, r *request, e event.ItemsGranted, items []string) {
	claim, _ := r.what.(command.ClaimItems)
	held := in.lock
	mine := held != nil && held.random == claim.Random && claim.Random != ""
	if in.same(e.First, e.Count, items) && mine {
		held.given = true
	}
	if len(items) > 0 && claim.Random != "" {
		b.heldBy[claim.Random] = true
	}
}

// given checks the items that a claim, or a look, is answered with.
func (c *checker) given(r *request, e event.ItemsGranted, items []string) {
	l := c.plans.lives[e.Incarnation]
	if l == nil || l.inbox == nil {
		c.w.fail("%s: items are leased from an inbox that is not durable", e.Name)
	}
	c.claims.given(l.inbox, r, e, items)
}
