package storing

import (
	"context"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The path of items: a push is kept in the cache and in the stream writer of items, which writes it to
// PLAN_QUEUES; delivered items are taken from the cache, or read back.

// keep accepts an item of append seq.
func (s *Storage) keep(e event.Keep, seq uint64) {
	s.store(broker.ItemName{Name: e.Name, Incarnation: e.Item.Incarnation, N: e.N}, e.Item, protocol.Mark{Seq: seq, Row: e.Row})
}

// store has an item written to its stream.
func (s *Storage) store(n broker.ItemName, item event.Item, mark protocol.Mark) {
	s.itemCache.put(n, item)
	msg := s.config.Store.Items(s.config.Partition).Message(n, item.Enc, item.Value)
	s.items.add(queued{msg: msg, mark: mark, stored: func(seq uint64) { s.itemCache.stored(n, seq) }})
}

// Wanted are Count items of an inbox, from the number First on.
type Wanted struct {
	Name         schema.PlanName
	Incarnation  uint64
	First, Count int64
}

// Ready returns the wanted items if all of them are in memory.
func (s *Storage) Ready(w Wanted) ([]wire.Value, bool) { return s.itemCache.ready(w) }

// Read returns the wanted items, and waits for those that it has to read back. An item that cannot
// be found is logged, and the others are returned. An error is that of a read, or the cause of ctx.
func (s *Storage) Read(ctx context.Context, w Wanted) ([]wire.Value, error) {
	return s.itemCache.read(ctx, w)
}
