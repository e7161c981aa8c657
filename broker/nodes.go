package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// A NodeRecord says that a node is there, and which partitions it leads. It is key
// node.<node> of bucket `leaders`, beside the leases.
type NodeRecord struct {
	Node string `json:"node"`
	// Process is a random id: two processes may have been given one name.
	Process string    `json:"process"`
	Version string    `json:"version,omitempty"`
	Leads   []int     `json:"leads"`
	Seen    time.Time `json:"seen"` // by the node's clock; for people
	// Gone is said by a node that stops.
	Gone bool `json:"gone,omitempty"`
}

// NodeKeys begins the keys of node records in bucket `leaders`.
const NodeKeys = "node."

// nodeTTL is how long a record outlives its node.
const nodeTTL = "10s"

// Announce puts a node's record, which disappears by itself unless it is put again.
func (s *Store) Announce(ctx context.Context, r NodeRecord) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode node record: %w", err)
	}
	b := &Bucket{store: s, name: s.space.LeadersBucket()}
	_, err = s.publish(ctx, b.stream(), &nats.Msg{Subject: b.subject(NodeKeys + r.Node), Data: data, Header: nats.Header{
		headerRollup:      {"sub"},
		headerTTL:         {nodeTTL},
		headerContentType: {contentTypeJSON},
	}})
	if err != nil {
		return fmt.Errorf("announce node %s: %w", r.Node, err)
	}
	return nil
}

// HearNodes calls f with each record that is announced, from a goroutine of its
// own, until stop is called.
func (s *Store) HearNodes(f func(NodeRecord)) (stop func(), err error) {
	b := &Bucket{store: s, name: s.space.LeadersBucket()}
	sub, err := s.nc.Subscribe(b.subject(NodeKeys+"*"), func(m *nats.Msg) {
		var r NodeRecord
		if json.Unmarshal(m.Data, &r) == nil && r.Process != "" {
			f(r)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // it fails only on a closed connection
}
