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
	_ "time/tzdata" // plans name time zones, also on machines without a database of them

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
	health    health        // of the embedded server
	control   *nats.Conn    // for the stores, so that other traffic delays neither lease nor journal
	dispatch  *nats.Conn
	requests  *nats.Conn
	scheduler *scheduler.Scheduler
	front     *front.Front
	caller    *caller // nil: this node makes no HTTP calls
	keys      []broker.SecretKey
	damage    atomic.Pointer[[]schema.Damage] // found, and not acknowledged
	captures  atomic.Pointer[[]broker.Capture]

	// running ends when a part fails for good, with its error, and when the
	// scheduler is to stop, with errStopped.
	running context.Context
	end     context.CancelCauseFunc
	parts   sync.WaitGroup

	obstacle atomic.Pointer[error] // the reason why the start waits

	started  chan struct{} // closed when start has succeeded
	stopping atomic.Bool
	once     sync.Once
	stopErr  error
}

var (
	errStopped  = errors.New("the node was stopped")
	errStarting = errors.New("the node is starting")
)

// readyEvery is the interval at which AwaitReady looks whether the node is ready.
const readyEvery = 50 * time.Millisecond

// Start runs a node; its services can be asked when it is ready, see [Node.AwaitReady]. The
// caller calls [Node.Stop]. An error leaves nothing behind, and names its cause: an address
// or a folder is in use, the configuration is wrong (see [Config.Validate]), or the
// installation's streams do not fit it.
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
		if n.rest, err = newRest(n.cfg.HTTPTokenFile, n.cfg.HTTPOrigins, n.cfg.HTTPBasePath, n.log); err != nil {
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
		n.parts.Go(func() { n.superviseServer(n.running) })
	}
	// No reconnect buffer, because the appends and executions of a cut-off leader must not
	// arrive after another node has become leader.
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

// schedule creates the installation, and starts the scheduler and the services.
func (n *Node) schedule(ctx context.Context) error {
	space := schema.Space{Prefix: n.cfg.Prefix, Partitions: n.cfg.Partitions}
	var hasInterest func(subject string) bool
	var room func() error
	var spare func(coming int64) error
	maxBatch := 0
	if n.server != nil {
		hasInterest, room, spare, maxBatch = n.server.HasInterest, n.server.Room, n.server.Spare, n.server.MaxBatch()
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
		SetBack:        n.server != nil,
		Replicas:       n.cfg.Replicas,
		ResultsAge:     n.cfg.ResultsAge,
		ResultsPerPlan: n.cfg.ResultsPerPlan,
		ResultsBytes:   n.cfg.ResultsBytes,
		ResultsForm:    form,
		MaxBatch:       maxBatch,
		Room:           room,
		Spare:          spare,
		Logger:         n.log,
	})
	if err != nil {
		return fmt.Errorf("provision: %w", err)
	}
	secrets := n.openSecrets(ctx, store)
	n.scheduler = scheduler.New(scheduler.Config{
		Node:          n.cfg.Node,
		Version:       n.cfg.Version,
		Store:         store,
		Space:         space,
		Dispatch:      n.dispatch,
		HasSubscriber: hasInterest,
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
	return n.openGateway(ctx, store, key[:])
}

// serveRequests starts the services, which every node has. A node that does not lead
// forwards requests to the leader.
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

// curedAgain is the interval between two attempts to open an installation that an operator
// has to repair.
const curedAgain = 2 * time.Second

// provision creates the installation. With an embedded server it waits while the
// installation is unreadable, or streams have to be edited, because an operator can repair
// that only while the server runs, and the server would end with the process.
func (n *Node) provision(ctx context.Context, c broker.Config) (*broker.Store, error) {
	defer n.obstacle.Store(nil)
	for logged := ""; ; {
		store, err := broker.Provision(ctx, n.control, c)
		if err == nil || n.server == nil || !isCurable(err) {
			return store, err
		}
		n.obstacle.Store(&err)
		if logged != err.Error() {
			logged = err.Error()
			n.log.Error("the installation cannot be used; waiting until it is put right", "error", err)
		}
		select {
		case <-time.After(curedAgain):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// isCurable reports that an operator can end an obstacle while the server runs.
func isCurable(err error) bool {
	if differs, is := errors.AsType[*broker.MismatchError](err); is {
		return differs.Editable()
	}
	_, unreadable := errors.AsType[*broker.UnreadableError](err)
	return unreadable
}

// Ready reports whether plans are loaded and a leader is known, so that requests are
// answered; false once the node stops.
func (n *Node) Ready() bool {
	select {
	case <-n.started:
		return n.unready() == nil
	default:
		return false
	}
}

// unready returns the reason why a started node is not ready; nil: it is.
func (n *Node) unready() error {
	if n.stopping.Load() || n.running.Err() != nil {
		return errors.New("the node is stopping")
	}
	if err := n.cutOff(); err != nil {
		return err
	}
	// In a cluster other servers may be healthy; lacks looks at this one.
	if n.server != nil && n.cfg.Cluster.Name == "" {
		if err := n.health.lacks(time.Now()); err != nil {
			return fmt.Errorf("nats-server is unhealthy: %w", err)
		}
	}
	return n.scheduler.Lacks()
}

// cutOff returns an error that names a lost connection to NATS; nil: none is lost.
func (n *Node) cutOff() error {
	for _, nc := range []*nats.Conn{n.control, n.dispatch, n.requests} {
		if !nc.IsConnected() {
			return fmt.Errorf("connection %q to NATS is down", nc.Opts.Name)
		}
	}
	return nil
}

// whole reports whether the node is ready and its replicas of the streams are current.
// While they are not, another server of the cluster should not be stopped.
func (n *Node) whole() bool { return n.lacks() == nil }

// lacks returns the reason why the node is not whole; nil: it is.
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

// standing returns a line for each partition, once its leader can be known, for each loss,
// for each stream that captures executions, and for tokens that are stale. A node that is cut off knows no leader.
func (n *Node) standing() string {
	select {
	case <-n.started:
		leaders := n.scheduler.Leaders()
		if n.cutOff() != nil {
			for i := range leaders {
				leaders[i] = scheduler.Leadership{Partition: leaders[i].Partition}
			}
		}
		return leadersText(leaders) + damageLines(n.lost()) + captureLines(n.capturing()) + n.tokensLine()
	default:
		return ""
	}
}

// AwaitReady returns when the node is ready, has failed, or ctx has ended.
func (n *Node) AwaitReady(ctx context.Context) error {
	// The ticker is needed because no channel signals that a silent server answers again.
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

// Wait returns nil when ctx ends or the node is stopped, and the error of the part that
// failed when the node cannot go on. The caller calls Stop in both cases.
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

// URL is the address at which other processes reach NATS, without passwords; empty when the
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

// Connect opens a connection for the caller's own use, in process if the nats-server is
// embedded. The caller closes it before Stop.
func (n *Node) Connect(ctx context.Context, name string) (*nats.Conn, error) {
	return n.cfg.connect(ctx, n.server, name)
}
