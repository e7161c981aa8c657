package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// inbook is what the books know of a plan's inbox: a list of numbered items, of which
// those from first on, before next, wait. What changes it is read from the effects of
// the appends that land, and compared with the records in them.
type inbook struct {
	manner      schema.Manner
	abandons    bool
	first, next int64
	items       map[int64]keptItem
	data        map[string]string
	mark        bool
	// at is when the next items are handed over; zero when the books cannot tell, since
	// it was the moment of a step.
	at     time.Time
	pushed bool            // since items were handed over
	timed  bool            // there is such a time: somebody has pushed, or an ok has left some
	spans  map[int64]int64 // by occurrence, how many of the first items it hands over
	doubt  map[int64]bool  // occurrences whose items may have been taken though nobody said ok
	given  map[int64]bool  // by execution: all of those have left for its workers
	lock   *lock
}

// keptItem is what an item says, and how long it is.
type keptItem struct {
	text string
	size int
}

// lock is a claim.
type lock struct {
	random       string
	n            int64 // of its execution
	first, count int64
	given        bool // whoever asked was sent the items
	ageless      bool // its request said of no time until which its user waited
}

func (in *inbook) length() int64 { return in.next - in.first }

// bytes is how long the items are that wait.
func (in *inbook) bytes() (size int64) {
	for n := in.first; n < in.next; n++ {
		size += int64(in.items[n].size)
	}
	return size
}

// pushing is a push between its item and its answer.
type pushing struct {
	r      *request
	life   *life
	n      int64
	retime bool // it sets the time
}

// laterThan is the time that was asked for, unless it has passed: then it is now, which
// the books cannot tell.
func laterThan(asked, now time.Time) time.Time {
	if !asked.After(now) {
		return time.Time{}
	}
	return asked
}

// kept enters an item.
func (c *checker) kept(e machine.Keep) {
	l := c.plans.of(e.Name, e.Item.Incarnation)
	if l.inbox == nil {
		l.inbox = &inbook{
			first: 1, next: 1, items: map[int64]keptItem{}, data: map[string]string{},
			spans: map[int64]int64{}, doubt: map[int64]bool{}, given: map[int64]bool{},
		}
		if _, calls := schema.CalledBack(e.Name.Station); !calls && slices.Contains(queueIDs, e.Name.PlanID) {
			c.queues[e.Name.PlanID] = l
		}
	}
	in := l.inbox
	id := itemID{e.Name, e.Item.Incarnation, e.N, textOf(e.Item), len(e.Item.Value)}
	rows := c.landing.rows.items
	if row := int(e.Row); row < 1 || row > len(rows) || rows[row-1] != id {
		c.w.fail("%s: item %d is kept, and no row says so", e.Name, e.N)
	}
	if e.N != in.next {
		c.w.fail("%s: item %d comes where %d belongs", e.Name, e.N, in.next)
	}
	wasEmpty := in.length() == 0
	in.items[e.N] = keptItem{id.value, id.size}
	in.next++
	c.w.report.Items++
	if of, calls := schema.CalledBack(e.Name.Station); calls {
		if c.callbacks.calledBack(schema.PlanName{Station: of, PlanID: e.Name.PlanID}, e); wasEmpty {
			in.at, in.timed = time.Time{}, true // now
		}
		return
	}
	if len(c.landing.granting) == 0 {
		c.w.fail("%s: item %d is kept, and no push is granted", e.Name, e.N)
	}
	r := c.landing.granting[0]
	c.landing.granting = c.landing.granting[1:]
	what := r.what.(schema.PushItem)
	if e.N == 1 {
		in.manner, in.abandons = what.Terms.Manner, what.Terms.AbandonAfter > 0
	}
	if text, _ := what.Item.Text(); text != id.value {
		c.w.fail("%s: item %d says %.20s, and %.20s was pushed", l.name, e.N, id.value, text)
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
	c.pushing = &pushing{r: r, life: l, n: e.N, retime: retime}
}

// accepted checks the answer to a push, which ends it: the time that it is told is the one
// that it has set, or has not.
func (c *checker) accepted(r *request, e machine.Answer) {
	p := c.pushing
	c.pushing = nil
	if e.Err != nil {
		if p != nil {
			c.w.fail("%s: item %d is kept, and its push refused: %v", p.life.name, p.n, e.Err)
		}
		return
	}
	told := e.Body.(schema.Pushed)
	if p == nil || p.r != r {
		c.w.fail("%s: a push is answered, and no item was kept", told.PlanID)
	}
	l, in := p.life, p.life.inbox
	if told.Length != in.length() {
		c.w.fail("%s: a push is told that %d items wait, and %d do", l.name, told.Length, in.length())
	}
	// What waits in its station's line may have been due before.
	wrong := told.PlanTime.After(in.at) || p.retime && !told.PlanTime.Equal(in.at)
	for _, open := range l.record.Open {
		wrong = wrong && !open.PlanTime.Equal(told.PlanTime) // by a clock that was ahead
	}
	if in.manner == schema.MannerDeliver && !in.at.IsZero() && wrong {
		c.w.fail("%s is due at %v, and a push that sets the time (%t) is told %v", l.name, in.at, p.retime, told.PlanTime)
	}
}

// handsOver checks which items an execution is decided to hand over: the first ones that
// wait, all as far as they fit, and in each attempt the same.
func (c *checker) handsOver(l *life, x *machine.Outgoing, k int64, fresh bool) {
	in := l.inbox
	switch {
	case in == nil && (x.Items != 0 || !x.Told.IsZero()):
		c.w.fail("%s has no inbox, and execution %d hands over items", x.Name, x.N)
	case in == nil:
		return
	case (in.manner == schema.MannerDeliver) != (x.Items > 0), in.manner == schema.MannerHold:
		c.w.fail("%s is of manner %q, and execution %d hands over %d items", x.Name, in.manner, x.N, x.Items)
	case in.lock != nil && (fresh || x.Items > 0):
		c.w.fail("%s: execution %d hands over items that are locked with %s", x.Name, x.N, in.lock.random)
	case x.Items == 0:
		return
	case x.FirstItem != in.first, x.Items > in.length():
		c.w.fail("%s: execution %d hands over %d items from %d on, of %d from %d on", x.Name, x.N, x.Items, x.FirstItem, in.length(), in.first)
	}
	// One that fell due and was put off before it could begin keeps its due time. When it
	// did, and what was asked for, may be moments of different clocks.
	early := c.sends.decided[execID{x.Incarnation, x.N}].Add(c.w.apart).Before(in.at)
	if fresh && !c.landing.triggered[x.Name] && !in.at.IsZero() && (early || x.PlanTime.After(in.at.Add(c.w.apart))) {
		c.w.fail("%s: occurrence %d is due at %v and begins at %v, and %v was asked for",
			x.Name, k, x.PlanTime, c.sends.decided[execID{x.Incarnation, x.N}], in.at)
	}
	if most := c.most(l); in.spans[k] == 0 && !l.changed && x.Items != most {
		c.w.fail("%s: execution %d hands over %d items, and can %d", x.Name, x.N, x.Items, most)
	}
	if was, ok := in.spans[k]; ok && was != x.Items {
		c.w.fail("%s: execution %d hands over %d items, and the one before it %d", x.Name, x.N, x.Items, was)
	}
	if _, again := l.executions[x.N]; !again {
		in.spans[k] = x.Items
		in.mark, in.at, in.pushed, in.timed = true, time.Time{}, false, false
	}
}

// most is how many items a plan may hand over at once.
func (c *checker) most(l *life) int64 {
	batch := int64(schema.DefaultHanded)
	if l.plan.Batch > 0 {
		batch = l.plan.Batch
	}
	return min(batch, l.inbox.length())
}

// delivered checks what leaves with an execution: the items that it was decided to hand
// over, as they were pushed and in their order.
func (c *checker) delivered(x *machine.Outgoing, items []string) {
	if x.Items == 0 {
		return
	}
	book := c.plans.lives[x.Incarnation]
	if c.same(book, x.FirstItem, x.Items, items) {
		book.inbox.given[x.N] = true
	}
}

// same compares items with those that were pushed, and reports whether they are all that
// they should be. Some may be missing only once they have been completed, and swept.
func (c *checker) same(book *life, first, count int64, items []string) bool {
	if int64(len(items)) < count && (!book.gone.IsZero() || book.inbox.first > first) {
		return false
	}
	if int64(len(items)) != count {
		c.w.fail("%s: %d items from %d on are handed over, and should be %d", book.name, len(items), first, count)
	}
	for i, text := range items {
		if n := first + int64(i); book.inbox.items[n].text != text {
			c.w.fail("%s: item %d is handed over as %.20s, and is %.20s", book.name, n, text, book.inbox.items[n].text)
		}
	}
	return true
}

// emptied takes the first items out, which somebody has done.
func (c *checker) emptied(l *life, count int64, at time.Time) {
	in := l.inbox
	if count > in.length() {
		c.w.fail("%s: %d items are completed, and %d wait", l.name, count, in.length())
	}
	in.first += count
	in.mark, in.timed = false, true
	if in.length() == 0 {
		in.data = map[string]string{}
	}
	if in.at.IsZero() && !in.pushed {
		in.at = at // what is left goes at once
	}
}

// inboxResult enters what a verdict means for the items that were handed over.
func (c *checker) inboxResult(l *life, r *schema.Result) {
	in := l.inbox
	switch {
	case in == nil:
	case l.thrownAway(r):
		asked := in.abandons || r.Reason == schema.ReasonManual
		if !asked || max(r.Count, 1) != in.length() {
			c.w.fail("%s is thrown away with %d of %d items; that was asked for: %t", l.name, r.Count, in.length(), asked)
		}
		l.abandoned = true
	case in.lock != nil && in.lock.n == r.N:
		c.unlocked(l, r)
	case r.Final && r.State == schema.StateOK && in.spans[r.Occurrence] > 0:
		if !in.given[saidOf(l, r).n] {
			c.w.fail("%s: execution %d is ok, and its items never left", l.name, r.N)
		}
		c.emptied(l, in.spans[r.Occurrence], r.EndTime)
	case r.State == schema.StateCancelled && r.Reason == schema.ReasonOverlap && in.spans[r.Occurrence] > 0:
		c.w.fail("%s: execution %d is cancelled while it hands over items, in favour of somebody else", l.name, r.N)
	case r.Final && r.Reason == schema.ReasonOverlap && in.doubt[r.Occurrence] && in.length() > 0 && !c.landing.claims[l.name]:
		c.w.fail("%s: occurrence %d may have been done, and others hand over its items", l.name, r.Occurrence)
	case r.Final && in.manner == schema.MannerDeliver:
		delete(in.spans, r.Occurrence)
	case in.spans[r.Occurrence] > 0 && len(r.Votes) == 0:
		unsure := r.State == schema.StateError && r.Reason == "" && characterOf(saidOf(l, r)).unsure
		in.doubt[r.Occurrence] = in.doubt[r.Occurrence] || unsure || r.State == schema.StateTimeout
	}
}

// thrownAway reports that a result says how many items were thrown away: all that was
// open has been settled before.
func (l *life) thrownAway(r *schema.Result) bool {
	return r.State == schema.StateSkipped && (r.Reason == schema.ReasonAbandoned || r.Reason == schema.ReasonManual) && (r.Occurrence == 0 || l.final[r.Occurrence])
}

// endedInbox checks the books of an inbox that is gone: nothing waits in it, unless a
// result has said how many items left with it.
func (c *checker) endedInbox(l *life, kind schema.NoticeKind) {
	in := l.inbox
	if in.lock != nil {
		c.w.fail("%s is gone, and locked with %s", l.name, in.lock.random)
	}
	if in.length() > 0 && !l.abandoned {
		c.w.fail("%s is %s with %d items", l.name, kind, in.length())
	}
}

// inboxRecord checks an inbox's record against the books.
func (c *checker) inboxRecord(l *life, st record) {
	in, is := l.inbox, st.Inbox
	if in == nil || is == nil {
		if is != nil || in != nil {
			c.w.fail("%s has an inbox: %t; its record has one: %t", l.name, in != nil, is != nil)
		}
		return
	}
	if is.First != in.first || is.Next != in.next || is.Mark != in.mark || is.Manner != in.manner {
		c.w.fail("%s: the record has items %d to %d, mark %t, manner %q; they are %d to %d, %t, %q",
			l.name, is.First, is.Next, is.Mark, is.Manner, in.first, in.next, in.mark, in.manner)
	}
	if in.timed && is.At.IsZero() && len(st.Open) == 0 && in.length() > 0 && in.manner == schema.MannerDeliver {
		c.w.fail("%s: %d items wait, and the record says of no time at which they are handed over", l.name, in.length())
	}
	locks := 0
	for _, open := range st.Open {
		want := in.spans[open.Occurrence]
		for _, x := range open.Executions {
			if x.Lock == "" {
				continue
			}
			if locks++; in.lock == nil || in.lock.random != x.Lock || in.lock.n != x.N {
				c.w.fail("%s: the record has a lock with %s, as execution %d; the books have %+v", l.name, x.Lock, x.N, in.lock)
			}
			want = in.lock.count
		}
		if open.Items != want {
			c.w.fail("%s: the record has occurrence %d hand over %d items; it is %d", l.name, open.Occurrence, open.Items, want)
		}
	}
	if in.lock != nil && locks != 1 {
		c.w.fail("%s is locked with %s, and the record has %d locks", l.name, in.lock.random, locks)
	}
}
