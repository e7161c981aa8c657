package client

import (
	"context"
	"encoding/json"
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
	// One consumer with a filter, so that a role may be allowed to read these keys and
	// not the others of the bucket.
	rows, err := kv.Watch(ctx, schema.NodeKeys+"*", jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	defer rows.Stop() //nolint:errcheck // it fails only on a closed connection
	var nodes []schema.Node
	for {
		select {
		case row := <-rows.Updates():
			if row == nil {
				slices.SortFunc(nodes, func(a, b schema.Node) int { return strings.Compare(a.Node, b.Node) })
				return nodes, nil
			}
			var n schema.Node
			if json.Unmarshal(row.Value(), &n) == nil && !n.Gone {
				nodes = append(nodes, n)
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("list nodes: %w", context.Cause(ctx))
		}
	}
}
