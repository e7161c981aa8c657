package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // plans name zones, also on machines that have none

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Node is one running process of Stationmaster. It is safe for concurrent use.
type Node struct {
	cfg Config
	log *slog.Logger

	metrics   *metrics.Set
	probes    *probes
	rest      *rest         // behind the probes; nil without HTTP
	server    *embed.Server // nil with an external one
	health    health        // of that
	control   *nats.Conn    // the stores: the lease and the journal wait for nobody's junk
	dispatch  *nats.Conn
	requests  *nats.Conn
	scheduler *scheduler.Scheduler
	front     *front.Front
	caller    *caller // nil: this node makes no HTTP calls
	keys      []broker.SecretKey
	damage    atomic.Pointer[[]schema.Damage] // that was found and not acknowledged
	captures  atomic.Pointer[[]broker.Capture]

	// running ends when a part fails for good, with its error, and when the
	// scheduler is to stop, with errStopped.
	running context.Context
	end     context.CancelCauseFunc
	parts   sync.WaitGroup

	obstacle atomic.Pointer[error] // what a start waits for

	started  chan struct{} // closed when start has succeeded
	stopping atomic.Bool
	once     sync.Once
	stopErr  error
}

var (
	errStopped  = errors.New("the node was stopped")
	errStarting = errors.New("the node is starting")
)

// readyEvery is how often who waits for a node looks whether it is ready.
const readyEvery = 50 * time.Millisecond

// Start runs a node; its services can be asked when it is ready, see
// [Node.AwaitReady]. Whoever starts a node calls [Node.Stop]. When it cannot
// start, it says what is wrong and has left nothing behind: an address or a folder
// is in use, the configuration is wrong (see [Config.Validate]), or the
// installation's streams are not what they should be.
func Start(ctx context.Context, cfg Config) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	n := &Node{cfg: cfg, log: cfg.Log.With("node", cfg.Node), started: make(chan struct{}), metrics: metrics.New(cfg.Version)}
	n.running, n.end = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := n.start(ctx); err != nil {
		giveUp, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return nil, errors.Join(err, n.Stop(giveUp))
	}
	close(n.started)
	return n, nil
}

func (n *Node) start(ctx context.Context) (err error) {
	n.cfg.warnInsecure(n.log)
	if n.keys, err = n.cfg.secretKeys(n.log); err != nil {
		return err
	}
	if n.cfg.HTTPListen != "" {
		if n.rest, err = newRest(n.cfg.HTTPTokenFile, n.cfg.HTTPOrigins, n.log); err != nil {
			return err
		}
		if n.probes, err = listenHTTP(ctx, httpSide{
			address: n.cfg.HTTPListen, most: connections(n.cfg.HTTPMaxConnections),
			ready: n.lacks, standing: n.standing, metrics: n.metrics.Handler(), rest: n.rest,
			failed: n.end, log: n.log,
		}); err != nil {
			return err
		}
	}
	if n.cfg.NATS.URL == "" {
		if n.server, err = n.embed(ctx); err != nil {
			return err
		}
		n.parts.Go(func() { n.tend(n.running) })
	}
	// No reconnect buffer: what a cut-off leader meant to append or to publish must not
	// arrive when another leads.
	if n.control, err = n.cfg.connect(ctx, n.server, "control", nats.ReconnectBufSize(-1)); err != nil {
		return err
	}
	n.dispatch, err = n.cfg.connect(ctx, n.server, "dispatch", nats.ReconnectBufSize(-1))
	if err != nil {
		return err
	}
	if n.requests, err = n.cfg.connect(ctx, n.server, "requests"); err != nil {
		return err
	}
	return n.schedule(ctx)
}

// schedule makes the installation, and opens it for business.
func (n *Node) schedule(ctx context.Context) error {
	space := schema.Space{Prefix: n.cfg.Prefix, Partitions: n.cfg.Partitions}
	var heard func(subject string) bool
	var room func() error
	maxBatch := 0
	if n.server != nil {
		heard, room, maxBatch = n.server.Heard, n.server.Room, n.server.MaxBatch()
	}
	form, err := broker.ParseResultsForm(n.cfg.ResultsForm)
	if err != nil {
		return err
	}
	store, err := n.provision(ctx, broker.Config{
		Space:          space,
		Node:           n.cfg.Node,
		Captured:       n.server != nil,
		Sole:           n.server != nil,
		Replicas:       n.cfg.Replicas,
		ResultsAge:     n.cfg.ResultsAge,
		ResultsPerPlan: n.cfg.ResultsPerPlan,
		ResultsBytes:   n.cfg.ResultsBytes,
		ResultsForm:    form,
		MaxBatch:       maxBatch,
		Room:           room,
		Logger:         n.log,
	})
	if err != nil {
		return fmt.Errorf("provision: %w", err)
	}
	secrets := n.openSecrets(ctx, store)
	n.scheduler = scheduler.New(scheduler.Config{
		Node:     n.cfg.Node,
		Version:  n.cfg.Version,
		Store:    store,
		Space:    space,
		Dispatch: n.dispatch,
		Heard:    heard,
		Defaults: schema.Defaults{
			ExecTimeout:  n.cfg.ExecTimeout,
			StartTimeout: n.cfg.StartTimeout,
		},
		MisfireGrace: n.cfg.misfireGrace(),

		AcceptRollback: n.cfg.AcceptRollback,

		Checkpoint:  n.cfg.Checkpoint,
		TenantPlans: n.cfg.TenantPlans,
		Lease:       n.cfg.Lease,
		Probe:       n.cfg.Probe,
		Metrics:     n.metrics,
		Log:         n.log,
	})
	n.metrics.Watch(n.whole, n.scheduler.Standings)
	n.parts.Go(func() { n.watchDamage(n.running, store) })
	n.parts.Go(func() { n.watchCaptures(n.running, store) })
	n.parts.Go(func() { n.keepResultsForm(n.running, store, form) })
	n.parts.Go(func() {
		if err := n.scheduler.Run(n.running); err != nil {
			n.end(fmt.Errorf("scheduler: %w", err))
		}
	})
	if err := n.serveRequests(space, store, secrets); err != nil {
		return err
	}
	key := store.Installation().Key
	if err := n.serveHTTPStation(ctx, key[:], secrets); err != nil {
		return err
	}
	return n.openGateway(ctx, key[:])
}

// serveRequests has this node take requests: every node does, and one that stands by asks
// the leader.
func (n *Node) serveRequests(space schema.Space, store *broker.Store, secrets *broker.Secrets) (err error) {
	n.front, err = front.Serve(n.requests, front.Config{
		Node:    n.cfg.Node,
		Version: n.cfg.Version,
		Space:   space,
		Store:   store,
		Leader:  n.scheduler,
		Secrets: secrets,

		QueueBatch:  n.cfg.QueueBatch,
		LongestCall: n.cfg.HTTPWorker.LongestCall,
		TenantRate:  n.cfg.TenantRate,

		Metrics: n.metrics,
		Log:     n.log,
	})
	if err != nil {
		return fmt.Errorf("serve requests: %w", err)
	}
	return nil
}

// curedAgain is how often it is looked whether a person has put right what kept the
// embedded server's installation from being used.
const curedAgain = 2 * time.Second

// provision makes the installation. What only a person can put right, and only while the
// server runs, is waited for where the server is our own: it would go with the process.
func (n *Node) provision(ctx context.Context, c broker.Config) (*broker.Store, error) {
	defer n.obstacle.Store(nil)
	for told := ""; ; {
		store, err := broker.Provision(ctx, n.control, c)
		var unreadable *broker.UnreadableError
		if err == nil || n.server == nil || !errors.As(err, &unreadable) {
			return store, err
		}
		n.obstacle.Store(&err)
		if told != err.Error() {
			told = err.Error()
			n.log.Error("the installation cannot be used; waiting until it is put right", "error", err)
		}
		select {
		case <-time.After(curedAgain):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Ready reports that plans are loaded and a leader is known, so that requests are
// answered; not of a node that stops.
func (n *Node) Ready() bool {
	select {
	case <-n.started:
		return n.unready() == nil
	default:
		return false
	}
}

// unready says what keeps a node that has started from being ready; nil: nothing does.
func (n *Node) unready() error {
	if n.stopping.Load() || n.running.Err() != nil {
		return errors.New("the node is stopping")
	}
	if err := n.cutOff(); err != nil {
		return err
	}
	// In a cluster others may be well, and lacks asks.
	if n.server != nil && n.cfg.Cluster.Name == "" {
		if err := n.health.lacks(time.Now()); err != nil {
			return fmt.Errorf("nats-server is unhealthy: %w", err)
		}
	}
	return n.scheduler.Lacks()
}

// cutOff says which connection to NATS is down; nil: none.
func (n *Node) cutOff() error {
	for _, nc := range []*nats.Conn{n.control, n.dispatch, n.requests} {
		if !nc.IsConnected() {
			return fmt.Errorf("connection %q to NATS is down", nc.Opts.Name)
		}
	}
	return nil
}

// whole is Ready, and that the copies of the streams here are as good as the others':
// while they are not, another server of the cluster should not be taken away.
func (n *Node) whole() bool { return n.lacks() == nil }

// lacks says what keeps the node from being whole; nil: nothing does.
func (n *Node) lacks() error {
	select {
	case <-n.started:
	default:
		if obstacle := n.obstacle.Load(); obstacle != nil {
			return *obstacle
		}
		return errStarting
	}
	if err := n.unready(); err != nil {
		if n.server != nil {
			return cmp.Or(n.server.Room(), err)
		}
		return err
	}
	if n.server != nil && n.cfg.Cluster.Name != "" {
		if err := n.server.Healthz(); err != nil {
			return fmt.Errorf("the streams here are behind those of the cluster: %w", err)
		}
	}
	return nil
}

// standing has a line for each partition, once it can be known who leads it, for each
// loss, and for each stream that takes in executions. A node that is cut off knows of nobody.
func (n *Node) standing() string {
	select {
	case <-n.started:
		leaders := n.scheduler.Leaders()
		if n.cutOff() != nil {
			for i := range leaders {
				leaders[i] = scheduler.Leadership{Partition: leaders[i].Partition}
			}
		}
		return whoLeads(leaders) + damageLines(n.lost()) + captureLines(n.capturing())
	default:
		return ""
	}
}

// AwaitReady returns when the node is ready, has failed, or ctx has ended.
func (n *Node) AwaitReady(ctx context.Context) error {
	// Silence that is over tells nobody.
	again := time.NewTicker(readyEvery)
	defer again.Stop()
	for {
		changed := n.scheduler.Changed()
		if n.Ready() {
			return nil
		}
		select {
		case <-changed:
		case <-again.C:
		case <-n.running.Done():
			return fmt.Errorf("wait until ready: %w", context.Cause(n.running))
		case <-ctx.Done():
			return fmt.Errorf("wait until ready: %w", context.Cause(ctx))
		}
	}
}

// Wait returns nil when ctx ends or the node is stopped, and what has failed when
// a part of it cannot go on. Stop is due in both cases.
func (n *Node) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-n.running.Done():
	}
	if err := context.Cause(n.running); !errors.Is(err, errStopped) {
		return err
	}
	return nil
}

// URL is where other processes reach NATS, without passwords; empty when the
// embedded server does not listen.
func (n *Node) URL() string {
	if n.server == nil {
		return n.cfg.NATS.String()
	}
	return n.server.ClientURL()
}

// HTTPAddr is host:port of REST, /healthz, /readyz and /metrics; empty without HTTP.
func (n *Node) HTTPAddr() string {
	if n.probes == nil {
		return ""
	}
	return n.probes.address()
}

// Connect opens a connection for the caller's own use, in process when the
// nats-server is. The caller closes it before Stop.
func (n *Node) Connect(ctx context.Context, name string) (*nats.Conn, error) {
	return n.cfg.connect(ctx, n.server, name)
}
