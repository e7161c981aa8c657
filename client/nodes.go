package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Nodes returns the scheduler nodes of the installation by name, as they last said
// that they are there, and which partitions each leads. It reads bucket `leaders`.
func (c *Client) Nodes(ctx context.Context) ([]schema.Node, error) {
	kv, err := leaders(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	found, err := rows(ctx, kv, schema.NodeKeys+"*")
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var nodes []schema.Node
	for _, row := range found {
		var n schema.Node
		if json.Unmarshal(row.Value(), &n) == nil && !n.Gone {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b schema.Node) int { return strings.Compare(a.Node, b.Node) })
	return nodes, nil
}
