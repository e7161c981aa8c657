package sim

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// itemCache keeps the index of items, reads evicted ones back, and sweeps.
type itemCache struct {
	*protocol.ItemCache[schema.PlanName, text]
	l                  *leader
	sweeping, surveyed bool
	rounds             int
}

// newItemCache is one from which every other item leaves memory when it is stored, as large ones do.
func newItemCache(l *leader) *itemCache {
	stays := func(seq uint64, _ int, _ int64) bool { return seq%2 == 1 }
	return &itemCache{ItemCache: protocol.NewItemCache[schema.PlanName, text](stays), l: l}
}

// text is an item's text, if it is in memory.
type text struct {
	is     string
	inHand bool
}

// Size is more than 0 when the text is at hand.
func (t text) Size() int {
	if !t.inHand {
		return 0
	}
	return len(t.is) + 1
}

// at is where the cache has an item.
func (i itemID) at() protocol.ItemID[schema.PlanName] {
	return protocol.ItemID[schema.PlanName]{Queue: i.name, Incarnation: i.incarnation, N: i.n}
}

// wanted are count items of an inbox, from the number first on.
type wanted struct {
	name         schema.PlanName
	incarnation  uint64
	first, count int64
}

// at is where the cache has the item behind so many others.
func (w wanted) at(i int) protocol.ItemID[schema.PlanName] {
	return protocol.ItemID[schema.PlanName]{Queue: w.name, Incarnation: w.incarnation, N: w.first + int64(i)}
}

// reading is one reading back.
type reading struct {
	s     *itemCache
	want  wanted
	found []text
	looks protocol.Search
	then  func(items []string, err error)
}

// gather hands over the items that are wanted, when all of them are in memory or were
// read back.
func (s *itemCache) gather(want wanted, then func(items []string, err error)) {
	r := &reading{s: s, want: want, found: make([]text, want.count), looks: protocol.NewSearch(s.l.w.now), then: then}
	if r.fromMemory() {
		then(present(r.found), nil)
		return
	}
	r.look()
}

// fromMemory fills found with the items in memory; true: they are all.
func (r *reading) fromMemory() bool {
	for i := range r.found {
		if _, is, _ := r.s.At(r.want.at(i)); is.inHand && !r.found[i].inHand {
			r.found[i] = is
		}
	}
	return r.complete()
}

func (r *reading) complete() bool {
	return !slices.ContainsFunc(r.found, func(i text) bool { return !i.inHand })
}

// look reads from the stream, or from a stale replica of it, until all items are found or were
// missing for too long.
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
		all := r.fromMemory()
		switch over := r.looks.Over(w.now, !all, err != nil); {
		case all, err == nil && (over || w.planted(LeavesGaps)): // the others are lost
			r.then(present(r.found), nil)
		case over:
			r.then(nil, err)
		default:
			r.s.l.later(r.look)
		}
	})
}

// take fills found with the items read.
func (r *reading) take(of []storedItem) {
	for _, i := range of {
		at := i.n - r.want.first
		same := i.incarnation == r.want.incarnation || r.s.l.w.planted(AnyLife)
		if i.name == r.want.name && same && at >= 0 && at < r.want.count && !r.found[at].inHand {
			r.found[at] = text{i.value, true}
		}
		r.s.Found(i.at(), i.seq, text{})
	}
}

// present are the values of the items that were found.
func present(found []text) []string {
	out := make([]string, 0, len(found))
	for _, item := range found {
		if item.inHand {
			out = append(out, item.is)
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
	l.itemCache.Put(id.at(), text{id.value, true})
	l.items.add(queued{
		mark:    at,
		message: message{store: func(seq uint64) { l.d.keep(storedItem{id, seq}) }},
		stored:  func(seq uint64) { l.itemCache.noting(func() { l.itemCache.Stored(id.at(), seq) }) },
	})
}

// requeueItem stores an item that an earlier leader took and did not store. It may be the result
// before it.
func requeueItem(l *leader, r event.Row, result []byte, at protocol.Mark) {
	item, err := event.ParseItem(r.Value, result)
	if err != nil {
		l.w.fail("item %d of %s: %v", r.N, r.Name, err)
	}
	l.store(itemID{r.Name, item.Incarnation, r.N, textOf(item), len(item.Value)}, at)
}

// textOf is an item's text: users push text, callbacks push other values.
func textOf(item event.Item) string {
	if text, ok := wire.Trust(item.Enc, item.Value).Text(); ok {
		return text
	}
	return string(item.Value)
}

// dispatchItems sends an execution when its items are in memory.
func dispatchItems(l *leader, x *event.Outgoing) {
	if x.Items == 0 {
		l.dispatch(x, nil)
		return
	}
	l.itemCache.gather(wanted{x.Name, x.Incarnation, x.FirstItem, x.Items}, func(items []string, err error) {
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
func (l *leader) hand(e event.ItemsGranted, seq uint64) {
	to := e.To.(*request)
	l.w.check.claims.handed(to, seq > 0)
	l.itemCache.gather(wanted{e.Name, e.Incarnation, e.First, e.Count}, func(items []string, err error) {
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
	_, push := ask.What.(command.PushItem)
	if push {
		ask.From.(*request).answer(nil, &schema.Error{Code: schema.CodeUnavailable, Message: "items come faster than they can be stored"})
	}
	return push
}
