package sim

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The stream of items: items stored, items swept, and the items that a new leader finds.

// itemModel holds the items to be stored. Its promise: each is stored
// once, in the order of the journal.
type itemModel struct {
	w    *world
	rows []itemID // in the order of the journal
	put  int      // of them, how many are stored
}

// stored checks an item as it is stored: each once, in the order of the journal.
func (b *itemModel) stored(id itemID) {
	if b.put >= len(b.rows) {
		b.w.fail("%s: item %d is stored, and none is to come", id.name, id.n)
	}
	if want := b.rows[b.put]; want != id {
		b.w.fail("%s: item %d is stored where item %d of %s belongs", id.name, id.n, want.n, want.name)
	}
	b.put++
}

// missing is how many are still to be stored.
func (b *itemModel) missing() int { return len(b.rows) - b.put }

// swept checks that no waiting item is removed, as far as is durable.
func (b *planModel) swept(id itemID) {
	l := b.lives[id.incarnation]
	if l == nil || l.gone.IsZero() && id.n >= l.inbox.first {
		b.w.fail("%s: item %d is swept, and waits", id.name, id.n)
	}
}

// loadedInboxes checks that a new leader finds every item that waits, and no other.
func (b *planModel) loadedInboxes(l *leader, views map[schema.PlanName]command.PlanView) {
	found := map[schema.PlanName]machine.Inbox{}
	l.m.Inboxes(func(i machine.Inbox) { found[i.Name] = i })
	stored := map[itemID]bool{}
	for _, i := range b.w.disk.items {
		stored[i.itemID] = true
	}
	for _, name := range b.names() {
		book := b.current[name]
		in := book.inbox
		if in == nil {
			continue
		}
		if is := found[name]; is.First != in.first || is.Next != in.next || is.Incarnation != book.incarnation {
			b.w.fail("epoch %d loads %s with items %d to %d; it has %d to %d", l.epoch, name, is.First, is.Next, in.first, in.next)
		}
		for n := in.first; n < in.next; n++ {
			id := itemID{name, book.incarnation, n, in.items[n].text, in.items[n].size}
			if _, is, _ := l.itemCache.At(id.at()); !stored[id] && !is.inHand {
				b.w.fail("epoch %d does not find item %d of %s", l.epoch, n, name)
			}
		}
		in.shown(views[name])
	}
}
