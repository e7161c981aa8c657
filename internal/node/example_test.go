package node_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A whole installation in one process: a node with its own nats-server, a worker, and a
// publisher that follows its plan.
func Example() {
	if err := greet(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// greet 1: ok "hello world"
	// greet 2: ok "hello world"
}

func greet(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "stationmaster")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	cfg := node.Default()
	cfg.DataDir, cfg.NATSListen, cfg.HTTPListen = dir, "", ""
	cfg.Log = slog.New(slog.DiscardHandler)
	n, err := node.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer n.Stop(ctx)
	if err := n.AwaitReady(ctx); err != nil {
		return err
	}
	nc, err := n.Connect(ctx, "example")
	if err != nil {
		return err
	}
	defer nc.Close()

	w, err := worker.New(nc, worker.Options{Logger: cfg.Log})
	if err != nil {
		return err
	}
	w.Handle("hello", "greet", func(_ context.Context, x *worker.Execution) (any, error) {
		var whom string
		if err := x.Message(0, &whom); err != nil {
			return nil, err
		}
		return "hello " + whom, nil
	})
	if err := w.Start(); err != nil {
		return err
	}
	defer w.Stop()
	return publish(ctx, nc)
}

func publish(ctx context.Context, nc *nats.Conn) error {
	c, err := client.New(nc, client.Options{})
	if err != nil {
		return err
	}
	results, err := c.Results().Follow("hello")
	if err != nil {
		return err
	}
	defer results.Stop()

	// Twice, the second as soon as the first has finished.
	again, twice := int64(0), int64(2)
	_, err = c.Plans().Create(ctx, schema.Plan{
		Station: "hello", Command: "greet", Messages: []wire.Value{wire.Text(wire.JSON, "world")},
		Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &again, PlanRepet: &twice},
	})
	if err != nil {
		return err
	}
	for r, err := range results.All(ctx) {
		if err != nil {
			return err
		}
		fmt.Printf("%s %d: %s %s\n", r.Command, r.Occurrence, r.State, r.Content)
		if r.Occurrence == twice {
			return nil
		}
	}
	return nil
}
