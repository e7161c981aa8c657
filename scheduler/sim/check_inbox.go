package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// inboxModel is the checker's model of a plan's inbox: a list of numbered items, of which those from
// first on, before next, wait. It changes by the effects of the appends that land, and is compared
// with their records. Its promise: the items handed over are the ones pushed, in that order, not
// before they are due, and all of them until a worker has done them; no other item leaves.
type inboxModel struct {
	w           *world
	l           *life // its plan
	manner      schema.Manner
	abandons    bool
	first, next int64
	items       map[int64]keptItem
	data        map[string]string
	mark        bool
	// at is when the next items are delivered; zero when the model cannot know it, because it was
	// the moment of a step.
	at     time.Time
	pushed bool            // since items were handed over
	timed  bool            // there is such a time: by a push, or by an ok that has left some items
	spans  map[int64]int64 // by occurrence, how many of the first items it hands over
	doubt  map[int64]bool  // occurrences whose items may have been taken without an ok
	given  map[int64]bool  // by execution: all of those have left for its workers
	lock   *lock
}

// keptItem is an item's text and length.
type keptItem struct {
	text string
	size int
}

// lock is a claim.
type lock struct {
	random       string
	n            int64 // of its execution
	first, count int64
	given        bool // the items were sent to the user
	ageless      bool // its request gave no time until which its user waited
}

func newInboxModel(l *life) *inboxModel {
	return &inboxModel{
		w: l.w, l: l, first: 1, next: 1, items: map[int64]keptItem{}, data: map[string]string{},
		spans: map[int64]int64{}, doubt: map[int64]bool{}, given: map[int64]bool{},
	}
}

func (in *inboxModel) length() int64 { return in.next - in.first }

// bytes is how long the items are that wait.
func (in *inboxModel) bytes() (size int64) {
	for n := in.first; n < in.next; n++ {
		size += int64(in.items[n].size)
	}
	return size
}

// keep enters an item, which gets the next number.
func (in *inboxModel) keep(id itemID) {
	if id.n != in.next {
		in.w.fail("%s: item %d comes where %d belongs", id.name, id.n, in.next)
	}
	in.items[id.n] = keptItem{id.value, id.size}
	in.next++
	in.w.report.Items++
}

// handsOver checks the items of an execution's decision: the first ones that wait, as many as fit,
// and in each attempt the same.
func (in *inboxModel) handsOver(x *event.Outgoing, k int64, fresh, triggered bool, decided time.Time) {
	switch {
	case (in.manner == schema.MannerDeliver) != (x.Items > 0), in.manner == schema.MannerHold:
		in.w.fail("%s is of manner %q, and execution %d hands over %d items", x.Name, in.manner, x.N, x.Items)
	case in.lock != nil && (fresh || x.Items > 0):
		in.w.fail("%s: execution %d hands over items that are locked with %s", x.Name, x.N, in.lock.random)
	case x.Items == 0:
		return
	case x.FirstItem != in.first, x.Items > in.length():
		in.w.fail("%s: execution %d hands over %d items from %d on, of %d from %d on", x.Name, x.N, x.Items, x.FirstItem, in.length(), in.first)
	}
	// An occurrence that was put off before it could begin keeps its due time. That time and the
	// requested one may be moments of different clocks.
	early := decided.Add(in.w.apart).Before(in.at)
	if fresh && !triggered && !in.at.IsZero() && (early || x.PlanTime.After(in.at.Add(in.w.apart))) {
		in.w.fail("%s: occurrence %d is due at %v and begins at %v, and %v was requested",
			x.Name, k, x.PlanTime, decided, in.at)
	}
	if most := in.most(); in.spans[k] == 0 && !in.l.changed && x.Items != most {
		in.w.fail("%s: execution %d hands over %d items, and can %d", x.Name, x.N, x.Items, most)
	}
	if was, ok := in.spans[k]; ok && was != x.Items {
		in.w.fail("%s: execution %d hands over %d items, and the one before it %d", x.Name, x.N, x.Items, was)
	}
	if _, again := in.l.executions[x.N]; !again {
		in.spans[k] = x.Items
		in.mark, in.at, in.pushed, in.timed = true, time.Time{}, false, false
	}
}

// most is how many items a plan may hand over at once.
func (in *inboxModel) most() int64 {
	batch := int64(command.DefaultHanded)
	if in.l.plan.Batch > 0 {
		batch = in.l.plan.Batch
	}
	return min(batch, in.length())
}

// same compares items with those that were pushed, and reports whether they are all that
// they should be. Some may be missing only once they have been completed, and swept.
func (in *inboxModel) same(first, count int64, items []string) bool {
	if int64(len(items)) < count && (!in.l.gone.IsZero() || in.first > first) {
		return false
	}
	if int64(len(items)) != count {
		in.w.fail("%s: %d items from %d on are handed over, and should be %d", in.l.name, len(items), first, count)
	}
	for i, text := range items {
		if n := first + int64(i); in.items[n].text != text {
			in.w.fail("%s: item %d is handed over as %.20s, and is %.20s", in.l.name, n, text, in.items[n].text)
		}
	}
	return true
}

// emptied removes the first items, which are done.
func (in *inboxModel) emptied(count int64, at time.Time) {
	if count > in.length() {
		in.w.fail("%s: %d items are completed, and %d wait", in.l.name, count, in.length())
	}
	in.first += count
	in.mark, in.timed = false, true
	if in.length() == 0 {
		in.data = map[string]string{}
	}
	if in.at.IsZero() && !in.pushed {
		in.at = at // the rest goes at once
	}
}

// result applies a result to the items that were handed over; claims means that a claim takes items
// of this inbox in the same append.
func (in *inboxModel) result(r *schema.Result, claims bool) {
	switch {
	case r.Final && r.State == schema.StateOK && in.spans[r.Occurrence] > 0:
		if !in.given[repliedExecution(in.l, r).n] {
			in.w.fail("%s: execution %d is ok, and its items never left", in.l.name, r.N)
		}
		in.emptied(in.spans[r.Occurrence], r.EndTime)
	case r.State == schema.StateCancelled && r.Reason == schema.ReasonOverlap && in.spans[r.Occurrence] > 0:
		in.w.fail("%s: execution %d is cancelled while it hands over items, in favour of another", in.l.name, r.N)
	case r.Final && r.Reason == schema.ReasonOverlap && in.doubt[r.Occurrence] && in.length() > 0 && !claims:
		in.w.fail("%s: occurrence %d may have been done, and others hand over its items", in.l.name, r.Occurrence)
	case r.Final && in.manner == schema.MannerDeliver:
		delete(in.spans, r.Occurrence)
	case in.spans[r.Occurrence] > 0 && len(r.Votes) == 0:
		unsure := r.State == schema.StateError && r.Reason == "" && characterOf(repliedExecution(in.l, r)).unsure
		in.doubt[r.Occurrence] = in.doubt[r.Occurrence] || unsure || r.State == schema.StateTimeout
	}
}

// discarded enters a result with a count of discarded items.
func (in *inboxModel) discarded(r *schema.Result) {
	asked := in.abandons || r.Reason == schema.ReasonManual
	if !asked || max(r.Count, 1) != in.length() {
		in.w.fail("%s is deleted with %d of %d items; requested: %t", in.l.name, r.Count, in.length(), asked)
	}
	in.l.abandoned = true
}

// ended checks the model of a removed inbox: no item waits in it, unless a result has counted the
// items that were discarded with it.
func (in *inboxModel) ended(kind schema.NoticeKind) {
	if in.lock != nil {
		in.w.fail("%s is gone, and locked with %s", in.l.name, in.lock.random)
	}
	if in.length() > 0 && !in.l.abandoned {
		in.w.fail("%s is %s with %d items", in.l.name, kind, in.length())
	}
}

// recorded checks an inbox's record against the model.
func (in *inboxModel) recorded(st record) {
	is := st.Inbox
	if is.First != in.first || is.Next != in.next || is.Mark != in.mark || is.Manner != in.manner {
		in.w.fail("%s: the record has items %d to %d, mark %t, manner %q; they are %d to %d, %t, %q",
			in.l.name, is.First, is.Next, is.Mark, is.Manner, in.first, in.next, in.mark, in.manner)
	}
	if in.timed && is.At.IsZero() && len(st.Open) == 0 && in.length() > 0 && in.manner == schema.MannerDeliver {
		in.w.fail("%s: %d items wait, and the record has no time at which they are handed over", in.l.name, in.length())
	}
	locks := 0
	for _, open := range st.Open {
		want := in.spans[open.Occurrence]
		for _, x := range open.Executions {
			if x.Lock == "" {
				continue
			}
			if locks++; in.lock == nil || in.lock.random != x.Lock || in.lock.n != x.N {
				in.w.fail("%s: the record has a lock with %s, as execution %d; the model has %+v", in.l.name, x.Lock, x.N, in.lock)
			}
			want = in.lock.count
		}
		if open.Items != want {
			in.w.fail("%s: the record has occurrence %d hand over %d items; it is %d", in.l.name, open.Occurrence, open.Items, want)
		}
	}
	if in.lock != nil && locks != 1 {
		in.w.fail("%s is locked with %s, and the record has %d locks", in.l.name, in.lock.random, locks)
	}
}

// shown checks the view of an inbox against the model.
func (in *inboxModel) shown(view command.PlanView) {
	is := view.State.Inbox
	if in.l.record.Closing {
		return
	}
	if is == nil || is.Length != in.length() || is.Bytes != in.bytes() || is.Mark != in.mark {
		in.w.fail("%s is shown as %+v, and has %d items of %d bytes, the mark: %t", in.l.name, is, in.length(), in.bytes(), in.mark)
	}
}

// delivered checks the items that leave with an execution: the ones decided on, as they were pushed
// and in their order.
func (b *planModel) delivered(x *event.Outgoing, items []string) {
	if x.Items == 0 {
		return
	}
	if in := b.lives[x.Incarnation].inbox; in.same(x.FirstItem, x.Items, items) {
		in.given[x.N] = true
	}
}

// inboxResult applies a result to the items of its plan.
func (c *checker) inboxResult(l *life, r *schema.Result) {
	in := l.inbox
	switch {
	case in == nil:
	case l.discarded(r):
		in.discarded(r)
	case in.lock != nil && in.lock.n == r.N:
		c.claims.unlocked(in, r, c.landing)
	default:
		in.result(r, c.landing.claims[l.name])
	}
}

// inboxRecord checks that a record has an inbox if its plan has one, and then that inbox.
func (l *life) inboxRecord(st record) {
	if l.inbox == nil || st.Inbox == nil {
		if st.Inbox != nil || l.inbox != nil {
			l.w.fail("%s has an inbox: %t; its record has one: %t", l.name, l.inbox != nil, st.Inbox != nil)
		}
		return
	}
	l.inbox.recorded(st)
}

// discarded reports that a result counts discarded items, after all open occurrences have been
// settled.
func (l *life) discarded(r *schema.Result) bool {
	return r.State == schema.StateSkipped && (r.Reason == schema.ReasonAbandoned || r.Reason == schema.ReasonManual) && (r.Occurrence == 0 || l.final[r.Occurrence])
}
