package broker

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// This file goes on with a stream, or a journal, that has lost messages on a disk.

// mend counts the messages that are lost because a disk lost the end of the stream, and the
// server went on with the part that could be read. Either they followed the fence in its
// batch, or the fence itself was written over the gap by a leader that had not noticed it
// yet. If they are rows of the bucket, f is moved back to the beginning of the journal, so
// that the rows that it still has are written again. Results and items cannot be mended so,
// because the surviving ones would come twice.
func (c *Chain) mend(ctx context.Context, f FenceRecord, rev uint64) (_ FenceRecord, gone uint64, err error) {
	if rev > 0 && f.After >= rev {
		gone = f.After - rev + 1
	}
	if f.Behind > 0 {
		info, err := c.store.info(ctx, c.name)
		if err != nil {
			return f, 0, err
		}
		behind := uint64(f.Behind)
		gone += behind - min(info.State.LastSeq-rev, behind)
	}
	if gone == 0 || !c.holdsRows() {
		return f, gone, nil
	}
	journal, err := c.store.Journal(c.p).State(ctx)
	if err != nil {
		return f, gone, err
	}
	f.UpTo = protocol.Mark{Seq: min(f.UpTo.Seq, journal.First)}
	return f, gone, nil
}

// reportEnd reports that a stream which ended at end has lost so many messages, and the mark
// from which the journal is read again.
func (c *Chain) reportEnd(ctx context.Context, end, gone uint64, from protocol.Mark) error {
	err := c.store.Report(ctx, schema.Damage{
		Kind: schema.DamageEnd, Stream: c.name, Had: end, Has: end - min(gone, end),
		Text: fmt.Sprintf("the end of the stream is gone, %d messages, because a disk lost it; look whether all plans are there, "+
			"and restore a backup if not", gone),
	})
	if err != nil {
		return err
	}
	c.store.log.Error("the end of a stream is gone: a disk lost it; look whether all plans are there, and restore a backup if not",
		"stream", c.name, "messages", gone, "read_again_from", from.Seq)
	return nil
}

// tellAnew reports that a stream has lost all that it held, because it was removed and made anew:
// its fence is not at rev, and the journal was purged, so that a leader had written one. The fence
// of results may be evicted, but not from a stream that never held a message. A lost stream of
// items is reported by those that are missing, because installations of earlier releases lack it.
func (c *Chain) tellAnew(ctx context.Context, rev uint64, journal JournalState) error {
	if rev > 0 || journal.First <= 1 || c.lack == protocol.New {
		return nil
	}
	text := "the bucket was removed, and the plans of which the journal has no definition any more are lost; restore a backup"
	if !c.holdsRows() {
		info, err := c.store.info(ctx, c.name)
		if err != nil || info.State.LastSeq > 0 {
			return err
		}
		text = "the stream was removed and made anew: the results that it had are lost, and plans and items are not"
	}
	return c.TellGone(ctx, journal.First, text)
}

// TellGone reports a loss of all that the stream held, or of had items of it.
func (c *Chain) TellGone(ctx context.Context, had uint64, text string) error {
	err := c.store.Report(ctx, schema.Damage{Kind: schema.DamageEnd, Stream: c.name, Had: had, Text: text})
	if err == nil {
		c.store.log.Error("a stream has lost its messages", "stream", c.name, "loss", text)
	}
	return err
}

// TellItems reports that so many of the items of a plan up to last were taken and are not in the
// stream.
func (c *Chain) TellItems(ctx context.Context, plan schema.PlanName, last, gone uint64) error {
	return c.store.Report(ctx, schema.Damage{
		Kind: schema.DamageEnd, Stream: c.name, Had: last, Has: last - min(gone, last),
		Text: fmt.Sprintf("%d of the items of %s were taken and are not in the stream, and perhaps items of other plans: "+
			"it goes on with those that are left; push the others again, or restore a backup", gone, plan),
	})
}

// bridge moves f over missing appends. For the bucket they are lost. For results and items
// they need not be, because where the last appends had none the fence stays behind the
// checkpoint that the purge follows, and a checkpoint never passes a result or an item that
// is not stored. The bucket's chain reports any loss, for all of them.
func (c *Chain) bridge(ctx context.Context, f FenceRecord, journal JournalState) (FenceRecord, error) {
	if f.Epoch == 0 && c.holdsRows() && journal.First > 1 { // tellAnew has published it
		f.UpTo = protocol.Mark{Seq: journal.First}
	}
	if f.Epoch == 0 || max(f.UpTo.Seq, 1) >= journal.First {
		return f, nil
	}
	if c.holdsRows() {
		err := c.store.Report(ctx, schema.Damage{
			Kind: schema.DamageGap, Stream: c.store.Journal(c.p).name, Had: f.UpTo.Through(), Has: journal.First,
			Text: fmt.Sprintf("the journal begins at %d, behind %d, up to which it was taken: the appends between are lost; "+
				"look whether all plans are there, and restore a backup if not", journal.First, f.UpTo.Through()),
		})
		if err != nil {
			return f, err
		}
		c.store.log.Error("appends are lost, because the journal begins behind the last one that was taken from it",
			"stream", c.name, "taken", f.UpTo.Through(), "begins", journal.First)
	}
	f.UpTo = protocol.Mark{Seq: journal.First}
	return f, nil
}
