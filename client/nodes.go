package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Nodes is the handle of the scheduler nodes of the installation.
type Nodes struct{ c *Client }

// Nodes returns the handle of the scheduler nodes.
func (c *Client) Nodes() Nodes { return Nodes{c} }

// List returns the scheduler nodes by name, as of their last heartbeats, with the partitions
// that each leads. It reads bucket `leaders`.
func (n Nodes) List(ctx context.Context) ([]schema.Node, error) {
	kv, err := leaders(ctx, n.c)
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
