package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/internal/running"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/follow"
	"github.com/stationmaster-io/stationmaster/scheduler/listen"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/scheduler/storing"
	"github.com/stationmaster-io/stationmaster/schema"
)

// takeOver makes this node the partition's writer and takes the state that it acts on from its
// follower, in the order that protocol.TakeOver demands.
//
// A post whose leadership does not begin, not even after a panic, is left, because requests there
// would be answered that this node does not lead, and not by the node that does.
func (p *partition) takeOver(ctx context.Context, held *broker.Held, f *follow.Follower) (*leader, error) {
	began := time.Now()
	before, err := p.config.Store.Journal(p.index).State(ctx)
	if err != nil {
		return nil, err
	}
	post, err := p.line.Subscribe(p.incidents)
	if err != nil {
		return nil, err
	}
	leave, leads := post.Leave, false
	defer func() {
		if !leads {
			leave()
		}
	}()
	appender, err := p.seize(ctx, f.Holder(), began)
	if err != nil {
		return nil, err
	}
	if appender.Seq() == before.Last+1 {
		// Otherwise an earlier leader, which also receives commands that came since, may have
		// appended the change that one of them asks for.
		post.Refer()
	}
	l := p.newLeader(held, appender, began)
	l.post = post
	leave = l.close
	l.probe("load", schema.PlanName{})
	if err := l.load(ctx, f); err != nil {
		return nil, err
	}
	leads = true
	return l, nil
}

// incompleteLogged bounds the log lines about incomplete plans.
const incompleteLogged = 20

// writtenWithin bounds each of the two waits of a take-over for streams that take no write, because
// the lease then goes to a node that may reach them. It is longer than the store may be in doubt
// whether a stream was changed.
const writtenWithin = 30 * time.Second

var errTakesNone = fmt.Errorf("a stream took no write for %v; look at the server's disk and health", writtenWithin)

// seize makes holder the journal's writer.
func (p *partition) seize(ctx context.Context, holder string, began time.Time) (*broker.Appender, error) {
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

// whole returns a *broker.ChangedError when the journal has lost appends that this node has seen in
// it, unless the node is to go on all the same.
func (p *partition) whole(ctx context.Context) error {
	journal := p.config.Store.Journal(p.index)
	err := journal.Whole(ctx)
	var changed *broker.ChangedError
	if !p.config.AcceptRollback || !errors.As(err, &changed) {
		return err
	}
	p.log.Error("a stream lacks messages that this node has seen, and is used all the same, because the node was started with --accept-rollback", "error", err)
	journal.Forget()
	return nil
}

func (p *partition) newLeader(held *broker.Held, appender *broker.Appender, began time.Time) *leader {
	l := &leader{
		partition: p, began: began, held: held, appender: appender,
		core:          protocol.NewCore(appender.Writer(), appender.Seq()),
		finished:      true, // it has decided nothing yet
		calls:         newCalls(),
		gone:          make(chan struct{}),
		events:        make(chan event.Event, eventsAhead),
		asks:          make(chan event.Event, eventsAhead),
		after:         newFeedback(),
		stallDetector: newStallDetector(),
		older:         newOlder(),
		free:          make(chan *batch.Batch, batchesAhead),
		appenderFree:  make(chan struct{}),
		sealed:        make(chan sealed),
		durable:       make(chan durable, batchesAhead),
	}
	l.listener = listen.New(listen.Config{
		Node: p.config.Node, Store: p.config.Store, Space: p.config.Space, Partition: p.index,
		Dispatch: p.config.Dispatch, Disconnected: cmp.Or(p.config.Lease, broker.DefaultLease),
		Events: l.events, Gone: l.gone, Captured: l.after.add,
		Epochs:    func(id, station string, seen []schema.SeenEpochs) { l.older.report(l, id, station, seen) },
		Probe:     p.config.Probe,
		Metrics:   p.meter,
		Incidents: p.incidents, Log: p.log,
	})
	l.reading, l.unread = context.WithCancel(context.Background())
	appender.May, appender.Published = l.mayAppend, l.performedTo.Load
	l.begun = appender.Seq()
	l.performedTo.Store(l.begun)
	held.SetEpoch(appender.Epoch())
	for range batchesAhead {
		l.free <- batch.New(appender.MaxBody())
	}
	return l
}

// A loading is the state of a take-over so far.
type loading struct {
	*leader
	follower    *follow.Follower
	taken       uint64 // the last append all of whose rows the bucket has
	followed    follow.Copy
	repliesFrom time.Time // from when on all replies are known
}

// load does the steps after the take-over record, and makes the follower's machine lead.
func (l *leader) load(ctx context.Context, f *follow.Follower) error {
	o := &loading{leader: l, follower: f}
	stages := map[protocol.Stage]func(context.Context) error{
		protocol.Fence: o.fence, protocol.Replay: o.take, protocol.Subscribe: o.subscribe, protocol.Recall: o.recall, protocol.Lead: o.lead,
	}
	for _, stage := range protocol.TakeOver() {
		if do, is := stages[stage]; is { // the journal was seized, and the bucket read, before there was a leader
			if err := do(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *loading) fence(ctx context.Context) (err error) {
	// The wait for the journal may have lasted until its server was restarted, and a restart loses
	// the streams in memory.
	if err := o.config.Store.Remake(ctx); err != nil {
		return err
	}
	o.taken, err = o.openStorage(ctx, o.follower.Holder())
	return err
}

// take takes the follower's machine.
func (o *loading) take(ctx context.Context) (err error) {
	o.followed, err = o.follower.Take(ctx, o.appender.Seq())
	switch {
	case errors.Is(err, follow.ErrPanicked):
		return errContained
	case err != nil:
		return fmt.Errorf("follow the journal to append %d: %w", o.appender.Seq(), err)
	}
	o.machine = o.followed.Machine
	o.machine.Stored(o.taken)
	if err := o.skipAbsent(ctx); err != nil {
		return err
	}
	o.suspects.keepPlansFrom(o.machine)
	o.after.add(o.suspects.take()...)
	return o.storage.Inherit(ctx, storing.Legacy{
		UpTo: o.appender.Seq(), Each: o.followed.AppendBytes, Item: o.followed.Item, Inboxes: o.machine.Inboxes,
	})
}

func (o *loading) subscribe(ctx context.Context) error {
	return o.listener.Subscribe(ctx, o.machine, func() { o.post.Lead(o.leader) })
}

func (o *loading) recall(ctx context.Context) (err error) {
	o.repliesFrom, err = o.listener.Recall(ctx, o.machine, o.followed.Lived)
	return err
}

func (o *loading) lead(context.Context) error {
	o.after.add(o.unsent(o.followed.Tail)...) // behind the captured replies
	incomplete, err := o.begin(o.repliesFrom)
	if err != nil {
		return err
	}
	if err := o.compare(); err != nil { // first, because a successor may be writing to the bucket already
		return err
	}
	for i, name := range incomplete {
		if i < incompleteLogged {
			o.log.Error("a plan was left alone: its definition or its state is missing",
				"definition", storage.PlanKey(name.Station, name.PlanID), "state", storage.StateKey(name.Station, name.PlanID))
		}
	}
	plans, _ := o.machine.Stats()
	o.plans.Store(int64(plans))
	o.underWay.Store(o.machine.UnderWay())
	o.seq.Store(o.appender.Seq())
	return nil
}

// mostDiffering bounds how often in a row the bucket is read again because its plans differ from
// the last leader's. Each time another replica may answer.
const mostDiffering = 3

// errDiffers ends a take-over whose plans are not those of the leader before.
var errDiffers = errors.New("the bucket does not hold the plans that the leader before had; it is read again")

// compare checks that the plans are those that the leader before had, because a replica of the
// bucket may have lost rows, or have rows again that were removed (ADR 0045). A bucket that differs
// every time is taken as it is, because its other plans have to run.
func (o *loading) compare() error {
	found, all := o.machine.Found()
	before := o.followed.Checksum
	if before == "" || !all || found == before {
		return nil
	}
	if o.differing++; o.differing <= mostDiffering {
		o.log.Warn("the plans of the bucket are not those that the leader before had; reading it again", "found", found, "expected", before)
		return errDiffers
	}
	o.log.Error("the plans of the bucket are not those that the leader before had, and plans may be missing or run again: compare the list of plans with a backup, and the replicas of stream KV_plans with each other",
		"found", found, "expected", before, "read", o.differing)
	return nil
}

// begin has the machine lead. A plan that it cannot take over is set aside.
func (l *leader) begin(repliesFrom time.Time) (incomplete []schema.PlanName, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s := l.machine.Suspect()
			number := l.incidents.Report(metrics.AtLead, fault, "plan", s.Name.String())
			if err = fmt.Errorf("incident %s", number); s.Incarnation != 0 {
				l.suspects.setAside(s)
				err = fmt.Errorf("%w: %w", err, errContained)
			}
		}
	}()
	l.machine.LedUntil(l.held.Before().Lived)
	return l.machine.Lead(time.Now(), l.appender.Epoch(), repliesFrom), nil
}

// openStorage takes over the streams that are written behind the journal, and returns the last
// append all of whose rows the bucket has.
func (l *leader) openStorage(ctx context.Context, holder string) (taken uint64, err error) {
	ctx, cancel := running.WithTimeout(ctx, writtenWithin, errTakesNone)
	defer cancel()
	l.config.Store.TableChain(l.index).AcceptLoss = l.config.AcceptRollback
	l.storage, taken, err = storing.Open(ctx, storing.Config{
		Store: l.config.Store, Space: l.config.Space, Partition: l.index, Dispatch: l.config.Dispatch,
		Every: max(l.config.Checkpoint/2, 10*time.Millisecond), Bound: l.config.JournalBound,
		Report: l.after.add, Relieve: l.relieve, Plans: l.plans.Load,
		Beside: func(f func(context.Context), otherwise func(string)) {
			l.background(func() { f(l.reading) }, otherwise)
		},
		Incidents: l.incidents, Log: l.log,
	}, l.appender.Epoch(), holder)
	return taken, err
}

// skipAbsent has the machine remove from the bucket only keys that exist. A follower does not know
// which of the short-lived rows the leader had written, and after many of them, a leader that
// removes them one by one may be dead before the checkpoint has passed them, and leave still more
// to the next. Other writers cannot interfere, because this leader has fenced the bucket.
func (l *leader) skipAbsent(ctx context.Context) error {
	keys, err := l.storage.Keys(ctx, l.machine.Unwritten())
	if err != nil || keys == nil {
		return err
	}
	l.machine.Has(keys)
	return nil
}
