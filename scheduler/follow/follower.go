package follow

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// lagging is how long Take waits for the appends that the server is sending.
	lagging = 200 * time.Millisecond
	// After trouble it begins anew soon, and less and less often, so that a partition which cannot
	// be followed costs nothing.
	shortestRest = 250 * time.Millisecond
	longestRest  = 5 * time.Second
)

// ErrPanicked reports that the machine panicked at a row, and that another follower is to
// read anew, without that row.
var ErrPanicked = errors.New("the machine panicked at a row, and is read again without it")

// Config configures a Follower. All fields are required.
type Config struct {
	Store *broker.Store
	// Machine configures the machine, except for its Key and InboxBytes.
	Machine machine.Config
	// Holder signs the appends of this node, which do not show that another is alive. Alive is
	// called after an append of another.
	Holder string
	Alive  func()
	// Whole returns an error when the journal has lost appends that this node has seen in it.
	Whole func(context.Context) error
	// Failed is called with the reason when it cannot go on.
	Failed    func(error)
	LeftOut   *LeftOut
	Incidents *incident.Reporter
	Log       *slog.Logger
}

// A Follower keeps a current copy of the decisions of a partition's leader: the bucket, read once,
// and every append since. A node that takes over goes on with it, so that a take-over loads only
// the newest appends.
//
// It begins at the checkpoint that it reads before the bucket, because a row that the scan finds
// newer than that is in an append behind it, which is replayed over it, whole. A purge that passes
// the follower is a gap, after which it begins anew.
//
// Warm and Take are for one goroutine at a time.
type Follower struct {
	config Config
	index  int // of the partition

	stop context.CancelFunc
	done chan struct{} // closed when run has returned
	err  error         // the reason; valid when done is closed

	hasten chan struct{} // of size one: look for new appends now
	moved  chan struct{} // of size one: loaded or at has changed

	// Only run uses these until done is closed.
	machine *machine.Machine
	pending []gathered                  // rows that are not in the machine yet
	states  map[schema.PlanName]int     // where in pending the newest state of a plan is
	seen    uint64                      // the last append whose rows were gathered
	tail    protocol.Tail[event.Unsent] // the newest appends, whose effects may not all be performed
	items   uint64                      // the last of them that held an item
	count   int64                       // of the appends so far, and
	volume  int64                       // of their bytes
	plans   string                      // the checksum of the last append; empty: unknown
	lived   time.Time                   // when the last append of another was stored, by the server's clock

	bad     int  // invalid rows of the journal
	tainted bool // the machine panicked at a row, and is read anew without it

	mu     sync.Mutex
	loaded bool   // the bucket was read
	at     uint64 // the last append that was followed; valid when loaded
	fence  uint64 // how far the bucket has the journal, as last read
}

// A Copy is a follower's state of a partition.
type Copy struct {
	Machine *machine.Machine
	// AppendBytes is about how many bytes an append has, unpacked.
	AppendBytes int64
	// Item is the last append behind the checkpoint that holds an item; 0: none does.
	Item uint64
	// Lived is when the last append of another was stored, by the server's clock; zero: none was
	// seen.
	Lived time.Time
	// Checksum identifies the plans that the leader before had; empty: unknown.
	Checksum string
	// Tail are the last appends of the leader before.
	Tail protocol.Tail[event.Unsent]
}

// Start starts a follower, which runs until ctx ends, until it is taken or closed, or until
// it cannot go on; then it calls Failed.
func Start(ctx context.Context, c Config) *Follower {
	f := &Follower{
		config: c, index: c.Machine.Partition,
		done: make(chan struct{}), hasten: make(chan struct{}, 1), moved: make(chan struct{}, 1),
	}
	ctx, f.stop = context.WithCancel(ctx)
	go func() {
		defer close(f.done)
		if f.err = f.run(ctx); f.err != nil && ctx.Err() == nil {
			c.Failed(f.err)
		}
	}()
	return f
}

// Holder is that of its Config.
func (f *Follower) Holder() string { return f.config.Holder }

// Close ends the follower and waits for it. It may be closed more than once.
func (f *Follower) Close() {
	f.stop()
	<-f.done
}

// Take returns the follower's state after append seq, which no caller but this one can follow with
// another. It is the caller's then, and the follower is closed. An error is ErrPanicked, the cause
// of ctx, or the reason why it could not go on.
func (f *Follower) Take(ctx context.Context, seq uint64) (Copy, error) {
	late := time.NewTimer(lagging)
	defer late.Stop()
	f.Look()
	for {
		at, loaded := f.reached()
		if loaded && at >= seq {
			f.Close()
			return f.copy()
		}
		select {
		case <-f.moved:
		case <-late.C:
			if loaded {
				return f.hurry(ctx, seq)
			}
			late.Reset(lagging)
		case <-f.done:
			return Copy{}, f.err
		case <-ctx.Done():
			return Copy{}, context.Cause(ctx)
		}
	}
}

// hurry reads the rest of the journal by itself, because the server that sent it may have died
// together with the leader.
func (f *Follower) hurry(ctx context.Context, seq uint64) (Copy, error) {
	f.Close()
	at, loaded := f.reached()
	if !loaded {
		return Copy{}, f.err // a purge has passed it meanwhile
	}
	if at < seq {
		// The rows gathered since are read once more.
		f.forget(at)
		if err := f.config.Store.Journal(f.index).Replay(ctx, at, seq, f.apply); err != nil {
			return Copy{}, err
		}
	}
	if err := f.replay(); err != nil {
		return Copy{}, err
	}
	return f.copy()
}

// copy is the state of a closed follower.
func (f *Follower) copy() (Copy, error) {
	if err := f.untainted(); err != nil { // by the last rows that it took in
		return Copy{}, err
	}
	return Copy{
		Machine: f.machine, AppendBytes: f.volume / max(f.count, 1), Item: f.items, Lived: f.lived, Checksum: f.plans, Tail: f.tail,
	}, nil
}

// Look has the follower look for new appends now. Any goroutine may call it.
func (f *Follower) Look() {
	select {
	case f.hasten <- struct{}{}:
	default: // it is about to
	}
}

// Warm waits until the bucket is loaded, but no longer than patient, or than ctx.
func (f *Follower) Warm(ctx context.Context, patient time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	for {
		if _, loaded := f.reached(); loaded {
			return
		}
		select {
		case <-f.moved:
		case <-f.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// reached returns how far the follower is in the journal, and whether it has loaded the bucket.
func (f *Follower) reached() (at uint64, loaded bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, f.loaded
}

// run follows, and begins anew when a purge has passed it.
func (f *Follower) run(ctx context.Context) error {
	for rest := shortestRest; ; rest = min(2*rest, longestRest) {
		began := time.Now()
		err := f.config.Incidents.Guard(metrics.AtReplay, func() error { return f.once(ctx) })()
		if time.Since(began) > longestRest {
			rest = shortestRest
		}
		var changed *broker.ChangedError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, broker.ErrGap), errors.As(err, &changed):
			// A journal that ends below the appends taken from it is raised by the node that takes
			// over. The appends that this node itself has seen must be there.
			if err := f.config.Whole(ctx); err != nil {
				return err
			}
			f.config.Log.Info("the journal was purged past this node, which loads it again", "error", err)
		case errors.Is(err, ErrPanicked):
		default:
			return err
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
