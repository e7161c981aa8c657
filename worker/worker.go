package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	subscribeTimeout = 10 * time.Second // until the server knows the subscriptions
	cancelGrace      = 5 * time.Second  // for handlers whose context has ended
	flushGrace       = 5 * time.Second  // for acknowledgements of the last results

	// maxPartitions is more than any installation has, so that a worker can check that a
	// reply subject is a scheduler's without knowing their number.
	maxPartitions = 4096

	// staleEvery bounds the log lines about executions that came too late to start, because a
	// process that was stopped gets many at once.
	staleEvery = time.Minute
)

// A Worker serves stations over one NATS connection, which stays the caller's.
// Make it with [New], give it handlers, then call [Worker.Run] (or Start and
// Stop) once.
type Worker struct {
	nc     *nats.Conn
	opts   Options
	log    *slog.Logger
	space  schema.Space
	routes routes
	build  schema.WorkerBuild

	epochs     epochs
	stale      rate.Sometimes // bounds its log lines
	table      table
	reporter   *reporter
	puller     *puller
	presence   *presence
	firstBeats firstBeatTimer

	mu            sync.Mutex
	started       bool
	executionSubs []subscription
	cancelSubs    []subscription

	queue    chan *Execution
	pool     sync.WaitGroup
	handlers atomic.Int64 // goroutines that run them
	spare    atomic.Int64 // of them without work; below 0: executions beyond their number
	refusing atomic.Bool  // queued executions end as an `error`, and do not run
	stop     sync.Once
	stopping chan struct{} // closed when Stop begins
	stopped  chan struct{} // closed when it has ended
	stopErr  error
}

// New makes a worker that will use nc. It fails when an option is wrong.
func New(nc *nats.Conn, opts Options) (*Worker, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("worker options: %w", err)
	}
	w := &Worker{
		nc:       nc,
		opts:     opts,
		log:      opts.Logger.With("worker_id", opts.ID),
		space:    schema.Space{Prefix: opts.Prefix, Partitions: maxPartitions},
		routes:   routes{stations: map[string]*Station{}},
		stale:    rate.Sometimes{Interval: staleEvery},
		queue:    make(chan *Execution, opts.Queue),
		stopping: make(chan struct{}), stopped: make(chan struct{}),
		build: buildNow(),
	}
	w.reporter = newReporter(nc, w.log, opts.RepeatFor)
	w.puller = newPuller(w)
	w.presence = &presence{nc: nc, log: w.log, here: w.here}
	return w, nil
}

// ID is the worker's name, given or made.
func (w *Worker) ID() string { return w.opts.ID }

// Load is the number of executions that it has taken and not answered, as lists of workers show
// it.
func (w *Worker) Load() int { return w.table.size() }

// Run starts the worker, waits until ctx ends, then stops it as [Worker.Stop] does, and fails as
// Start and Stop do. It returns early when the worker is stopped, or when the connection is
// closed for good; then the error wraps nats.ErrConnectionClosed.
func (w *Worker) Run(ctx context.Context) error {
	closed := w.nc.StatusChanged(nats.CLOSED)
	defer w.nc.RemoveStatusListener(closed)
	if err := w.Start(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-w.stopped:
	case <-closed:
		return errors.Join(nats.ErrConnectionClosed, w.Stop())
	}
	return w.Stop()
}

// Start subscribes, and returns when the server has the subscriptions: an execution that is
// published from then on is taken. It fails without a handler, a second time, and where the
// user of the connection may not subscribe to a station (nats.ErrPermissionViolation). A
// subscription to cancellations, or to the worker's own subject, that is not permitted is an
// error of the connection's error handler alone.
func (w *Worker) Start() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started {
		return errors.New("start the worker: it was started before")
	}
	if err := w.routes.check(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	if err := w.reporter.start(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	w.started = true
	err := w.subscribe()
	if err == nil {
		err = w.nc.FlushTimeout(subscribeTimeout)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start the worker: %w", err), w.halt())
	}
	if err := w.puller.start(); err != nil {
		return errors.Join(fmt.Errorf("start the worker: %w", err), w.halt())
	}
	for _, station := range w.routes.names() {
		w.presence.subjects = append(w.presence.subjects, w.space.Here(w.opts.ID, station))
	}
	w.presence.start() // now, because a scheduler that sees it sends work at once
	return nil
}

// subscribe asks for executions and cancellations of all stations.
func (w *Worker) subscribe() error {
	for _, name := range w.routes.names() {
		s := w.routes.stations[name]
		if err := w.listen(&w.cancelSubs, w.cancels(name), "", w.cancelled); err != nil {
			return err
		}
		if s.pull != nil {
			w.puller.add(s, w.space.Claim(name))
			continue
		}
		take := func(msg *nats.Msg) { w.taken(msg, s) }
		group := strings.TrimSuffix(name, below)
		if s.fanout {
			group = ""
		}
		before := w.nc.LastError()
		if err := w.listen(&w.executionSubs, w.space.Station(name), group, take); err != nil {
			return err
		}
		if err := w.allowed(w.space.Station(name), before); err != nil {
			return err
		}
	}
	// A group, because another process of this id would run each of these executions, too.
	own := func(msg *nats.Msg) { w.taken(msg, nil) }
	return w.listen(&w.executionSubs, w.space.Worker(w.opts.ID), w.opts.ID, own)
}

// allowed fails when the server has refused a subscription, which it does by an error of the
// connection; before is the last such error until then. A worker that was refused executions
// would be present, and serve none.
func (w *Worker) allowed(subject string, before error) error {
	if err := w.nc.FlushTimeout(subscribeTimeout); err != nil {
		return err
	}
	err := w.nc.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && !errors.Is(err, before) && strings.Contains(err.Error(), fmt.Sprintf("Subscription to %q", subject)) {
		return fmt.Errorf("subscribe to %s: its user may not: %w", subject, err)
	}
	return nil
}

// cancels is the subject of the cancellations of a station, or of all below it.
func (w *Worker) cancels(station string) string {
	if prefix, many := strings.CutSuffix(station, below); many {
		return w.space.Cancel(prefix, ">")
	}
	return w.space.Cancels(station)
}

func (w *Worker) listen(subs *[]subscription, subject, group string, f nats.MsgHandler) error {
	sub, err := w.nc.QueueSubscribe(subject, group, contained(w.log, f))
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	*subs = append(*subs, watch(sub))
	return nil
}

// contained wraps f, so that a panic drops the message that caused it, and no other, because the
// program may do other work. The scheduler notices by a timeout.
func contained(log *slog.Logger, f nats.MsgHandler) nats.MsgHandler {
	return func(m *nats.Msg) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("a message was dropped: the worker library panicked at it", "subject", m.Subject, "panic", p, "stack", string(debug.Stack()))
			}
		}()
		f(m)
	}
}

// Stop drains the worker: it takes no new executions and finishes those that it has. Claimed
// ones that have not begun are given back at once. After [Options.DrainTimeout] it ends the
// contexts of the handlers that still run, with [ErrStopping], and ends executions that have
// not begun as an `error`, so that another worker gets them soon. It returns when all handlers
// have returned and all results are acknowledged, or after 5 s more for each of the two, with
// an error that has the number of those that did not, or are not. Calling it again, or
// together, waits for the first call. Before Start it does nothing.
func (w *Worker) Stop() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.started {
		return nil
	}
	return w.halt()
}

func (w *Worker) halt() error {
	w.stop.Do(func() {
		close(w.stopping)
		w.presence.stop()
		w.puller.stop()
		for _, x := range w.table.all() {
			if x.isClaimed {
				w.giveBack(x)
			}
		}
		w.stopErr = errors.Join(w.drain(), w.flush())
		end(w.cancelSubs...)
		w.firstBeats.stop()
		w.reporter.stop()
		close(w.stopped)
	})
	return w.stopErr
}

// drain ends the subscriptions and then the pool. It waits for handlers until DrainTimeout,
// then ends their contexts.
func (w *Worker) drain() error {
	idle := make(chan struct{})
	go func() { // ends with the last handler
		drain(w.nc, w.executionSubs...)
		close(w.queue)
		w.pool.Wait()
		close(idle)
	}()
	var patience <-chan time.Time
	if w.opts.DrainTimeout > 0 {
		timer := time.NewTimer(w.opts.DrainTimeout)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case <-idle:
		return nil
	case <-patience:
	}
	w.refusing.Store(true)
	for _, x := range w.table.all() {
		x.cancel(ErrStopping)
	}
	grace := time.NewTimer(cancelGrace)
	defer grace.Stop()
	select {
	case <-idle:
		return nil
	case <-grace.C:
		return fmt.Errorf("stop the worker: %d executions did not end when their contexts did", w.table.size())
	}
}

// flush waits for the acknowledgements of results.
func (w *Worker) flush() error {
	if w.nc.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushGrace)
	defer cancel()
	if left := w.reporter.flushed(ctx); left > 0 {
		return fmt.Errorf("stop the worker: %d results were not acknowledged; where the scheduler has not received one, its run is repeated by the retry rule", left)
	}
	return nil
}

// taken handles every message on the subjects of executions. It waits when the queue is
// full.
func (w *Worker) taken(msg *nats.Msg, served *Station) {
	x, err := w.take(msg, served)
	if err != nil {
		w.log.Debug("execution dropped", "subject", msg.Subject, "error", err)
		return
	}
	w.attach(x)
	if !w.table.add(x) {
		w.logOf(x).Debug("execution dropped: it is under way here")
		return
	}
	w.enqueue(x)
}

// enqueue gives x to a handler, and waits when the queue is full. Handlers are started on
// demand, because a program may allow many and seldom need them.
func (w *Worker) enqueue(x *Execution) {
	if w.spare.Add(-1) < 0 {
		if int(w.handlers.Add(1)) <= w.opts.Concurrency {
			w.pool.Go(w.work)
		} else {
			w.handlers.Add(-1)
		}
	}
	w.queue <- x
}

// cancelled handles every message on plan.cancel of a station.
func (w *Worker) cancelled(msg *nats.Msg) {
	var c schema.Cancel
	body, err := wire.Scan(msg.Data, ackLimits)
	if err == nil {
		err = wire.Unmarshal(body, &c)
	}
	if err != nil {
		w.log.Debug("cancellation dropped", "subject", msg.Subject, "error", err)
		return
	}
	for _, x := range w.table.find(tableKey{c.Station, c.PlanID, c.N}) {
		x.cancel(ErrCancelled)
	}
}

func (w *Worker) here() schema.Here {
	return schema.Here{Version: w.opts.Version, Load: int64(w.Load()), Epochs: w.epochs.some(), WorkerBuild: w.build}
}
