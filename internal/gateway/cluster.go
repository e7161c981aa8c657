package gateway

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// How old an answer about nodes and partitions, and about streams, may be. Nodes announce
// themselves once a second.
const (
	nodesAge   = time.Second
	streamsAge = 5 * time.Second
)

var clusterRoutes = []route{
	{
		method: http.MethodGet, path: api + "/nodes", role: reader, id: "listNodes", summary: "List the scheduler nodes, by name",
		about: "As of their last heartbeats.", result: "NodeList", serve: listNodes,
	},
	{
		method: http.MethodGet, path: api + "/partitions", role: reader, id: "listPartitions", summary: "List the partitions, and who leads each",
		result: "PartitionList", serve: listPartitions,
	},
	{
		method: http.MethodGet, path: api + "/streams", role: reader, id: "listStreams", summary: "List the streams and buckets, and what they hold",
		result: "StreamList", serve: listStreams,
	},
}

// nodeList answers GET /nodes.
type nodeList struct {
	Nodes []schema.Node `json:"nodes" wire:"list"`
}

// partitionList answers GET /partitions.
type partitionList struct {
	Partitions []partition `json:"partitions" wire:"list"`
}

// A partition is as its leader announced it last; one without a leader has a number alone.
type partition struct {
	Leader string `json:"leader,omitempty"`
	schema.LedPartition
}

// streamList answers GET /streams.
type streamList struct {
	Streams []Stream `json:"streams" wire:"list"`
}

// A Stream is a stream or a bucket of the installation with its usage.
type Stream struct {
	Name     string `json:"name"`                // of the stream, or of the bucket
	Kind     string `json:"kind"`                // KindStream or KindBucket
	Messages uint64 `json:"messages"`            // that are stored
	Bytes    uint64 `json:"bytes"`               // that they take
	MaxBytes int64  `json:"max_bytes,omitempty"` // that they may take; 0: without a limit
	Replicas int    `json:"replicas"`            // on how many servers each message is
}

// The kinds of a [Stream].
const (
	KindStream = "stream"
	KindBucket = "bucket" // of NATS's key-value store
)

func (g *Gateway) listedNodes(ctx context.Context) ([]schema.Node, error) {
	nodes, err := g.nodes.get(ctx, g.config.Now)
	if err != nil && ctx.Err() == nil {
		return nil, unreadable("nodes", err)
	}
	return nodes, err
}

func unreadable(what string, err error) error {
	return &schema.Error{Code: schema.CodeUnavailable, Message: fmt.Sprintf("the %s cannot be read at the moment: %v", what, err)}
}

func listNodes(g *Gateway, q *request) (answer, error) {
	nodes, err := g.listedNodes(q.Context())
	if nodes == nil {
		nodes = []schema.Node{}
	}
	return answer{body: nodeList{nodes}}, err
}

func listPartitions(g *Gateway, q *request) (answer, error) {
	all, err := g.partitions(q.Context())
	return answer{body: partitionList{all}}, err
}

// partitions lists the partitions by number. If two nodes report that they lead one, the later
// leadership counts.
func (g *Gateway) partitions(ctx context.Context) ([]partition, error) {
	nodes, err := g.listedNodes(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]partition, g.config.Partitions)
	for i := range all {
		all[i].Partition = i
	}
	for _, n := range nodes {
		for _, led := range n.Partitions {
			if led.Partition >= 0 && led.Partition < len(all) && led.Epoch >= all[led.Partition].Epoch {
				all[led.Partition] = partition{n.Node, led}
			}
		}
	}
	return all, nil
}

func listStreams(g *Gateway, q *request) (answer, error) {
	if g.config.Streams == nil {
		return answer{}, &schema.Error{Code: schema.CodeUnavailable, Message: "this node does not know the streams"}
	}
	all, err := g.streams.get(q.Context(), g.config.Now)
	if err != nil && q.Context().Err() == nil {
		err = unreadable("streams", err)
	}
	return answer{body: streamList{all}}, err
}
