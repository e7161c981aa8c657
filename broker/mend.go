package broker

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// This file goes on with a stream, or a journal, that has lost messages on a disk.

// mend counts the lost messages: a disk lost the end of the stream, and the server went on
// with the part that could be read. Either they followed the fence in its batch, or the
// fence itself was written over the gap by a leader that had not noticed it yet. If they
// are rows of the bucket, f is moved back to the beginning of the journal, so that the rows
// that it still has are written again. Results and items cannot be mended so, because the
// surviving ones would come twice.
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

// bridge moves f over missing appends. For the bucket they are lost. For results and items
// they need not be: where the last appends had none, the fence stays behind the checkpoint
// that the purge follows, and a checkpoint never passes a result or an item that is not
// stored. The bucket's chain reports any loss, for all of them.
func (c *Chain) bridge(ctx context.Context, f FenceRecord, journal JournalState) (FenceRecord, error) {
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
		c.store.log.Error("appends are lost: the journal begins behind what was taken from it",
			"stream", c.name, "taken", f.UpTo.Through(), "begins", journal.First)
	}
	f.UpTo = protocol.Mark{Seq: journal.First}
	return f, nil
}
