package worker

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Options of a worker. The zero value is usable.
type Options struct {
	// ID names this worker; it must be unique among all workers, and pass
	// schema.CheckID. Empty: a ULID is made.
	ID string

	// Version is shown beside the worker in workers.list. Empty: the program's own,
	// if its build says one, else that of this library.
	Version string

	// Prefix is the installation's, in front of every subject and bucket.
	Prefix string

	// Concurrency is how many handlers run at once. Zero means 64: handlers
	// mostly wait for others. Those that compute want runtime.GOMAXPROCS.
	Concurrency int

	// Prefetch is how many executions of pull stations are claimed beyond those that
	// handlers are free for. They wait here, so that a handler that has finished
	// finds work at once; other workers do not get them meanwhile. Zero means none,
	// which is right unless handlers take less than a claim does, a few milliseconds.
	Prefetch int

	// Encoding is what work is claimed in, and so what claimed executions come in, and
	// what is said of them goes in, whatever their plans speak. Zero is JSON.
	// MessagePack keeps binary contents and times what they are.
	Encoding wire.Encoding

	// Queue bounds the executions that are taken and wait for a handler. Zero
	// means 4,096. NATS goes on delivering to a worker that is busy, so what
	// does not fit waits in the client's buffer, under the subscription's own
	// limits. One whose time to start passes meanwhile is never started.
	Queue int

	// RunningAfter is how long a handler runs before `running` is sent. Zero
	// means 30 ms, so that quick handlers cost one message and not two.
	RunningAfter time.Duration

	// WaitingEvery is the longest silence of a handler that works: a `waiting`
	// is sent at half the time that is left before its deadline, or after
	// WaitingEvery when that is sooner. Zero means 30 s. Negative turns this
	// off: a handler's context then ends at the deadline, unless it calls
	// [Execution.Extend].
	WaitingEvery time.Duration

	// RepeatFor is how long a result is repeated while nobody acknowledges it.
	// Zero means 10 minutes. Then it is given up, with a line in the log; the
	// scheduler will have timed the execution out long before.
	RepeatFor time.Duration

	// DrainTimeout is how long Stop lets handlers finish before it cancels
	// their contexts. Zero means 30 s; negative means as long as they take.
	DrainTimeout time.Duration

	// Logger gets what a person must know: panics, results given up. Nil means
	// slog.Default.
	Logger *slog.Logger
}

const (
	defaultConcurrency  = 64
	defaultQueue        = 4096
	defaultRunningAfter = 30 * time.Millisecond
	defaultWaitingEvery = 30 * time.Second
	defaultRepeatFor    = 10 * time.Minute
	defaultDrainTimeout = 30 * time.Second
)

func (o Options) withDefaults() (Options, error) {
	if o.ID == "" {
		o.ID = schema.NewIDAt(time.Now(), rand.Reader)
	}
	if err := schema.CheckID(o.ID); err != nil {
		return o, fmt.Errorf("worker id %q: %w", o.ID, err)
	}
	if o.Prefix != "" {
		if err := schema.CheckID(o.Prefix); err != nil {
			return o, fmt.Errorf("prefix %q: %w", o.Prefix, err)
		}
	}
	if o.Version == "" {
		o.Version = builtVersion(debug.ReadBuildInfo())
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	orDefault(&o.Concurrency, defaultConcurrency)
	orDefault(&o.Queue, defaultQueue)
	orDefault(&o.RunningAfter, defaultRunningAfter)
	orDefault(&o.WaitingEvery, defaultWaitingEvery)
	orDefault(&o.RepeatFor, defaultRepeatFor)
	orDefault(&o.DrainTimeout, defaultDrainTimeout)
	if o.Concurrency < 0 || o.Prefetch < 0 || o.Queue < 0 || o.RunningAfter < 0 || o.RepeatFor < 0 {
		return o, fmt.Errorf("concurrency, prefetch, queue, running after and repeat for must not be negative")
	}
	return o, nil
}

// modulePath is that of this library.
const modulePath = "github.com/stationmaster-io/stationmaster"

// builtVersion is what a build says of the program, else of this library within it;
// empty when it says nothing.
func builtVersion(info *debug.BuildInfo, ok bool) string {
	known := func(version string) bool { return version != "" && version != "(devel)" }
	switch {
	case !ok:
		return ""
	case known(info.Main.Version):
		return info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == modulePath && known(dep.Version) {
			return "stationmaster " + dep.Version
		}
	}
	return ""
}

func orDefault[T int | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
