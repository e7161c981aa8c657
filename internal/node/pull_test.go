package node_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// puller starts a worker of the pull station "jobs", on a connection of its own.
func puller(t *testing.T, n *node.Node, o worker.Options, h worker.Handler) *worker.Worker {
	t.Helper()
	nc, err := n.Connect(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	o.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	w, err := worker.New(nc, o)
	if err != nil {
		t.Fatal(err)
	}
	w.Station("jobs", worker.Pull(worker.Filter{})).Handle("*", h)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// jobs makes so many plans of the pull station that run once, at once.
func jobs(t *testing.T, c *client.Client, count int) {
	t.Helper()
	if _, err := c.Stations().Put(t.Context(), schema.Station{Station: "jobs", Kind: schema.KindPull}); err != nil {
		t.Fatal(err)
	}
	for i := range count {
		plan := &schema.Plan{Station: "jobs", PlanID: fmt.Sprint("p", i), Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeNone}}
		if _, err := c.Plans().Create(t.Context(), *plan); err != nil {
			t.Fatal(err)
		}
	}
}

// When a worker stops, the executions that it has claimed and not begun go to another one,
// and do not count as attempts; those that it has begun it finishes.
func TestAStoppedPullWorkerReturnsExecutionsThatItHasNotBegun(t *testing.T) {
	n := start(t, config(t))
	c, done := ask(t, n, "")
	defer done()
	results, err := c.Results().Follow("jobs")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Stop()
	const count = 20
	jobs(t, c, count)

	began, finish := make(chan bool, count), make(chan bool)
	first := puller(t, n, worker.Options{ID: "first", Concurrency: 1, Prefetch: count}, func(context.Context, *worker.Execution) (any, error) {
		began <- true
		<-finish
		return nil, nil
	})
	<-began
	stopped := make(chan error)
	go func() { stopped <- first.Stop() }()
	second := puller(t, n, worker.Options{ID: "second", Concurrency: 4}, func(context.Context, *worker.Execution) (any, error) { return nil, nil })

	who := map[string]int{}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for r, err := range results.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		// A returned execution has a new number, and is no further attempt. Until the first
		// worker has ended its claim, it may receive the same execution again.
		if r.State != schema.StateOK || r.Attempt != 1 || r.N > 1 && r.WorkerID == "first" || !r.Final {
			t.Errorf("result %+v", r)
		}
		if who[r.WorkerID]++; who["second"] == count-1 && who["first"] == 0 {
			close(finish)
		}
		if who["first"]+who["second"] == count {
			break
		}
	}
	if who["first"] != 1 || who["second"] != count-1 {
		t.Errorf("done by %v", who)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
}

// A worker goes on when the node that kept its claim has stopped, and another one leads.
func TestAPullWorkerSurvivesAChangeOfLeader(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.NATS.URL, c.Node = "", server.ClientURL(), "first"
	first := start(t, c)
	c.Node = "second"
	second := start(t, c)
	user, done := ask(t, second, "")
	defer done()
	jobs(t, user, 1)
	ran := make(chan string, 10)
	w := puller(t, second, worker.Options{ID: "w1"}, func(_ context.Context, x *worker.Execution) (any, error) {
		ran <- x.PlanID
		return nil, nil
	})
	if id := <-ran; id != "p0" {
		t.Errorf("ran %s", id)
	}
	stop(t, first)
	if _, err := user.Plans().Create(t.Context(), schema.Plan{Station: "jobs", PlanID: "later", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		t.Fatal(err)
	}
	if id := <-ran; id != "later" {
		t.Errorf("ran %s", id)
	}
	if err := w.Stop(); err != nil {
		t.Error(err)
	}
}
