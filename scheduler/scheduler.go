package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Config configures a scheduler node.
type Config struct {
	// Node names this node in leases, for people; it need not be unique.
	Node string
	// Version is shown beside it.
	Version string
	Store   *broker.Store
	Space   schema.Space
	// Dispatch carries executions out and replies in. It must keep no reconnect buffer
	// (nats.ReconnectBufSize(-1)), because messages of a leader that was cut off must not arrive
	// later.
	Dispatch *nats.Conn
	// Heard reports whether a message on a subject would have a subscriber, as the server that
	// Dispatch is connected to would deliver it now. Live events without a subscriber are not sent.
	// Nil: that is unknown, and all are sent.
	HasSubscriber func(subject string) bool
	// Defaults apply where neither plan nor station sets a value.
	Defaults schema.Defaults
	// MisfireGrace and Checkpoint are those of machine.Config, where zero is a default.
	MisfireGrace, Checkpoint time.Duration
	// TenantPlans is that of machine.Config.
	TenantPlans int64
	// Lease is how long a leader may be silent; zero means broker.DefaultLease.
	Lease time.Duration
	// AcceptRollback has this node go on with a journal that is not the one that it has seen, or
	// has lost its end; else it ends.
	AcceptRollback bool
	// JournalBound is how many bytes the journal may grow before rows that are
	// not quiet are written to the bucket, too. Zero means 64 MiB.
	JournalBound int64
	// Metrics count the acts of leaders here. Nil: none are kept.
	Metrics *metrics.Set
	// Probe is that of machine.Config, for tests that plant panics; it is called at each
	// "dispatch", "answer" and "message", and when a leader is to "load", too.
	Probe func(at string, plan schema.PlanName)
	Log   *slog.Logger
}

// A Scheduler runs the partitions of an installation that this node may lead. It
// is safe for concurrent use.
type Scheduler struct {
	config     Config
	membership *membership
	partitions []*partition
	changed    signal

	candidacy context.Context // ends when this node is to lead no more
	resign    context.CancelCauseFunc
}

// New returns a scheduler that stands by until Run.
func New(c Config) *Scheduler {
	if c.JournalBound == 0 {
		c.JournalBound = 64 << 20
	}
	if c.Checkpoint == 0 {
		c.Checkpoint = 500 * time.Millisecond
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = metrics.New(c.Version)
	}
	count := max(c.Space.Partitions, 1)
	s := &Scheduler{config: c, membership: newMembership(c.Node, c.Version, count)}
	s.membership.namesake = func(process string) {
		c.Log.Error("another process has the name of this node, so that lists show one of the two; give each a name of its own (--node)",
			"node", c.Node, "process", process)
	}
	s.candidacy, s.resign = context.WithCancelCause(context.Background())
	for p := range count {
		s.partitions = append(s.partitions, newPartition(c, p, &s.changed, s.full))
	}
	return s
}

// Run stands by and leads until ctx ends; then it finishes durable batches, releases its leases and
// returns nil. Any other return is a store that cannot be trusted (*broker.ChangedError), which a
// person has to look at.
func (s *Scheduler) Run(ctx context.Context) error {
	defer s.resign(context.Canceled)
	group, ctx := errgroup.WithContext(ctx)
	standing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(s.candidacy, func() { stop(errResigned) })()
	group.Go(func() error { return s.share(standing) })
	for _, p := range s.partitions {
		group.Go(func() error { return p.run(ctx, standing) })
	}
	return group.Wait()
}

var errResigned = errors.New("this node is stopping")

// Resign gives up the partitions that this node leads, in good order, and has it lead none any
// more, if there are other nodes that may; requests that come in here are relayed to those until
// Run ends. So a node that stops need not have answered everything before another leads.
func (s *Scheduler) Resign() {
	if nodes, _ := s.membership.least(time.Now()); nodes > 1 {
		s.resign(errResigned)
	}
}

// full reports that this node leads its share of the partitions.
func (s *Scheduler) full() bool { return s.membership.full(len(s.leads())) }

// Ask hands a command to the leader of a partition. done is called exactly once, from any
// goroutine, with an answer that is durable or a *schema.Error; it must not block. While the
// partition has no leader, a request waits for up to three seconds.
func (s *Scheduler) Ask(partition int, c command.Command, done func(answer any, err error)) {
	s.partitions[partition].ask(c, done)
}

// A standing is a node's knowledge of the leader of a partition.
type standing int32

const (
	ledUnknown standing = iota
	leaderless
	ledElsewhere
)

// Ready reports that every partition has a leader: here, its plans loaded, or elsewhere; and that
// its leader's decisions were stored until a moment ago.
func (s *Scheduler) Ready() bool { return s.Lacks() == nil }

// Lacks returns the reason why the scheduler is not ready; nil: it is.
func (s *Scheduler) Lacks() error {
	now := time.Now()
	for _, p := range s.partitions {
		if err := p.lacks(now); err != nil {
			return err
		}
	}
	return nil
}

// A Leadership names the leader of a partition.
type Leadership struct {
	Partition int
	Node      string // empty: none, or unknown
	Epoch     int64
}

// Leaders returns the leader of each partition, as far as this node has seen it. A leader that
// cannot act, because nothing is stored, counts as none.
func (s *Scheduler) Leaders() []Leadership {
	out := make([]Leadership, len(s.partitions))
	now := time.Now()
	for i, p := range s.partitions {
		out[i].Partition = i
		if p.lacks(now) != nil {
			continue
		}
		if l := p.leading.Load(); l != nil {
			out[i].Node, out[i].Epoch = s.config.Node, l.appender.Epoch()
		} else if seen := p.seen.Load(); seen != nil {
			out[i] = *seen
		}
	}
	return out
}

// Changed returns a channel that is closed when a leadership begins or ends. Take it before you
// look.
func (s *Scheduler) Changed() <-chan struct{} { return s.changed.next() }
