package sim

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The stream of items: what is stored, what is swept, and what a new leader finds.

// loadedInboxes checks that a new leader finds every item that waits, and no other.
func (c *checker) loadedInboxes(l *leader, views map[schema.PlanName]schema.PlanView) {
	found := map[schema.PlanName]machine.Inbox{}
	l.m.Inboxes(func(i machine.Inbox) { found[i.Name] = i })
	stored := map[itemID]bool{}
	for _, i := range c.w.disk.items {
		stored[i.itemID] = true
	}
	for _, name := range c.plans.names() {
		book := c.plans.current[name]
		in := book.inbox
		if in == nil {
			continue
		}
		if is := found[name]; is.First != in.first || is.Next != in.next || is.Incarnation != book.incarnation {
			c.w.fail("epoch %d loads %s with items %d to %d; it has %d to %d", l.epoch, name, is.First, is.Next, in.first, in.next)
		}
		for n := in.first; n < in.next; n++ {
			item := l.shelf.queues[name].at(book.incarnation, n)
			if !stored[itemID{name, book.incarnation, n, in.items[n].text, in.items[n].size}] && (item == nil || !item.inHand) {
				c.w.fail("epoch %d does not find item %d of %s", l.epoch, n, name)
			}
		}
		c.inboxCounts(name, views[name], book)
	}
}

// inboxCounts checks what people are shown of an inbox against the books.
func (c *checker) inboxCounts(name schema.PlanName, view schema.PlanView, book *life) {
	in, is := book.inbox, view.State.Inbox
	if in == nil || book.record.Closing {
		return
	}
	if is == nil || is.Length != in.length() || is.Bytes != in.bytes() || is.Mark != in.mark {
		c.w.fail("%s is shown as %+v, and has %d items of %d bytes, the mark: %t", name, is, in.length(), in.bytes(), in.mark)
	}
}
