package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// hostile is a steady load on the program in a process of its own, and one client
// beside it that publishes junk as fast as it can on every subject that it may use.
// Some of the lateness is the flood's own work, because they share this machine's
// processors.
type hostile struct {
	PerSecond int
	Lasting   time.Duration
	Flood     bool
}

// hostileFigures are the lateness of executions, and the amount of junk meanwhile.
type hostileFigures struct {
	dueFigures
	JunkPerSecond float64
}

func (h hostile) run(ctx context.Context, dir string, log *slog.Logger, serve Serve) (f hostileFigures, err error) {
	store, err := os.MkdirTemp(dir, "hostile-")
	if err != nil {
		return f, fmt.Errorf("make store: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	err = served(serve(ctx, store), func(url string) (err error) {
		f, err = h.measure(ctx, url, log)
		return err
	})
	return f, err
}

func (h hostile) measure(ctx context.Context, url string, log *slog.Logger) (f hostileFigures, err error) {
	var conns [3]*nats.Conn
	for i := range conns {
		if conns[i], err = nats.Connect(url); err != nil {
			return f, fmt.Errorf("connect to %s: %w", url, err)
		}
		defer conns[i].Close()
	}
	c, err := client.New(conns[0], client.Options{Timeout: time.Minute})
	if err != nil {
		return f, err
	}
	load := accuracy(h.PerSecond, h.Lasting, time.Now())
	for i := range load.plans {
		load.plans[i].Overlap = schema.BusyParallel // so that a late answer delays no execution
	}
	l := newLateness(len(load.plans), load.count, load.from)
	l.disturbed = h.Flood
	w, err := worker.New(conns[1], worker.Options{Logger: log})
	if err != nil {
		return f, err
	}
	w.Handle(oursStation, "", l.handle)
	if err := w.Start(); err != nil {
		return f, err
	}
	// The error is ignored, because the program is killed all the same, and results
	// without an acknowledgement are no failure here.
	defer func() { _ = w.Stop() }()
	if err := importAll(ctx, c, load.plans); err != nil {
		return f, err
	}
	var junk flood
	began := time.Now()
	if h.Flood {
		junk.start(ctx, conns[2])
		defer junk.stop()
	}
	ctx, cancel := context.WithDeadlineCause(ctx, load.until, errors.New("not all of them came"))
	defer cancel()
	f.dueFigures, err = l.await(ctx)
	f.JunkPerSecond = float64(junk.sent.Load()) / time.Since(began).Seconds()
	return f, err
}

// A flood publishes junk until it is stopped.
type flood struct {
	sent    atomic.Int64
	end     context.CancelFunc
	running sync.WaitGroup
}

func (f *flood) start(ctx context.Context, nc *nats.Conn) {
	ctx, f.end = context.WithCancel(ctx)
	f.running.Go(func() {
		for _, m := range f.rounds(ctx) {
			if err := nc.PublishMsg(m); errors.Is(err, nats.ErrConnectionClosed) {
				return
			}
			f.sent.Add(1)
		}
	})
}

func (f *flood) stop() {
	if f.end != nil {
		f.end()
	}
	f.running.Wait()
}

// rounds yields junk for each subject in turn until ctx ends.
func (f *flood) rounds(ctx context.Context) func(func(int, *nats.Msg) bool) {
	all := junk()
	return func(yield func(int, *nats.Msg) bool) {
		for i := 0; ctx.Err() == nil; i++ {
			if !yield(i, all[i%len(all)]) {
				return
			}
		}
	}
}

// junk returns messages of a malicious client: to services, to reply subjects of plans
// that exist and that do not, and into the bucket of workers.
func junk() []*nats.Msg {
	var space schema.Space
	random := make([]byte, 200)
	rand.Read(random)
	deep := make([]byte, 2000)
	for i := range deep {
		deep[i] = '['
	}
	bodies := [][]byte{
		nil, random, deep, []byte(`{"state":"ok"}`), []byte(`{"station":"bench","plan_id":"nobody's"}`),
		{0xdf, 0xff, 0xff, 0xff, 0xff}, // the header of a map of four thousand million entries
	}
	subjects := []string{storage.Presence(space)[:len(storage.Presence(space))-1] + "hostile"}
	for _, verb := range []string{"create", "get", "list", "remove", "runs", "import"} {
		subjects = append(subjects, space.Service("plans", verb))
	}
	subjects = append(subjects, space.Service("stations", "put"), space.Service("stations", "list"))
	for i := range 8 {
		name := schema.ExecName(int64(i), fmt.Sprintf("%016x", i))
		subjects = append(subjects,
			space.Reply(0, oursStation, planID(i), name), space.Reply(0, oursStation, "nobodys", name), space.Reply(0, oursStation, planID(i), "junk"))
	}
	var all []*nats.Msg
	for i := range len(subjects) * len(bodies) {
		all = append(all, &nats.Msg{Subject: subjects[i%len(subjects)], Data: bodies[i/len(subjects)]})
	}
	return all
}
