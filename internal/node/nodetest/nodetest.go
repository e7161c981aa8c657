// Package nodetest runs a whole installation for the examples of client packages, because
// an example has no *testing.T. Nothing goes in, a URL comes out; tests of a node itself
// configure their own.
package nodetest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// patience bounds operations that should take milliseconds.
const patience = time.Minute

// Start runs a node with a nats-server on a free port of this machine, and returns when
// requests are answered there. It panics on an error, because an example has no other way
// to fail. stop ends it, and leaves nothing behind.
func Start() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "stationmaster-example-")
	must("make a folder", err)
	c := node.Default()
	c.DataDir, c.NATSListen, c.HTTPListen = dir, "127.0.0.1:0", ""
	c.Sync = time.Minute       // an example's folder need not survive a power cut
	c.Lease = 15 * time.Second // so that a machine that stalls for a second changes no leader
	c.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	n, err := node.Start(ctx, c)
	must("start", err)
	must("start", n.AwaitReady(ctx))
	return n.URL(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		must("stop", n.Stop(ctx))
		must("remove the folder", os.RemoveAll(dir))
	}
}

func must(act string, err error) {
	if err != nil {
		panic(fmt.Errorf("the installation of an example: %s: %w", act, err))
	}
}
