package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// nodeTTL is how long a record outlives its node.
const nodeTTL = "10s"

// Announce puts a node's record, which expires unless it is put again.
func (s *Store) Announce(ctx context.Context, r schema.Node) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode node record: %w", err)
	}
	b := &Bucket{store: s, name: s.space.LeadersBucket()}
	_, err = s.publish(ctx, b.stream(), &nats.Msg{Subject: b.subject(schema.NodeKeys + r.Node), Data: data, Header: nats.Header{
		headerRollup:      {"sub"},
		headerTTL:         {nodeTTL},
		headerContentType: {contentTypeJSON},
	}})
	if err != nil {
		return fmt.Errorf("announce node %s: %w", r.Node, err)
	}
	return nil
}

// mostNodes bounds how many records of nodes are read.
const mostNodes = 1000

// Nodes returns the records of the nodes that were announced within the last seconds, those
// that are stopping included.
func (s *Store) Nodes(ctx context.Context) ([]schema.Node, error) {
	leaders := &Bucket{store: s, name: s.space.LeadersBucket()}
	found := map[string]schema.Node{}
	next := getRequest{Seq: 1, NextFor: leaders.subject(schema.NodeKeys + "*")}
	for range mostNodes {
		m, err := s.get(ctx, leaders.stream(), next)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return slices.Collect(maps.Values(found)), nil
		case err != nil:
			return nil, fmt.Errorf("read nodes: %w", err)
		}
		next.Seq = m.Seq + 1
		var r schema.Node
		if json.Unmarshal(m.Data, &r) == nil && r.Process != "" {
			found[r.Node] = r // a later record replaces an earlier one
		}
	}
	return nil, fmt.Errorf("read nodes: there are more than %d records", mostNodes)
}

// FollowNodes calls f with each record that is announced, from a goroutine of its own, until
// stop is called.
func (s *Store) FollowNodes(f func(schema.Node)) (stop func(), err error) {
	b := &Bucket{store: s, name: s.space.LeadersBucket()}
	sub, err := s.nc.Subscribe(b.subject(schema.NodeKeys+"*"), func(m *nats.Msg) {
		var r schema.Node
		if json.Unmarshal(m.Data, &r) == nil && r.Process != "" {
			f(r)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // it fails only on a closed connection
}
