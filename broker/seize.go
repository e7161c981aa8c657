package broker

import (
	"context"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Seize takes the journal over: it appends a take-over record with a higher epoch than any
// before, after which appends of earlier appenders can no longer land, and returns the appender.
// Appends of the old leader that land meanwhile only make it try again behind them; a newer
// take-over of another holder makes it give up with ErrFenced.
//
// Holder is a random id of this process, never used by another; now becomes the epoch, in
// Unix milliseconds, unless a higher one is needed.
//
// A journal that ends below the appends already taken from it (an old disk came back, or
// the stream was made anew) is raised past them first, so that new appends do not reuse
// sequences that count as done; the log names the loss. The caller must replay the journal
// up to the appender's Seq.
func (j *Journal) Seize(ctx context.Context, holder string, now time.Time) (*Appender, error) {
	p, err := j.newAppender(holder)
	if err != nil {
		return nil, err
	}
	if err := p.seize(ctx, now); err != nil {
		p.Close()
		return nil, fmt.Errorf("seize %s: %w", j.name, err)
	}
	return p, nil
}

func (p *Appender) seize(ctx context.Context, now time.Time) error {
	j := p.j
	seizure := protocol.NewSeizure(p.holder)
	var known protocol.End
	err := j.store.persist(ctx, j.name, func() (err error) {
		known.Known, known.Believed, err = j.raise(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var forgotten since
	return j.store.persist(ctx, j.name, func() error {
		state, newest, err := j.newest(ctx)
		if err != nil {
			return err
		}
		end := known
		end.By, end.Seq, end.Last = newest.by(), newest.Seq, state.Last
		out := seizure.Look(end, now.UnixMilli())
		if _, older := out.(protocol.Older); older {
			if !forgotten.forLong(true, j.store.doubtful()) {
				return fmt.Errorf("the newest append is of epoch %d, and %d has written", newest.Epoch, end.Known)
			}
			if err := j.reportEpoch(ctx, newest.Epoch, end.Known); err != nil {
				return err
			}
			end.Believed = true
			out = seizure.Look(end, now.UnixMilli())
		}
		p.epoch, p.before = seizure.Writer().Epoch, seizure.Before()
		switch out := out.(type) {
		case protocol.Landed: // an earlier attempt
			p.base, p.seq = state.Last, out.Seq
			return nil
		case protocol.StandDown:
			return fencedBy(newest.by())
		}
		p.created = state.Created
		p.base = state.Last
		p.write(Append{Epoch: p.epoch, Holder: p.holder, Takeover: true})
		return p.insist(ctx, func(a Append) (landed bool, err error) {
			switch seizure.Behind(protocol.Behind{Seq: a.Seq, By: a.by()}).(type) {
			case protocol.Landed:
				return true, nil
			case protocol.StandDown:
				return false, fencedBy(a.by())
			}
			return false, nil
		})
	})
}

// fencedBy is the error of a writer that may no longer append, because w has written since.
func fencedBy(w protocol.Writer) error {
	return fmt.Errorf("%w: %s, epoch %d", ErrFenced, w.Holder, w.Epoch)
}

// insist publishes the message, once more if the messages in between allow it.
func (p *Appender) insist(ctx context.Context, judge judge) error {
	refusal := p.send(ctx)
	if refusal == nil {
		return nil
	}
	landed, err := p.resolve(ctx, refusal, judge)
	if landed || err != nil {
		return err
	}
	return refusal
}

// reportEpoch reports that the journal lacks a leadership of which the streams behind it have
// a fence: the take-over record and all that followed it are lost, also where the bucket
// had taken too little of the journal to miss it.
func (j *Journal) reportEpoch(ctx context.Context, newest, highest int64) error {
	err := j.store.Report(ctx, schema.Damage{
		Kind: schema.DamageEpoch, Stream: j.name, Had: uint64(highest), Has: uint64(newest),
		Text: fmt.Sprintf("the journal ended before epoch %d began, of which the streams behind it know: what was appended in it and is not there is lost; "+
			"look whether all plans are there, and restore a backup if not", highest),
	})
	if err != nil {
		return err
	}
	j.log.Error("the journal does not hold the newest leadership: its end is lost, or an older disk came back",
		"stream", j.name, "epoch", newest, "known", highest)
	return nil
}

// newest reads the journal's end and its last append; a zero Append when there is none. The
// last append is the last message, unless a foreign client writes there: then it searches
// further and further back, because a hundred thousand messages may be behind it.
func (j *Journal) newest(ctx context.Context) (JournalState, Append, error) {
	state, err := j.State(ctx)
	if err != nil {
		return state, Append{}, err
	}
	var newest Append
	window := uint64(1)
	for end := state.Last; end >= state.First && newest.Epoch == 0; window *= 64 {
		from := state.First
		if end-from >= window {
			from = end - window + 1
		}
		err := j.scan(ctx, from, end, func(a Append) { newest = a })
		if err != nil {
			return state, Append{}, err
		}
		end = from - 1
	}
	return state, newest, nil
}

// scan calls f with the appends from one sequence to another, in order. Deleted messages
// are left out.
func (j *Journal) scan(ctx context.Context, from, to uint64, f func(Append)) error {
	take := func(data []byte, seq uint64, at time.Time) error {
		a, ok, err := j.decode(data, seq, at)
		if ok {
			f(a)
		}
		return err
	}
	if to-from < fetchMost {
		return j.store.fetch(ctx, j.name, from, to, func(m *stored) error { return take(m.Data, m.Seq, m.Time) })
	}
	// A consumer that delivers nothing for a while does not prove that nothing is there.
	r := reading{store: j.store, stream: j.name, from: from, until: to}
	r.each = func(m message) error {
		if m.seq <= to {
			if err := take(m.Data(), m.seq, m.at); err != nil {
				return err
			}
		}
		if m.seq >= to {
			return errDone
		}
		return nil
	}
	return r.run(ctx)
}

// raise ensures that the journal does not end below the marks of its chains. It returns the
// highest epoch that a chain knows, because the journal may have lost it, and whether the
// journal did end below.
func (j *Journal) raise(ctx context.Context) (epoch int64, raised bool, err error) {
	var low since
	for {
		state, err := j.State(ctx)
		if err != nil {
			return 0, false, err
		}
		fence, err := j.taken(ctx)
		if err != nil {
			return 0, false, err
		}
		taken := fence.UpTo.Through()
		if state.Last >= taken {
			if !fence.JournalCreated.Equal(state.Created) && state.First <= taken {
				return 0, false, &ChangedError{j.name, fmt.Sprintf(
					"it was made anew, and yet holds %d to %d, of which all up to %d count as taken", state.First, state.Last, taken)}
			}
			return fence.Epoch, false, nil
		}
		// A server that used to lead may still show an old end, so it is believed only when
		// it stays.
		if low.forLong(true, j.store.doubtful()) {
			err := j.store.Report(ctx, schema.Damage{
				Kind: schema.DamageShort, Stream: j.name, Had: taken, Has: state.Last,
				Text: fmt.Sprintf("the journal ended at %d, below %d, which was taken from it: what was appended after the last checkpoint is lost; "+
					"look whether all plans are there, and restore a backup if not", state.Last, taken),
			})
			if err != nil {
				return 0, false, err
			}
			j.log.Error("the journal ends below what was taken from it: an older disk came back, or it was made anew; "+
				"what was appended after the checkpoint is lost; its numbers are raised past it",
				"stream", j.name, "ends", state.Last, "taken", taken)
			if err := j.store.purge(ctx, j.name, taken+1); err != nil {
				return 0, false, fmt.Errorf("raise past %d: %w", taken, err)
			}
			return fence.Epoch, true, nil
		}
		if err := sleep(ctx, time.Second); err != nil {
			return 0, false, err
		}
	}
}

// taken returns the highest epoch and the furthest mark of the journal's chains, and the
// creation time of the stream that the mark was made for.
func (j *Journal) taken(ctx context.Context) (FenceRecord, error) {
	var all FenceRecord
	for _, c := range []*Chain{j.store.TableChain(j.p), j.store.ResultsChain(j.p), j.store.ItemsChain(j.p)} {
		f, _, err := c.read(ctx)
		if err != nil {
			return FenceRecord{}, err
		}
		all.Epoch = max(all.Epoch, f.Epoch)
		if f.UpTo.Compare(all.UpTo) > 0 {
			all.UpTo, all.JournalCreated = f.UpTo, f.JournalCreated
		}
	}
	return all, nil
}
