package scheduler

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// announceEvery is the interval of a node's heartbeat; a node without one for goneAfter counts
	// as gone. Leases do not depend on it, because it only serves to share the work.
	announceEvery = time.Second
	goneAfter     = 3500 * time.Millisecond
	// stepBack is how long a node with its share leaves a vacant lease to others, and yielded how
	// long a node leaves the lease that it gave up for another.
	stepBack = 300 * time.Millisecond
	yielded  = 5 * time.Second
	// shareEvery is the interval at which a node with too many partitions gives one up. It is one
	// at a time, so that all nodes see the result before the next.
	shareEvery = 2 * time.Second
)

// A membership is that of an installation, as this node sees it.
type membership struct {
	partitions int
	me         schema.Node

	mu     sync.Mutex
	others map[string]peer // by process
	// namesake is called once for each other process that has this node's name.
	namesake func(process string)
}

// peer is another node.
type peer struct {
	leads int
	seen  time.Time
}

func newMembership(node, version string, partitions int) *membership {
	return &membership{
		partitions: partitions,
		me: schema.Node{
			Node: node, Version: version, Process: rand.Text(), Since: time.Now().UTC(),
			Results: []string{broker.ResultsOwn.String(), broker.ResultsPublic.String()},
		},
		others:   map[string]peer{},
		namesake: func(string) {},
	}
}

// observe takes in a record.
func (c *membership) observe(r schema.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.Process == c.me.Process:
	case r.Gone:
		delete(c.others, r.Process)
	default:
		if _, known := c.others[r.Process]; !known && r.Node == c.me.Node {
			c.namesake(r.Process)
		}
		c.others[r.Process] = peer{len(r.Leads), time.Now()}
	}
}

// least returns the number of nodes, this one included, and the fewest partitions that another
// leads.
func (c *membership) least(now time.Time) (nodes, fewest int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	nodes, fewest = 1, c.partitions
	for process, m := range c.others {
		if now.Sub(m.seen) > goneAfter {
			delete(c.others, process)
			continue
		}
		nodes++
		fewest = min(fewest, m.leads)
	}
	return nodes, fewest
}

// full reports that a node which leads so many partitions has its share.
func (c *membership) full(leads int) bool {
	nodes, _ := c.least(time.Now())
	return leads >= (c.partitions+nodes-1)/nodes
}

// tooMany reports that a node which leads so many should give one up, because another could take it
// and still not lead more than this one then.
func (c *membership) tooMany(leads int) bool {
	nodes, fewest := c.least(time.Now())
	return nodes > 1 && leads-fewest >= 2
}

// share announces this node and rebalances the partitions between nodes, until ctx ends.
func (s *Scheduler) share(ctx context.Context) error {
	stop, err := s.config.Store.FollowNodes(s.membership.observe)
	if err != nil {
		return err
	}
	defer stop()
	defer s.announce(context.WithoutCancel(ctx), true)
	ticks := time.NewTicker(announceEvery)
	defer ticks.Stop()
	evened := time.Now()
	for {
		changed := s.Changed()
		s.announce(ctx, false)
		if time.Since(evened) >= shareEvery {
			evened = time.Now()
			s.rebalance()
		}
		select {
		case <-ticks.C:
		case <-changed: // a leader, perhaps
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Scheduler) announce(ctx context.Context, gone bool) {
	ctx, cancel := context.WithTimeout(ctx, announceEvery)
	defer cancel()
	r := s.membership.me
	r.Leads, r.Partitions = s.led(time.Now())
	r.Seen, r.Gone = time.Now().UTC(), gone
	if err := s.config.Store.Announce(ctx, r); err != nil && ctx.Err() == nil {
		s.config.Log.Debug("not announced", "error", err)
	}
}

// leads lists the partitions that this node leads.
func (s *Scheduler) leads() []int {
	leads := []int{}
	for _, p := range s.partitions {
		if p.leading.Load() != nil {
			leads = append(leads, p.index)
		}
	}
	return leads
}

// led lists the partitions that this node leads, by number and as they stand.
func (s *Scheduler) led(now time.Time) (leads []int, all []schema.LedPartition) {
	leads = []int{}
	for _, p := range s.partitions {
		if l := p.leading.Load(); l != nil {
			leads = append(leads, p.index)
			all = append(all, l.standing(now))
		}
	}
	return leads, all
}

// rebalance gives up a partition when another node leads far fewer.
func (s *Scheduler) rebalance() {
	leads := s.leads()
	if !s.membership.tooMany(len(leads)) {
		return
	}
	s.partitions[slices.Max(leads)].yield()
}
