package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

const (
	// oursStation is the station of all plans of the measurements.
	oursStation = "bench"
	// stopWithin bounds an orderly stop.
	stopWithin = 30 * time.Second
)

// A site is the product as `serve` runs it with its defaults, every write synced,
// but reached in this process only: a node with a store of its own, and
// connections to it. It is owned by one measurement, which closes it.
type site struct {
	node  *node.Node
	store string
	keep  bool // the store outlives the site
	conns []*nats.Conn
}

// lease replaces the node's default, because the tests' machines stall for longer than that, and
// a measurement needs one leader throughout. Zero means the default.
var lease time.Duration

// startSite runs a node with its store in a new folder in dir, and waits until it is
// ready. The functions in change adapt its configuration.
func startSite(ctx context.Context, dir string, log *slog.Logger, change ...func(*node.Config)) (*site, error) {
	store, err := os.MkdirTemp(dir, "ours-")
	if err != nil {
		return nil, fmt.Errorf("make store: %w", err)
	}
	s, err := openSite(ctx, store, log, change...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(store))
	}
	s.keep = false
	return s, nil
}

// openSite runs a node on an existing store, and waits until it is ready. The store
// stays when the site is closed.
func openSite(ctx context.Context, store string, log *slog.Logger, change ...func(*node.Config)) (*site, error) {
	cfg := node.Default()
	cfg.Node, cfg.DataDir, cfg.Log = "bench", store, log
	cfg.NATSListen, cfg.HTTPListen = "", ""
	cfg.HTTPWorker.Concurrency = 0 // because it would be measured with the rest
	if lease != 0 {
		cfg.Lease = lease
	}
	for _, f := range change {
		f(&cfg)
	}
	n, err := node.Start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("start node: %w", err)
	}
	s := &site{node: n, store: store, keep: true}
	if err := n.AwaitReady(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// connect opens a connection within the process. It lives as long as the site.
func (s *site) connect(ctx context.Context, name string) (*nats.Conn, error) {
	nc, err := s.node.Connect(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("connect %s: %w", name, err)
	}
	s.conns = append(s.conns, nc)
	return nc, nil
}

// client makes a client on a connection of its own.
func (s *site) client(ctx context.Context, name string) (*client.Client, *nats.Conn, error) {
	nc, err := s.connect(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	c, err := client.New(nc, client.Options{Timeout: time.Minute})
	if err != nil {
		return nil, nil, fmt.Errorf("make client %s: %w", name, err)
	}
	return c, nc, nil
}

// serve starts a worker of the station, on a connection of its own, with the
// defaults of the SDK. The caller stops it before the site is closed.
func (s *site) serve(ctx context.Context, log *slog.Logger, h worker.Handler) (*worker.Worker, error) {
	return s.work(ctx, worker.Options{Logger: log}, h)
}

// work is serve with other options.
func (s *site) work(
	ctx context.Context, o worker.Options, h worker.Handler, how ...worker.StationOption,
) (*worker.Worker, error) {
	nc, err := s.connect(ctx, "worker")
	if err != nil {
		return nil, err
	}
	w, err := worker.New(nc, o)
	if err != nil {
		return nil, fmt.Errorf("make worker: %w", err)
	}
	w.Station(oursStation, how...).Handle("", h)
	if err := w.Start(); err != nil {
		return nil, err
	}
	return w, nil
}

// close ends connections and node, and removes the store unless it is to be kept.
func (s *site) close(ctx context.Context) error {
	for _, nc := range s.conns {
		nc.Close()
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := s.node.Stop(stopping)
	if !s.keep {
		err = errors.Join(err, os.RemoveAll(s.store))
	}
	return err
}

// planID returns an id of the length of a ULID that holds the plan's index; see planIndex.
func planID(i int) string { return fmt.Sprintf("%0*d", idBytes, i) }

// planIndex is the inverse of planID; -1 for any other id.
func planIndex(id string) int {
	if len(id) != idBytes {
		return -1
	}
	i := 0
	for _, digit := range []byte(id) {
		if digit < '0' || digit > '9' {
			return -1
		}
		i = 10*i + int(digit-'0')
	}
	return i
}

// plansOf makes count copies of p with their own ids, and calls each, if it is not nil,
// to change them further.
func plansOf(count int, p schema.Plan, each func(i int, p *schema.Plan)) []schema.Plan {
	plans := make([]schema.Plan, count)
	for i := range plans {
		one := p
		one.PlanID, one.Station, one.Command = planID(i), oursStation, "run"
		if each != nil {
			each(i, &one)
		}
		plans[i] = one
	}
	return plans
}

// payload is a plan's only message: a text of so many bytes.
func payload(size int) []wire.Value {
	text := make([]byte, size)
	for i := range text {
		text[i] = 'x'
	}
	v, err := wire.ValueOf(wire.JSON, string(text))
	if err != nil {
		panic(fmt.Sprintf("bench: encode a text: %v", err)) // because every text can be encoded
	}
	return []wire.Value{v}
}

// importAll creates plans and fails unless each is new.
func importAll(ctx context.Context, c *client.Client, plans []schema.Plan) error {
	done, err := c.Plans().Import(ctx, plans, "")
	if err != nil {
		return err
	}
	if len(done.Errors) > 0 {
		return fmt.Errorf("import: plan %d: %w", done.Errors[0].Index, done.Errors[0].Error)
	}
	if done.Created != int64(len(plans)) {
		return fmt.Errorf("import: %d of %d plans were created", done.Created, len(plans))
	}
	return nil
}

// pause waits for d, or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
