package broker

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Items reads and sweeps the stream of a partition's items, which its items chain writes.
// Items that have left an inbox are purged some time later and may be back after a kill -9
// (nats-server issue 8505). So an item counts only while its plan's record lists it as
// waiting, and nothing depends on a removal being on disk.
type Items struct {
	store *Store
	p     int
}

// Items is partition p's stored items.
func (s *Store) Items(p int) *Items { return &Items{s, p} }

// An ItemName identifies an item: number N of the plan with the incarnation.
type ItemName struct {
	Name        schema.PlanName
	Incarnation uint64
	N           int64
}

// A StoredItem is an item in the stream. Value is nil where only sizes are read.
type StoredItem struct {
	ItemName
	Seq   uint64
	Size  int
	Value []byte
	Enc   wire.Encoding
}

// Message returns the message that stores an item.
func (i *Items) Message(n ItemName, enc wire.Encoding, value []byte) *nats.Msg {
	return &nats.Msg{
		Subject: storage.Inbox(i.store.space, i.p, n.Name.Station, n.Name.PlanID),
		Header: nats.Header{
			headerContentType:  {enc.ContentType()},
			storage.HeaderItem: {strconv.FormatUint(n.Incarnation, 10) + "-" + strconv.FormatInt(n.N, 10)},
		},
		Data: value,
	}
}

// parseItem reads the header of a stored item.
func parseItem(header nats.Header) (incarnation uint64, n int64, ok bool) {
	first, second, _ := strings.Cut(header.Get(storage.HeaderItem), "-")
	incarnation, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	n, err = strconv.ParseInt(second, 10, 64)
	return incarnation, n, err == nil
}

// Scan calls f with every stored item, in the order of their sequences, without its value,
// up to the end of the stream at the call and at least up to the revision least, as
// [Bucket.Scan] does. Messages that are no items are left out.
func (i *Items) Scan(ctx context.Context, least uint64, f func(StoredItem) error) error {
	stream := storage.QueuesStream(i.store.space)
	info, err := i.store.info(ctx, stream)
	if err != nil {
		return fmt.Errorf("scan items: %w", err)
	}
	if info.State.Msgs == 0 && least == 0 {
		return nil
	}
	until := max(least, info.State.LastSeq)
	r := reading{store: i.store, stream: stream, until: until, filter: storage.AllInboxes(i.store.space, i.p), headersOnly: true}
	r.each = func(m message) error {
		if item, ok := i.item(m.Subject(), m.Headers()); ok && m.seq <= until {
			item.Seq = m.seq
			item.Size, _ = strconv.Atoi(m.Headers().Get("Nats-Msg-Size"))
			if err := f(item); err != nil {
				return err
			}
		}
		if m.seq >= until {
			return errDone
		}
		return nil
	}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("scan items: %w", err)
	}
	return nil
}

func (i *Items) item(subject string, header nats.Header) (StoredItem, bool) {
	name, ok := storage.ParseInbox(i.store.space, i.p, subject)
	if !ok {
		return StoredItem{}, false
	}
	incarnation, n, ok := parseItem(header)
	enc := wire.JSON
	if header.Get(headerContentType) == wire.MsgPack.ContentType() {
		enc = wire.MsgPack
	}
	return StoredItem{ItemName: ItemName{name, incarnation, n}, Enc: enc}, ok
}

// Read calls f with stored items of one plan, in order, from the sequence from on: at most
// most items, and about maxBytes bytes. On a cluster the newest may be missing for a
// moment. It reports whether there may be more.
func (i *Items) Read(ctx context.Context, name schema.PlanName, from uint64, most, maxBytes int, f func(StoredItem)) (more bool, err error) {
	subject := storage.Inbox(i.store.space, i.p, name.Station, name.PlanID)
	count, size := 0, 0
	page := directRequest{Seq: max(from, 1), NextFor: subject, Batch: most, MaxBytes: maxBytes}
	err = i.store.direct(ctx, storage.QueuesStream(i.store.space), page, func(m directMessage) error {
		count, size = count+1, size+len(m.Body)
		if item, ok := i.item(subject, m.header); ok {
			item.Seq, item.Size, item.Value = m.Seq, len(m.Body), m.Body
			f(item)
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("read items of %s: %w", name, err)
	}
	return count == most || size >= maxBytes/2, nil
}

// Sweep removes the stored items of the partition below the sequence keep; with a name,
// those of that plan alone.
func (i *Items) Sweep(ctx context.Context, name schema.PlanName, keep uint64) error {
	subject := storage.AllInboxes(i.store.space, i.p)
	if name != (schema.PlanName{}) {
		subject = storage.Inbox(i.store.space, i.p, name.Station, name.PlanID)
	}
	if err := i.store.purgeOf(ctx, storage.QueuesStream(i.store.space), subject, keep); err != nil {
		return fmt.Errorf("sweep %s below %d: %w", subject, keep, err)
	}
	return nil
}

// Bytes is the stream's limit for all partitions' items; 0: no limit.
func (i *Items) Bytes(ctx context.Context) (int64, error) {
	info, err := i.store.info(ctx, storage.QueuesStream(i.store.space))
	if err != nil {
		return 0, fmt.Errorf("size of the store of items: %w", err)
	}
	return max(info.Config.MaxBytes, 0), nil
}
