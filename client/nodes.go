package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Nodes returns the scheduler nodes of the installation by name, as they last said
// that they are there, and which partitions each leads. It reads bucket `leaders`.
func (c *Client) Nodes(ctx context.Context) ([]schema.Node, error) {
	js, err := jetstream.New(c.nc)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	bucket := c.space.LeadersBucket()
	kv, err := js.KeyValue(ctx, bucket)
	if err != nil {
		return nil, fmt.Errorf("list nodes: open bucket %s: %w", bucket, err)
	}
	keys, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var nodes []schema.Node
	for _, key := range keys {
		if !strings.HasPrefix(key, schema.NodeKeys) {
			continue
		}
		entry, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // it has gone meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("list nodes: %w", err)
		}
		var n schema.Node
		if json.Unmarshal(entry.Value(), &n) == nil && !n.Gone {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b schema.Node) int { return strings.Compare(a.Node, b.Node) })
	return nodes, nil
}
