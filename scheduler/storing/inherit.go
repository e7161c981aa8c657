package storing

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A Legacy is the unstored part of the appends of earlier epochs.
type Legacy struct {
	// UpTo is the last append, and Each about how many bytes each has, unpacked.
	UpTo uint64
	Each int64
	// Item is the last append behind the checkpoint that holds an item; 0: none does.
	Item uint64
	// Inboxes calls a function with each inbox that has items.
	Inboxes func(func(machine.Inbox))
}

// Inherit takes over the work that earlier epochs left: the rows of the appends behind the
// checkpoint, which the machine has, and the results and items that are not stored, which are read
// once more. Busy rows hold the checkpoint back for as long as the journal may grow, and the others
// are stored at once, so that there are few of these.
func (s *Storage) Inherit(ctx context.Context, l Legacy) error {
	unknown := int64(0)
	l.Inboxes(func(i machine.Inbox) {
		s.itemCache.adopt(i)
		if s.itemsAnew && i.Unknown > 0 {
			s.itemCache.lose(i)
			unknown += i.Unknown
		}
	})
	if unknown > 0 {
		err := s.items.chain.TellGone(ctx, uint64(unknown),
			fmt.Sprintf("the stream was removed: %d items of merge queues and callbacks were taken and are lost; push them again, or restore a backup", unknown))
		if err != nil {
			return err
		}
	}
	checkpoint := s.table.checkpoint.Mark()
	left := protocol.NewHeritage(s.resultsFrom, l.itemsStored(s.itemsFrom, s.resultsFrom))
	if appends := l.UpTo - min(checkpoint.From(), l.UpTo); appends > 1 {
		s.table.wrote(protocol.Inherited, l.UpTo, int(int64(appends)*l.Each))
	}
	err := s.table.journal.Replay(ctx, left.From(checkpoint).From(), l.UpTo, func(a broker.Append) error {
		left.Append(a.Seq)
		var result []byte
		return event.Rows(a.Body, func(r event.Row) error {
			switch r.Kind {
			case event.RowResult:
				result = r.Value
				if mark, is := left.Result(); is {
					s.requeue(r, mark)
				}
			case event.RowItem:
				if mark, is := left.Item(); is {
					return s.requeueItem(r, result, mark)
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read the results of earlier leaders: %w", err)
	}
	s.results.chain.Inherited(int(s.results.count.Load()))
	s.Performed(l.UpTo)
	return nil
}

// itemsStored returns how far the items of the journal are stored: up to taken, or as far as the
// results when no append behind it holds an item, because the fence of rare items stays far behind,
// and all of the journal would be read to find none. The checkpoint passes no item that is not
// stored.
func (l Legacy) itemsStored(taken, results protocol.Mark) protocol.Mark {
	if l.Item < max(taken.Seq, 1) && taken.Compare(results) < 0 {
		return results
	}
	return taken
}

// requeue broadcasts and stores a result that was decided in an earlier epoch and not stored.
func (s *Storage) requeue(r event.Row, mark protocol.Mark) {
	body := append([]byte(nil), r.Value...)
	s.results.add(queued{msg: resultMessage(s.config.Space, r.Name, body), mark: mark})
}

// requeueItem stores an item that was accepted in an earlier epoch and not stored; result is that
// of the row before it in the append, if any.
func (s *Storage) requeueItem(r event.Row, result []byte, mark protocol.Mark) error {
	item, err := event.ParseItem(r.Value, result)
	if err != nil {
		return nil //nolint:nilerr // the follower has logged it, and there is nothing to store
	}
	item.Value = append([]byte(nil), item.Value...)
	s.store(broker.ItemName{Name: r.Name, Incarnation: item.Incarnation, N: r.N}, item, mark)
	return nil
}
