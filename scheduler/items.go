package scheduler

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/incident"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Items on their way: a push is kept on the shelf and in the lane of items, from which it
// goes to PLAN_QUEUES; what is handed over is taken from the shelf, or read back.

// itemsAhead bounds the bytes of items that wait for their stream. Pushes beyond it are
// refused, so that they cannot outgrow memory when the stream is slow.
const itemsAhead = 64 << 20

var errItemsBehind = &schema.Error{
	Code:    schema.CodeUnavailable,
	Message: "items come faster than they can be stored; push this one again in a moment",
}

// itemsBehind reports that ev is a push that there is no room for now.
func (d *desk) itemsBehind(ev machine.Event) bool {
	if d.items.bytes.Load() < itemsAhead {
		return false
	}
	ask, ok := ev.(machine.Ask)
	if !ok {
		return false
	}
	_, push := ask.What.(schema.PushItem)
	return push
}

// writeLanes stores results and items until there are no more to come.
func (l *leader) writeLanes(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(l.incidents.Guard(metrics.AtStore, func() error { return l.results.run(ctx) }))
	group.Go(l.incidents.Guard(metrics.AtStore, func() error { return l.items.run(ctx) }))
	return group.Wait()
}

// keep takes an item of append seq.
func (l *leader) keep(e machine.Keep, seq uint64) {
	l.shelf.put(e.Name, e.N, e.Item)
	l.store(broker.ItemName{Name: e.Name, Incarnation: e.Item.Incarnation, N: e.N}, e.Item, broker.Mark{Seq: seq, Row: e.Row})
}

// store has an item written to its stream.
func (l *leader) store(n broker.ItemName, item machine.Item, mark broker.Mark) {
	msg := l.config.Store.Items(l.index).Message(n, item.Enc, item.Value)
	l.items.add(laned{msg: msg, mark: mark, stored: func(seq uint64) { l.shelf.stored(n, seq) }})
}

// requeueItem stores an item that an earlier leader took and did not store; result is that
// of the row before it in the append, if any.
func (l *leader) requeueItem(r machine.Row, result []byte, mark broker.Mark) error {
	item, err := machine.ParseItem(r.Value, result)
	if err != nil {
		return nil //nolint:nilerr // the follower has said so, and there is nothing to store
	}
	item.Value = append([]byte(nil), item.Value...)
	l.shelf.put(r.Name, r.N, item)
	l.store(broker.ItemName{Name: r.Name, Incarnation: item.Incarnation, N: r.N}, item, mark)
	return nil
}

// dispatchItems sends an execution with items: at once when they are in memory, else
// when they have been read back.
func (l *leader) dispatchItems(x *machine.Outgoing) error {
	want := wanted{x.Name, x.Incarnation, x.FirstItem, x.Items}
	if items, ok := l.shelf.ready(want); ok {
		return l.send(&l.pencil, x, items)
	}
	l.readBack(want, func(items []wire.Value, err error) {
		if err != nil {
			l.log.Error("items could not be read back; they are handed over again when this execution is timed out", "plan", x.Name.String(), "error", err)
			l.after.add(x.NotSent())
			return
		}
		if !l.regain(l.reading) {
			return // another leader may hand them over by now
		}
		if err := l.send(new(pencil), x, items); err != nil {
			l.log.Error("items were not handed over; they are again when this execution is timed out", "plan", x.Name.String(), "error", err)
			l.after.add(x.NotSent())
		}
	})
	return nil
}

// hand answers a claim with its items.
func (l *leader) hand(e machine.Hand) {
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
	want := wanted{e.Name, e.Incarnation, e.First, e.Count}
	if items, ok := l.shelf.ready(want); ok {
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
func (l *leader) readBack(want wanted, f func([]wire.Value, error)) {
	l.errand(func() { f(l.shelf.read(l.reading, want)) }, func(number string) {
		f(nil, incident.Refusal(number))
	})
}

// told returns what executions repeat of the plan of x, with what its workers are told
// of its inbox, if anything.
func told(x *machine.Outgoing) ([]byte, int) {
	if x.Told.IsZero() {
		return x.Shared, x.SharedCount
	}
	w := wire.NewWriter(x.Enc, nil)
	w.BeginMapWith(x.Shared, x.SharedCount)
	w.Key("messages")
	w.Value(x.Told)
	w.EndMap()
	members, _ := wire.Members(w.Whole())
	return members, x.SharedCount + 1
}

// loadItems tells the machine how large the stored items are. What was pushed since the
// checkpoint comes with the journal.
func (f *follower) loadItems(ctx context.Context) error {
	store := f.config.Store
	_, end, err := store.ItemsChain(f.index).Peek(ctx)
	if err != nil {
		return err
	}
	err = store.Items(f.index).Scan(ctx, end, func(i broker.StoredItem) error {
		f.machine.ReplayItem(i.Name, i.Incarnation, i.N, i.Size)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load the items of queues: %w", err)
	}
	return nil
}

// inboxBytes is how much of the stream of items this partition may fill: what was
// completed lies there until it is swept.
func (f *follower) inboxBytes(ctx context.Context) int64 {
	most, err := f.config.Store.Items(f.index).Bytes(ctx)
	if err != nil {
		return 0 // nobody can tell; the stream itself refuses what it has no room for
	}
	return most / 4 * 3 / int64(max(f.config.Space.Partitions, 1))
}
