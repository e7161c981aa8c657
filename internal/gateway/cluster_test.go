package gateway_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

func TestNodesAndPartitionsByREST(t *testing.T) {
	s := newSite(t, func(c *gateway.Config) { c.Partitions = 2 })
	nodes := s.do(http.MethodGet, "/api/v1/nodes", nil).want(200).object()["nodes"].([]any)
	if len(nodes) != 1 {
		t.Fatalf("nodes: %v", nodes)
	}
	n := nodes[0].(map[string]any)
	if leads, _ := n["leads"].([]any); len(leads) != 1 || n["since"] == nil || n["seen"] == nil {
		t.Errorf("the node: %v", n)
	}
	all := s.do(http.MethodGet, "/api/v1/partitions", nil).want(200).object()["partitions"].([]any)
	if len(all) != 2 {
		t.Fatalf("partitions: %v", all)
	}
	led, vacant := all[0].(map[string]any), all[1].(map[string]any)
	if led["leader"] != n["node"] || led["epoch"].(float64) == 0 || led["overdue"] == nil || led["checkpoint"] == nil {
		t.Errorf("partition 0: %v, the node: %v", led, n)
	}
	if vacant["leader"] != nil || vacant["partition"].(float64) != 1 {
		t.Errorf("partition 1, which nobody leads: %v", vacant)
	}
}

// Many browsers ask for the streams, and one of them asks the servers.
func TestStreamsAreReadForAllWhoAsk(t *testing.T) {
	var reads atomic.Int64
	at := time.Now()
	s := newSite(t, func(c *gateway.Config) {
		c.Now = func() time.Time { return at }
		c.Streams = func(context.Context) ([]gateway.Stream, error) {
			reads.Add(1)
			return []gateway.Stream{{Name: "PLAN_RESULTS", Kind: gateway.KindStream, Messages: 3, Bytes: 400, Replicas: 1}}, nil
		}
	})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			all := s.do(http.MethodGet, "/api/v1/streams", nil).want(200).object()["streams"].([]any)
			if one := all[0].(map[string]any); len(all) != 1 || one["name"] != "PLAN_RESULTS" || one["messages"].(float64) != 3 {
				t.Errorf("streams: %v", all)
			}
		})
	}
	group.Wait()
	if n := reads.Load(); n != 1 {
		t.Errorf("20 requests read the streams %d times", n)
	}
}

func TestANodeWithoutStreamsSaysSo(t *testing.T) {
	newSite(t, nil).do(http.MethodGet, "/api/v1/streams", nil).want(503)
}
