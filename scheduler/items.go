package scheduler

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/storing"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// itemsAhead bounds the bytes of items that wait for their stream. Pushes beyond it are
// refused, so that they cannot outgrow memory when the stream is slow.
const itemsAhead = 64 << 20

var errItemsBehind = &schema.Error{
	Code:    schema.CodeUnavailable,
	Message: "items come faster than they can be stored; push this one again in a moment",
}

// itemsBehind reports that ev is a push for which there is no room now.
func (d *decider) itemsBehind(ev event.Event) bool {
	ask, ok := ev.(event.Ask)
	if !ok {
		return false
	}
	if _, push := ask.What.(command.PushItem); !push {
		return false
	}
	_, items := d.storage.Behind()
	return items.Bytes >= itemsAhead
}

// dispatchItems sends an execution with items, at once if they are in memory, else when they have
// been read back.
func (l *leader) dispatchItems(x *event.Outgoing) error {
	want := itemsOf(x)
	if items, ok := l.storage.Ready(want); ok {
		return l.send(&l.encoder, x, items)
	}
	l.readBack(want, func(items []wire.Value, err error) {
		if err != nil {
			l.log.Error("items could not be read back; they are handed over again when this execution is timed out", "plan", x.Name.String(), "error", err)
			l.after.add(x.NotSent())
			return
		}
		if !l.mayPublish(l.reading) {
			return // another leader may deliver them by now
		}
		if err := l.send(new(encoder), x, items); err != nil {
			l.log.Error("items were not handed over; they are handed over again when this execution is timed out", "plan", x.Name.String(), "error", err)
			l.after.add(x.NotSent())
		}
	})
	return nil
}

// itemsOf are the items of an execution.
func itemsOf(x *event.Outgoing) storing.Wanted {
	return storing.Wanted{Name: x.Name, Incarnation: x.Incarnation, First: x.FirstItem, Count: x.Items}
}

// hand answers a claim with its items.
func (l *leader) hand(e event.ItemsGranted) {
	to, ok := e.To.(*call)
	if !ok {
		return
	}
	finish := func(items []wire.Value, err error) {
		if err != nil {
			l.log.Error("items of a claim could not be read back", "plan", e.Name.String(), "error", err)
			to.finish(nil, errNotRead)
			return
		}
		e.Claimed.Items = items
		to.finish(e.Claimed, nil)
	}
	want := storing.Wanted{Name: e.Name, Incarnation: e.Incarnation, First: e.First, Count: e.Count}
	if items, ok := l.storage.Ready(want); ok {
		finish(items, nil)
		return
	}
	l.readBack(want, finish)
}

var errNotRead = &schema.Error{
	Code:    schema.CodeUnavailable,
	Message: "the items are locked for you, but could not be read now; get them again with the same random",
}

// readBack reads items from their stream and hands them to f.
func (l *leader) readBack(want storing.Wanted, f func([]wire.Value, error)) {
	l.background(func() { f(l.storage.Read(l.reading, want)) }, func(number string) {
		f(nil, incident.Refusal(number))
	})
}

// sharedMembers returns the members of the plan's definition that executions of x repeat, with the
// queue summary for its workers, if there is one.
func sharedMembers(x *event.Outgoing) ([]byte, int) {
	if x.ItemsNotice.IsZero() {
		return x.Shared, x.SharedCount
	}
	w := wire.NewWriter(x.Enc, nil)
	w.BeginMapWith(x.Shared, x.SharedCount)
	w.Key("messages")
	w.Value(x.ItemsNotice)
	w.EndMap()
	members, _ := wire.Members(w.Whole())
	return members, x.SharedCount + 1
}
