package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// shelf knows where the items of inboxes are: in memory, or in their stream
// (scheduler/storing/shelf.go).
type shelf struct {
	l      *leader
	queues map[schema.PlanName]*shelved
	// What may be swept (scheduler/storing/sweep.go): how many items, and by queue the highest
	// sequence of one that has left.
	waste              int
	left               map[schema.PlanName]uint64
	sweeping, surveyed bool
	rounds             int
}

// shelved are the items of one inbox, the first of which has the number first.
type shelved struct {
	incarnation uint64
	first       int64
	list        []shelfItem
}

// shelfItem is one item; seq is 0 until it is known to be stored.
type shelfItem struct {
	seq    uint64
	value  string
	inHand bool // value is in memory
}

// wanted are count items of an inbox, from the number first on.
type wanted struct {
	name         schema.PlanName
	incarnation  uint64
	first, count int64
}

// at returns item n, nil when it is not on the shelf.
func (q *shelved) at(incarnation uint64, n int64) *shelfItem {
	if q == nil || q.incarnation != incarnation || n < q.first || n >= q.first+int64(len(q.list)) {
		return nil
	}
	return &q.list[n-q.first]
}

// adopt takes over an inbox of earlier leaders.
func (s *shelf) adopt(i machine.Inbox) {
	s.queues[i.Name] = &shelved{incarnation: i.Incarnation, first: i.First, list: make([]shelfItem, i.Next-i.First)}
}

// put takes an item that is to be stored.
func (s *shelf) put(id itemID) {
	q := s.queues[id.name]
	if q == nil || q.incarnation < id.incarnation {
		q = &shelved{incarnation: id.incarnation, first: id.n}
		s.queues[id.name] = q
	}
	if at := q.at(id.incarnation, id.n); at != nil { // of an earlier leader
		at.value, at.inHand = id.value, true
		return
	}
	if q.incarnation == id.incarnation && id.n == q.first+int64(len(q.list)) {
		q.list = append(q.list, shelfItem{value: id.value, inHand: true})
	}
}

// stored notes where an item was stored. Every other one leaves memory, as large ones do.
func (s *shelf) stored(id itemID, seq uint64) {
	item := s.queues[id.name].at(id.incarnation, id.n)
	if item == nil {
		s.wasted(id.name, seq) // it was completed before it was stored
		return
	}
	if item.seq = seq; seq%2 == 0 {
		item.value, item.inHand = "", false
	}
}

// drop takes what has left an inbox off the shelf.
func (s *shelf) drop(d event.Drop) {
	q := s.queues[d.Name]
	if q == nil || q.incarnation != d.Incarnation {
		return
	}
	n := int64(len(q.list))
	if d.Before != event.AllItems {
		n = min(max(d.Before-q.first, 0), n)
	}
	for _, item := range q.list[:n] {
		if item.seq != 0 {
			s.wasted(d.Name, item.seq)
		}
	}
	q.list, q.first = slices.Clone(q.list[n:]), q.first+n
	if d.Before == event.AllItems {
		delete(s.queues, d.Name)
	}
}

// missingFor is how long items that could not be read are tried, and those that are not
// where they were stored.
const missingFor = 5 * time.Second

// leastLooks is how often those that are not there are looked for at least.
const leastLooks = 10

// reading is one reading back.
type reading struct {
	s      *shelf
	want   wanted
	found  []shelfItem
	began  time.Time
	missed time.Time // since when what could be read lacks some
	looks  int       // that missed them
	then   func(items []string, err error)
}

// gather hands over the items that are wanted, when all of them are in memory or were
// read back.
func (s *shelf) gather(want wanted, then func(items []string, err error)) {
	r := &reading{s: s, want: want, found: make([]shelfItem, want.count), began: s.l.w.now, then: then}
	if r.fromMemory() {
		then(present(r.found), nil)
		return
	}
	r.look()
}

// fromMemory fills found with what is in memory; true: it is all.
func (r *reading) fromMemory() bool {
	q := r.s.queues[r.want.name]
	for i := range r.found {
		if item := q.at(r.want.incarnation, r.want.first+int64(i)); item != nil && item.inHand && !r.found[i].inHand {
			r.found[i] = *item
		}
	}
	return r.complete()
}

func (r *reading) complete() bool {
	return !slices.ContainsFunc(r.found, func(i shelfItem) bool { return !i.inHand })
}

// look reads from the stream, or from a replica of it that is behind, until all is found
// or was missing for too long.
func (r *reading) look() {
	w, d := r.s.l.w, r.s.l.d
	var of []storedItem
	r.s.l.call(func() error {
		of = slices.Clone(d.items)
		if len(of) > 0 && w.fault(w.odds.stale, "stale read") {
			of = of[:w.rng.IntN(len(of))]
		}
		return nil
	}, func(err error) {
		r.take(of)
		switch {
		case r.fromMemory() || err == nil && w.planted(LeavesGaps):
			r.then(present(r.found), nil)
			return
		case err != nil && w.now.Sub(r.began) > missingFor:
			r.then(nil, err)
			return
		case err != nil:
			r.missed, r.looks = time.Time{}, 0
		case r.missed.IsZero():
			r.missed = w.now
		case w.now.Sub(r.missed) > missingFor && r.looks >= leastLooks:
			r.then(present(r.found), nil) // they are lost
			return
		}
		r.looks++
		r.s.l.later(r.look)
	})
}

// take fills found with what was read.
func (r *reading) take(of []storedItem) {
	for _, i := range of {
		at := i.n - r.want.first
		same := i.incarnation == r.want.incarnation || r.s.l.w.planted(AnyLife)
		if i.name == r.want.name && same && at >= 0 && at < r.want.count && !r.found[at].inHand {
			r.found[at] = shelfItem{seq: i.seq, value: i.value, inHand: true}
		}
		r.s.found(i)
	}
}

// found notes where an item was seen.
func (s *shelf) found(i storedItem) {
	if item := s.queues[i.name].at(i.incarnation, i.n); item != nil {
		item.seq = i.seq
	}
}

// present are the values of the items that were found.
func present(found []shelfItem) []string {
	out := make([]string, 0, len(found))
	for _, item := range found {
		if item.inHand {
			out = append(out, item.value)
		}
	}
	return out
}

// keep takes an item of append seq.
func (l *leader) keep(e event.Keep, seq uint64) {
	l.store(itemID{e.Name, e.Item.Incarnation, e.N, textOf(e.Item), len(e.Item.Value)}, protocol.Mark{Seq: seq, Row: e.Row})
}

// store has an item written to its stream.
func (l *leader) store(id itemID, at protocol.Mark) {
	l.shelf.put(id)
	l.items.add(laned{
		mark:    at,
		message: message{store: func(seq uint64) { l.d.keep(storedItem{id, seq}) }},
		stored:  func(seq uint64) { l.shelf.stored(id, seq) },
	})
}

// requeueItem stores an item that an earlier leader took and did not store. It may be
// the result before it.
func requeueItem(l *leader, r event.Row, result []byte, at protocol.Mark) {
	item, err := event.ParseItem(r.Value, result)
	if err != nil {
		l.w.fail("item %d of %s: %v", r.N, r.Name, err)
	}
	l.store(itemID{r.Name, item.Incarnation, r.N, textOf(item), len(item.Value)}, at)
}

// textOf is what an item says: what users push is text, what calls back is not.
func textOf(item event.Item) string {
	if text, ok := wire.Trust(item.Enc, item.Value).Text(); ok {
		return text
	}
	return string(item.Value)
}

// dispatchItems sends an execution when what it hands over is at hand.
func dispatchItems(l *leader, x *event.Outgoing) {
	if x.Items == 0 {
		l.dispatch(x, nil)
		return
	}
	l.shelf.gather(wanted{x.Name, x.Incarnation, x.FirstItem, x.Items}, func(items []string, err error) {
		if err != nil || !l.trusts() {
			l.notSent(x) // another leader may hand them over by now, or this one when it has timed out
			return
		}
		if l.w.planted(LosesOrder) {
			slices.Reverse(items)
		}
		l.dispatch(x, items)
	})
}

// hand answers a claim, or a look, with its items.
func (l *leader) hand(e event.Hand, seq uint64) {
	to := e.To.(*request)
	l.w.check.claims.handed(to, seq > 0)
	l.shelf.gather(wanted{e.Name, e.Incarnation, e.First, e.Count}, func(items []string, err error) {
		if err != nil {
			to.answer(nil, &schema.Error{Code: schema.CodeUnavailable, Message: "the items are locked for you, but could not be read now"})
			return
		}
		l.w.check.given(to, e, items)
		for _, text := range items {
			e.Claimed.Items = append(e.Claimed.Items, wire.Text(wire.JSON, text))
		}
		to.answer(e.Claimed, nil)
	})
}

// itemsAhead is how many items may wait for their stream before pushes are refused.
const itemsAhead = 60

// refusesPush answers a push that there is no room for now.
func refusesPush(l *leader, ev event.Event) bool {
	ask, ok := ev.(event.Ask)
	if !ok || len(l.items.queue) < itemsAhead {
		return false
	}
	_, push := ask.What.(schema.PushItem)
	if push {
		ask.From.(*request).answer(nil, &schema.Error{Code: schema.CodeUnavailable, Message: "items come faster than they can be stored"})
	}
	return push
}
