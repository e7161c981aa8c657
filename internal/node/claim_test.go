package node_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/node"
)

// Nodes are stopped one after the other while workers claim a steady flow of executions. None is
// claimed twice, and none is lost on the way to its worker.
func TestClaimsOutliveTheirNodes(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.Prefix, c.NATS.URL, c.Partitions = "", "acme", server.ClientURL(), 2
	// The timeout is longer than the test waits, so that an execution which was lost and
	// delivered again is not taken for one that arrived. There is one exception: a node
	// that stalls for longer than it waits for another node's leader misses its answer, and
	// the executions in it may be delivered again.
	c.ExecTimeout = 2 * patience
	stood := brokertest.WatchStalls()
	defer stood.Stop()
	nodes := []*node.Node{start(t, c), start(t, c), start(t, c)}
	nc, err := nats.Connect(server.ClientURL(), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := nc.Request("acme.stations.put", []byte(`{"station":"s","kind":"pull"}`), patience); err != nil {
		t.Fatal(err)
	}
	w := &pullers{t: t, nc: nc, claimed: map[string]int{}, stop: make(chan struct{})}
	for i := range 8 {
		w.group.Go(func() { w.work(fmt.Sprintf("w%d", i)) })
	}
	const plans = 400
	for i := range plans {
		if i == plans/4 || i == plans/2 {
			stop(t, nodes[0])
			nodes = nodes[1:]
		}
		body := fmt.Sprintf(`{"station":"s","plan_id":"p%d","command":"c","on_conflict":"keep"}`, i)
		for {
			m, err := nc.Request("acme.plans.create", []byte(body), patience)
			if err == nil && m.Header.Get("Nats-Service-Error") == "" {
				break
			}
		}
	}
	for last := time.Now(); w.count() < plans; {
		within := patience
		if stood.Longest() > time.Second {
			within += c.ExecTimeout
		}
		if time.Since(last) > within {
			break
		}
		select {
		case <-w.came():
		case <-time.After(time.Second):
		}
	}
	close(w.stop)
	w.group.Wait()
	if n := w.count(); n != plans {
		t.Errorf("%d of %d plans were claimed", n, plans)
	}
	for id, n := range w.claimed {
		if n > 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
}

// pullers are workers that claim until they are stopped.
type pullers struct {
	t     *testing.T
	nc    *nats.Conn
	stop  chan struct{}
	group sync.WaitGroup

	mu      sync.Mutex
	claimed map[string]int
	news    chan struct{}
}

func (w *pullers) work(id string) {
	for {
		select {
		case <-w.stop:
			return
		default:
		}
		m, err := w.nc.Request("acme.plans.claim.s", fmt.Appendf(nil, `{"worker_id":%q,"limit":3,"wait_ms":1000}`, id), patience)
		if err != nil {
			continue // the node that had the claim has stopped
		}
		var answer struct {
			Executions []struct {
				PlanID string `json:"plan_id"`
				Reply  string `json:"reply"`
			} `json:"executions"`
		}
		if err := json.Unmarshal(m.Data, &answer); err != nil {
			w.t.Errorf("%s: %v", m.Data, err)
			return
		}
		for _, x := range answer.Executions {
			w.note(x.PlanID)
			_ = w.nc.Publish(x.Reply, []byte(`{"state":"ok"}`)) // the next leader finds the execution, too
		}
	}
}

func (w *pullers) note(plan string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.claimed[plan]++
	if w.news != nil {
		close(w.news)
		w.news = nil
	}
}

func (w *pullers) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.claimed)
}

// came returns a channel that is closed at the next claimed execution.
func (w *pullers) came() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.news == nil {
		w.news = make(chan struct{})
	}
	return w.news
}
