package worker

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
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

	// Version is shown beside the worker in workers.list. Empty: the version of the program's
	// build, if it has one, else that of this library.
	Version string

	// Prefix is the installation's, in front of every subject. Empty: it has none.
	Prefix string

	// Concurrency is the number of handlers that run at once. Zero means 64, because handlers
	// mostly wait for others; runtime.GOMAXPROCS fits those that compute. Negative is refused.
	Concurrency int

	// Prefetch is the number of executions of pull stations that are claimed beyond those
	// that handlers are free for. They wait here, so that a handler that has finished
	// finds work at once; other workers do not get them meanwhile. Zero means none,
	// which is right unless handlers take less than a claim does, a few milliseconds.
	// Negative is refused.
	Prefetch int

	// Encoding is that of claims, and so of claimed executions and of their replies, in place
	// of the encoding of their plans. Zero is JSON. MessagePack keeps the types of binary
	// contents and times.
	Encoding wire.Encoding

	// Queue bounds the executions that are taken and wait for a handler. Zero
	// means 4,096; negative is refused. NATS goes on delivering to a worker that is busy, so
	// that more of them wait in the client's buffer, under the subscription's own limits. An
	// execution never starts once its time to start has passed.
	Queue int

	// RunningAfter is the time that a handler runs before `running` is sent. Zero
	// means 30 ms, so that quick handlers cost one message and not two. Negative is refused.
	RunningAfter time.Duration

	// WaitingEvery is the longest time between two heartbeats of a handler that works: a
	// `waiting`, which extends the deadline, is sent at half the time that is left before it,
	// or after WaitingEvery when that is sooner. Zero means 30 s. Negative: the worker does
	// not extend deadlines, so that the context of a handler has the deadline of its
	// execution, and ends then with [ErrDeadline]; see [Handler].
	WaitingEvery time.Duration

	// RepeatFor is the time for which a result without an acknowledgement is repeated.
	// Zero means 10 minutes; negative is refused. Then it is dropped, with a line in the log,
	// because the scheduler has timed the execution out long before.
	RepeatFor time.Duration

	// DrainTimeout is the time that Stop lets handlers finish before it ends their
	// contexts. Zero means 30 s; negative means as long as they take.
	DrainTimeout time.Duration

	// Logger gets panics, dropped results and refused executions at level warn or error, and
	// dropped messages at level debug. Nil means slog.Default.
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

// builtVersion is the version of the program in its build information, else that of this
// library within it; empty when it has neither.
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

// buildNow is where a worker runs that begins now, and this library.
func buildNow() schema.WorkerBuild {
	host, _ := os.Hostname() // a machine may have no name
	library := "stationmaster-go"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" {
				library += " " + m.Version
			}
		}
	}
	return schema.WorkerBuild{Host: host, Library: library, Since: time.Now().UTC().Truncate(time.Millisecond)}
}

func orDefault[T int | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
