package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/running"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// takeOver makes this node the partition's writer and takes what it is to act on from its
// follower, in the order that safety demands: the take-over record, the fences, the journal
// up to that record, the subscription, and only then what was captured while nobody
// listened.
//
// A post that nobody leads from, not even behind a panic, is left: who asks there would hear
// from it that this node does not lead, and not from the one that does.
func (p *partition) takeOver(ctx context.Context, held *broker.Held, f *follower) (*leader, error) {
	began := time.Now()
	post, err := p.line.Man(p.incidents)
	if err != nil {
		return nil, err
	}
	leave, leads := post.Leave, false
	defer func() {
		if !leads {
			leave()
		}
	}()
	pen, err := p.seize(ctx, f.holder, began)
	if err != nil {
		return nil, err
	}
	l := p.newLeader(held, pen, began)
	l.post = post
	leave = l.close
	l.probe("load", schema.PlanName{})
	if err := l.load(ctx, f); err != nil {
		return nil, err
	}
	leads = true
	return l, nil
}

// writtenWithin bounds each of the two waits of a take-over for streams that take no write:
// the lease then goes to a node that may reach them. It is longer than the store is in doubt
// whether a stream was changed.
const writtenWithin = 30 * time.Second

var errTakesNone = fmt.Errorf("a stream took no write for %v; look at the server's disk and health", writtenWithin)

// seize makes holder the journal's writer.
func (p *partition) seize(ctx context.Context, holder string, began time.Time) (*broker.Pen, error) {
	ctx, cancel := running.WithTimeout(ctx, writtenWithin, errTakesNone)
	defer cancel()
	if err := p.config.Store.Remake(ctx); err != nil {
		return nil, err
	}
	if err := p.whole(ctx); err != nil {
		return nil, err
	}
	return p.config.Store.Journal(p.index).Seize(ctx, holder, began)
}

// whole returns a *broker.ChangedError when the journal has lost what this node has seen in
// it, unless the node is to go on all the same.
func (p *partition) whole(ctx context.Context) error {
	journal := p.config.Store.Journal(p.index)
	err := journal.Whole(ctx)
	var changed *broker.ChangedError
	if !p.config.AcceptRollback || !errors.As(err, &changed) {
		return err
	}
	p.log.Error("a stream is not what this node has seen of it, and is taken up all the same, as it was told to", "error", err)
	journal.Forget()
	return nil
}

func (p *partition) newLeader(held *broker.Held, pen *broker.Pen, began time.Time) *leader {
	l := &leader{
		partition: p, began: began, held: held, pen: pen,
		finished: true, // it has decided nothing yet
		calls:    newCalls(),
		door:     newDoor(p.log, p.meter.Flooded),
		gone:     make(chan struct{}),
		events:   make(chan machine.Event, eventsAhead),
		asks:     make(chan machine.Event, eventsAhead),
		after:    newAfterthoughts(),
		ear:      newEar(),
		teller:   teller{p.config.Dispatch},
		older:    newOlder(),
		captures: rate.Sometimes{Interval: captureTold},
		free:     make(chan *machine.Batch, batchesAhead),
		penFree:  make(chan struct{}),
		sealed:   make(chan sealed),
		durable:  make(chan durable, batchesAhead),
	}
	l.reading, l.unread = context.WithCancel(context.Background())
	pen.May = l.mayAppend
	held.SetEpoch(pen.Epoch())
	for range batchesAhead {
		l.free <- machine.NewBatch(pen.MaxBody())
	}
	return l
}

// load takes the follower's machine and makes it lead.
func (l *leader) load(ctx context.Context, f *follower) error {
	store := l.config.Store
	// The journal may have been waited for until its server was restarted, which has
	// forgotten what was made in its memory before.
	if err := store.Remake(ctx); err != nil {
		return err
	}
	tableChain, resultsChain, itemsChain := store.TableChain(l.index), store.ResultsChain(l.index), store.ItemsChain(l.index)
	var checkpoint, storedTo, itemsTo broker.FenceRecord
	err := l.fence(ctx, f.holder, map[*broker.Chain]*broker.FenceRecord{
		tableChain: &checkpoint, resultsChain: &storedTo, itemsChain: &itemsTo,
	})
	if err != nil {
		return err
	}
	state, err := store.Journal(l.index).State(ctx)
	if err != nil {
		return err
	}
	l.results = newLane("results", resultsChain.MaxBatch(), resultsChain, l.relieve, storedTo.UpTo)
	resultsChain.Before = func(ctx context.Context) error { return l.teller.ensure(ctx, l.results.batch) }
	l.items = newLane("items", min(rowsAtOnce, itemsChain.MaxBatch()), itemsChain, func() {}, itemsTo.UpTo)
	l.shelf = newShelf(store.Items(l.index), itemsChain, l.log)
	l.definitions = newDefinitions(store.Table(l.index), l.after)
	l.table = &table{
		chain: tableChain, bucket: store.Table(l.index), stations: store.Stations(),
		journal: store.Journal(l.index), results: l.results, items: l.items, after: l.after, log: l.log,
		every: max(l.config.Checkpoint/2, 10*time.Millisecond), bound: l.journalBound(state),
		writes: make(chan machine.Write, 1), taken: checkpoint.UpTo, mark: checkpoint.UpTo, left: true,
	}
	if l.machine, err = f.take(ctx, l.pen.Seq()); err != nil {
		return fmt.Errorf("follow the journal to append %d: %w", l.pen.Seq(), err)
	}
	l.machine.Stored(checkpoint.UpTo.From())
	if err := l.skipAbsent(ctx, tableChain.Revision()); err != nil {
		return err
	}
	if f.tainted {
		return errContained // the last rows that it took in
	}
	l.suspects.keepPlansFrom(l.machine)
	l.after.add(l.suspects.take()...)
	l.machine.Inboxes(l.shelf.adopt)
	if err := l.inherit(ctx, f.volume/max(f.count, 1), checkpoint.UpTo, storedTo.UpTo, f.itemsStored(itemsTo.UpTo, storedTo.UpTo)); err != nil {
		return err
	}
	heardFrom, err := l.listen(ctx, f.lived)
	if err != nil {
		return err
	}
	halves, err := l.begin(heardFrom)
	if err != nil {
		return err
	}
	for i, name := range halves {
		if i < complaints {
			l.log.Error("a plan was left alone: its definition or its state is missing",
				"definition", schema.PlanKey(name.Station, name.PlanID), "state", schema.StateKey(name.Station, name.PlanID))
		}
	}
	plans, _ := l.machine.Stats()
	l.plans.Store(int64(plans))
	l.underWay.Store(l.machine.UnderWay())
	l.seq.Store(l.pen.Seq())
	return nil
}

// begin has the machine lead. A plan that it cannot take over is set aside.
func (l *leader) begin(heardFrom time.Time) (halves []schema.PlanName, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s := l.machine.Suspect(machine.NewBatch(0))
			number := l.incidents.Report(metrics.AtLead, fault, "plan", s.Name.String())
			if err = fmt.Errorf("incident %s", number); s.Incarnation != 0 {
				l.suspects.setAside(s)
				err = fmt.Errorf("%w: %w", err, errContained)
			}
		}
	}()
	return l.machine.Lead(time.Now(), l.pen.Epoch(), heardFrom), nil
}

// fence takes the streams over that are written behind the journal, and notes how far each
// was.
func (l *leader) fence(ctx context.Context, holder string, chains map[*broker.Chain]*broker.FenceRecord) error {
	ctx, cancel := running.WithTimeout(ctx, writtenWithin, errTakesNone)
	defer cancel()
	fencing, ctx := errgroup.WithContext(ctx)
	for chain, found := range chains {
		fencing.Go(func() (err error) {
			*found, err = chain.Fence(ctx, l.pen.Epoch(), holder)
			return err
		})
	}
	return fencing.Wait()
}

// itemsStored returns how far the items of the journal are stored: up to taken, or as far as
// the results when no append behind it holds an item. Where items are rare their fence
// stays far behind, and a take-over must not read all of the journal to find none. The
// follower has seen every append behind the checkpoint, which passes no item that is not
// stored.
func (f *follower) itemsStored(taken, results broker.Mark) broker.Mark {
	if f.items < max(taken.Seq, 1) && taken.Compare(results) < 0 {
		return results
	}
	return taken
}

// skipAbsent has the machine remove from the bucket only what is there. A follower does
// not know what of all that came and went the leader had written, and where there was much
// of it, a leader that removes it row by row may be dead before the checkpoint has passed
// it, and leave still more to the next. The bucket is this leader's, which has fenced it.
func (l *leader) skipAbsent(ctx context.Context, fence uint64) error {
	unwritten := l.machine.Unwritten()
	if unwritten <= rowsAtOnce {
		return nil
	}
	keys, err := l.config.Store.Table(l.index).Keys(ctx, unwritten, fence)
	if err != nil || keys == nil {
		return err
	}
	l.machine.Has(keys)
	return nil
}

// journalBound is how far the journal may grow before busy rows are written, too. A
// small journal needs room for what comes in until they are, and for what is kept
// for slow followers.
func (l *leader) journalBound(state broker.JournalState) int64 {
	if state.Most <= 0 {
		return l.config.JournalBound
	}
	return min(l.config.JournalBound, state.Most/(2*keepBounds))
}

// inherit takes over what earlier leaders left to be stored: the rows of the appends
// behind the checkpoint, which the machine has, and the results behind storedTo and the
// items behind itemsTo, which are read once more. Busy rows hold the checkpoint back for
// as long as the journal may grow, and the others are stored at once, so that there are
// few of these. Each is about how many bytes an append has, unpacked.
func (l *leader) inherit(ctx context.Context, each int64, checkpoint, storedTo, itemsTo broker.Mark) error {
	if left := l.pen.Seq() - min(checkpoint.From(), l.pen.Seq()); left > 1 {
		l.table.wrote(inheritedBatch, l.pen.Seq(), int(int64(left)*each))
	}
	from := storedTo
	if itemsTo.Compare(from) < 0 {
		from = itemsTo
	}
	if from.Compare(checkpoint) < 0 {
		from = checkpoint // a checkpoint passes no result and no item that is not stored
	}
	err := l.table.journal.Replay(ctx, from.From(), l.pen.Seq(), func(a broker.Append) error {
		results, items := uint32(0), uint32(0)
		var result []byte
		return machine.Rows(a.Body, func(r machine.Row) error {
			switch r.Kind {
			case machine.RowResult:
				results++
				result = r.Value
				if mark := (broker.Mark{Seq: a.Seq, Row: results}); mark.Compare(storedTo) > 0 {
					l.requeue(r, mark)
				}
			case machine.RowItem:
				items++
				if mark := (broker.Mark{Seq: a.Seq, Row: items}); mark.Compare(itemsTo) > 0 {
					return l.requeueItem(r, result, mark)
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read the results of earlier leaders: %w", err)
	}
	l.results.chain.Inherited(int(l.results.count.Load()))
	l.results.performed(l.pen.Seq())
	l.items.performed(l.pen.Seq())
	return nil
}

// requeue tells and stores a result that an earlier leader decided and did not store.
func (l *leader) requeue(r machine.Row, mark broker.Mark) {
	body := append([]byte(nil), r.Value...)
	l.results.add(laned{msg: resultMessage(l.config.Space, r.Name, body), mark: mark})
}
