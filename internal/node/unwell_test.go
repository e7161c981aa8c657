package node_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/e2e/port"
	"github.com/stationmaster-io/stationmaster/internal/node"
)

// A node whose nats-server has not recovered a stream names the stream at /readyz while it
// starts.
func TestANodeNamesTheStreamThatItCannotRecover(t *testing.T) {
	c := config(t)
	meta := filepath.Join(c.DataDir, "jetstream", "$G", "streams", "S", "meta.inf")
	if err := errors.Join(os.MkdirAll(filepath.Dir(meta), 0o700), os.WriteFile(meta, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.HTTPListen, err = port.Free(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		n, err := node.Start(ctx, c)
		if err == nil {
			err = errors.Join(errors.New("it has started"), n.Stop(context.WithoutCancel(ctx)))
		}
		ended <- err
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C { // until it listens
		if conn, err := net.Dial("tcp", c.HTTPListen); err == nil {
			conn.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not listen")
		}
	}
	readyzUntil(t, c.HTTPListen, "not ready: the node is starting, and nats-server is unhealthy: JetStream stream '$G > S' could not be recovered")
	cancel()
	if err := <-ended; !strings.Contains(err.Error(), "context canceled") {
		t.Error(err)
	}
}

// A node of a cluster that has no name stores none in a folder that is no data folder.
func TestNothingIsLeftInAPartOfADataFolder(t *testing.T) {
	c := config(t)
	stop(t, start(t, c))
	part := filepath.Join(c.DataDir, "jetstream")
	c.DataDir, c.Cluster = part, node.Cluster{Name: "c", Listen: "127.0.0.1:0", Routes: []string{"nats://127.0.0.1:1"}}
	n, err := node.Start(t.Context(), c)
	if err == nil {
		stop(t, n)
	}
	if err == nil || !strings.Contains(err.Error(), "is a part of store folder") {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(part); err != nil || len(entries) != 1 || entries[0].Name() != "$G" {
		t.Errorf("it holds %v, %v", entries, err)
	}
}
