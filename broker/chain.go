package broker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A Chain writes one stream behind the journal, in atomic batches, one in flight. The first
// message of each rewrites the stream's fence under its expected revision, so that a late
// batch of an older leader cannot land, nothing is stored twice, and the fence records how
// far the journal has been taken. (With fewer rules a closed plan comes back.) One
// goroutine uses it at a time.
type Chain struct {
	store   *Store
	p       int
	name    string // the stream's
	subject string // the fence's
	// lack is the meaning of a missing fence. The limits of the stream of results may remove it.
	// Installations of earlier releases lack the stream of items, so that it begins without one
	// although the journal is old. The bucket's fence is then as good, because the appends that
	// it covers held no item.
	lack protocol.Lack
	// results marks the stream of results, which has one of two forms.
	results bool

	// Before is called before each attempt to store results in the form ResultsOwn, because
	// in that form storing does not broadcast them; its error counts as an error of the
	// attempt. Nil: no call. It is set before Write.
	Before func(ctx context.Context) error
	// AcceptLoss has Fence take over a bucket that was removed. Its content is lost, except
	// for the part that the journal still has. It is set before Fence.
	AcceptLoss bool

	mu    sync.Mutex // held by the writer
	core  *protocol.Chain
	line  *line
	fence FenceRecord
	owned bool
	doubt doubt // about the next messages
	// seen is the sequence up to which all writers are known; strange holds the spans up to
	// there that others wrote.
	seen    uint64
	strange []span

	// The two below are atomic, so that readers need not wait for a write, which may take
	// as long as the stream does not answer.
	rev atomic.Uint64 // of the fence as this chain wrote it; 0: not taken over, or evicted
	end atomic.Uint64 // the last sequence that this chain wrote
}

// holdsRows reports whether the stream is the bucket.
func (c *Chain) holdsRows() bool { return c.lack == protocol.Lost }

// Peek returns the stream's fence, by any writer, and the end of its batch; zeros when
// there is no fence. It is for followers. As with Fence, UpTo is lowered where rows are
// lost.
func (c *Chain) Peek(ctx context.Context) (_ FenceRecord, end uint64, err error) {
	f, rev, err := c.read(ctx)
	if err != nil {
		return FenceRecord{}, 0, err
	}
	end = rev + uint64(f.Behind)
	f, _, err = c.mend(ctx, f, rev)
	return f, end, err
}

// read returns the stream's fence and its revision: zeros when it has none.
func (c *Chain) read(ctx context.Context) (FenceRecord, uint64, error) {
	m, err := c.store.get(ctx, c.name, getRequest{LastFor: c.subject})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return FenceRecord{}, 0, nil
	case err != nil:
		return FenceRecord{}, 0, fmt.Errorf("read fence of %s: %w", c.name, err)
	}
	f, err := decodeFence(m.Data)
	if err != nil && c.lack != protocol.Evicted {
		if before, ok := c.overwritten(ctx); ok {
			return before, m.Seq, nil
		}
	}
	if err != nil {
		return FenceRecord{}, 0, &ChangedError{c.name, fmt.Sprintf("its fence %s is none: %v", c.subject, err)}
	}
	return f, m.Seq, nil
}

// Fence takes the stream over for epoch, which must be that of a seized appender, and returns the
// fence that it found: UpTo is how far the journal has been taken. ErrFenced means that a leader
// with the same or a higher epoch has been here. Fence first, then read.
//
// A record with a zero Epoch means that there was no fence. The fence of results may be
// lost to the stream's limits. The bucket's is then as good, because a checkpoint never
// passes a result that is not stored. A bucket without a fence whose journal does not begin
// at 1 is a *ChangedError, because the bucket must have been removed; with AcceptLoss it is
// reported, and UpTo is the journal's beginning.
//
// Appends that are missing between UpTo and the beginning of the journal are lost (Seize
// raised it, or a person purged it). The bucket's chain logs the loss, and UpTo is moved to
// that beginning.
func (c *Chain) Fence(ctx context.Context, epoch int64, holder string) (FenceRecord, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, err := c.takeOver(ctx, epoch, holder)
	if err != nil {
		return FenceRecord{}, fmt.Errorf("fence %s: %w", c.name, err)
	}
	return found, nil
}

func (c *Chain) takeOver(ctx context.Context, epoch int64, holder string) (FenceRecord, error) {
	if err := c.open(); err != nil {
		return FenceRecord{}, err
	}
	c.owned, c.seen, c.strange = false, 0, nil
	lack := c.lack
	if c.AcceptLoss {
		lack = protocol.New
	}
	c.core = protocol.NewChain(protocol.Writer{Holder: holder, Epoch: epoch}, lack)
	var found FenceRecord
	err := c.store.persist(ctx, c.name, func() error {
		// The journal's beginning is read before the fence, so that a fence behind it means lost
		// appends, because a purge never passes the fence.
		journal, err := c.store.Journal(c.p).State(ctx)
		if err != nil {
			return err
		}
		f, rev, err := c.read(ctx)
		if err != nil {
			return err
		}
		switch out := c.core.Take(f.signature(), rev, journal.First).(type) {
		case protocol.Landed:
			return c.landed(c.fence, out.Seq) // the attempt before this one
		case protocol.StandDown:
			return c.standDown(out.Why, f, rev)
		}
		if err := c.tellAnew(ctx, rev, journal); err != nil {
			return err
		}
		var gone uint64
		bridged, err := c.bridge(ctx, f, journal)
		if err != nil {
			return err
		}
		if found, gone, err = c.mend(ctx, bridged, rev); err != nil {
			return err
		}
		if gone > 0 {
			if err := c.reportEnd(ctx, rev+uint64(f.Behind), gone, found.UpTo); err != nil {
				return err
			}
		}
		c.fence = FenceRecord{Epoch: epoch, Holder: holder, JournalCreated: journal.Created, UpTo: found.UpTo}
		if gone == 0 {
			c.fence.After = rev + uint64(f.Behind)
		}
		c.inheritEach(f, rev)
		c.rev.Store(c.core.Revision())
		c.owned = true
		return c.send(ctx, nil, c.fence)
	})
	if err != nil {
		c.owned = false
		return FenceRecord{}, err
	}
	return found, nil
}

// Write stores msgs together with the mark upTo, or neither. It returns nil when all is
// durable, and ErrFenced when nothing is, because another holder took the stream over.
// After other errors the outcome is unknown, as with Pen.Append, and the chain must be
// fenced again. Without msgs it rewrites the fence alone. At most MaxBatch messages; some
// megabytes are a good size.
func (c *Chain) Write(ctx context.Context, msgs []*nats.Msg, upTo protocol.Mark) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.takes(msgs); err != nil {
		return err
	}
	return c.write(ctx, msgs, upTo)
}

// takes returns an error when msgs must not be sent.
func (c *Chain) takes(msgs []*nats.Msg) error {
	if !c.owned {
		return fmt.Errorf("write to %s: %w: not taken over", c.name, ErrFenced)
	}
	if most := c.MaxBatch(); len(msgs) > most {
		return fmt.Errorf("write to %s: %d messages are more than %d", c.name, len(msgs), most)
	}
	return nil
}

// write stores, in one batch, those of msgs that are not stored yet.
func (c *Chain) write(ctx context.Context, msgs []*nats.Msg, upTo protocol.Mark) error {
	missing, err := c.missing(ctx, msgs)
	if err != nil {
		c.owned = false
		return fmt.Errorf("look which of %d messages %s has: %w", len(msgs), c.name, err)
	}
	if err := c.rewrite(ctx, missing, upTo, c.doubt.after(len(msgs))); err != nil {
		return fmt.Errorf("write %d messages to %s: %w", len(missing), c.name, err)
	}
	return nil
}

// rewrite writes the fence, and msgs behind it; left is the doubt that remains then.
func (c *Chain) rewrite(ctx context.Context, msgs []*nats.Msg, upTo protocol.Mark, left doubt) error {
	f := c.fence
	f.Number = c.core.Next().By.Number
	f.UpTo, f.Behind, f.After = upTo, len(msgs), c.end.Load()
	f.Each, f.Since = left.of, left.since
	if err := c.commit(ctx, msgs, f); err != nil {
		c.owned = false
		return err
	}
	c.fence, c.doubt = f, left
	return nil
}

// commit sends the batch until it is durable or can never be. The fence decides the outcome
// of an earlier attempt, which has landed if our write is there. If the fence is unchanged
// it has not, and can no longer land once the new one has.
func (c *Chain) commit(ctx context.Context, msgs []*nats.Msg, f FenceRecord) error {
	first := true
	return c.store.persist(ctx, c.name, func() error {
		if !first {
			if c.results {
				if err := c.store.ReadForm(ctx); err != nil {
					return err
				}
			}
			if landed, err := c.look(ctx, f); landed || err != nil {
				return err
			}
		}
		first = false
		return c.send(ctx, msgs, f)
	})
}

// look reads the fate of the batch with fence f. No error, and not landed: it is to be
// sent again.
func (c *Chain) look(ctx context.Context, f FenceRecord) (landed bool, err error) {
	is, rev, err := c.read(ctx)
	if err != nil {
		return false, err
	}
	out := c.core.Doubt(is.signature(), rev)
	if _, asks := out.(protocol.AskJournal); asks {
		_, newest, err := c.store.Journal(c.p).newest(ctx)
		if err != nil {
			return false, err
		}
		is.Epoch, is.Holder = newest.Epoch, newest.Holder
		out = c.core.Journal(is.signature().By)
		c.rev.Store(c.core.Revision())
	}
	switch out := out.(type) {
	case protocol.Landed:
		return true, c.landed(f, out.Seq)
	case protocol.StandDown:
		return false, c.standDown(out.Why, is, rev)
	}
	return false, nil
}

// standDown is the error of a writer that may not write the stream any more, because a fence
// of another was found.
func (c *Chain) standDown(why error, found FenceRecord, rev uint64) error {
	switch {
	case errors.Is(why, protocol.ErrUnfenced):
		return &ChangedError{c.name, fmt.Sprintf("it has no %s, but the journal does not begin at 1: "+
			"it was removed, with all plans that the journal does not have any more; stop all nodes, start one with --accept-rollback, "+
			"import a backup (stationmaster import -f FILE --on-conflict keep), and start them without it again", c.subject)}
	case errors.Is(why, protocol.ErrNoFence):
		return &ChangedError{c.name, "its fence is gone"}
	case errors.Is(why, protocol.ErrOlder):
		return &ChangedError{c.name, fmt.Sprintf("its fence is at %d, which is below %d", rev, c.core.Revision())}
	}
	return fencedBy(found.signature().By)
}

// send publishes one batch, once, and records the fence's new revision.
func (c *Chain) send(ctx context.Context, msgs []*nats.Msg, f FenceRecord) error {
	fence := &nats.Msg{Subject: c.subject, Data: f.encode(), Header: nats.Header{
		headerStream:         {c.name},
		headerLastSubjectSeq: {strconv.FormatUint(c.core.Revision(), 10)},
		headerContentType:    {contentTypeJSON},
		headerTTL:            {"never"},
	}}
	if c.lack != protocol.Evicted {
		fence.Header[headerRollup] = []string{"sub"} // a row of the bucket like others
	}
	if len(msgs) == 0 {
		rev, err := c.line.publish(ctx, patience, fence)
		if err != nil {
			return err
		}
		return c.landed(f, rev)
	}
	as := func(subject string) string { return subject }
	if c.results && c.store.ResultsForm() == ResultsOwn {
		as = func(result string) string { return storage.Kept(c.store.space, result) }
		if c.Before != nil {
			if err := c.Before(ctx); err != nil {
				return err
			}
		}
	}
	last, err := c.line.publishBatch(ctx, batchPatience, fence, msgs, as)
	if err != nil {
		return err
	}
	// A batch is stored whole, so the fence is as far from its end as it was sent.
	return c.landed(f, last-uint64(len(msgs)))
}

// landed records that f is stored as rev. A rev that was used before is a *ChangedError,
// because the stream has lost its end; the next leader sees the loss by the fence's After.
func (c *Chain) landed(f FenceRecord, rev uint64) error {
	if c.holdsRows() && c.seen > 0 && rev > c.seen+1 && len(c.strange) < maxSpans {
		c.strange = append(c.strange, span{c.seen + 1, rev - 1})
	}
	c.seen = max(c.seen, rev+uint64(f.Behind))
	c.core.Landed(rev)
	c.rev.Store(rev)
	c.end.Store(rev + uint64(f.Behind))
	if rev <= f.After {
		return &ChangedError{c.name, fmt.Sprintf("it went on at %d, which is not above %d", rev, f.After)}
	}
	return nil
}

// batchPatience is longer than patience, because a batch of 1,000 large rows takes its time
// on a slow disk, and sending it again takes it twice.
const batchPatience = 5 * time.Second

func (c *Chain) open() error {
	if c.line != nil {
		return nil
	}
	var err error
	c.line, err = newLine(c.store)
	return err
}

// MaxBatch is how many messages Write takes: the server's limit less the fence.
func (c *Chain) MaxBatch() int { return c.store.cfg.MaxBatch - 1 }

// Revision is the fence's revision as this chain last wrote it. After Fence it is the least
// revision that Table.Scan must reach.
func (c *Chain) Revision() uint64 { return c.rev.Load() }

// Close releases the chain's subscription. A later Fence opens it again.
func (c *Chain) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != nil {
		c.line.close()
		c.line = nil
	}
	c.owned = false
}
