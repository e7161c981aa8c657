package node_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// unready waits until a node answers that it is not ready, and that no leader is known.
func unready(t *testing.T, n *node.Node) string {
	t.Helper()
	body := readyzUntil(t, n.HTTPAddr(), "not ready: ")
	if code, now := status(t, "http://"+n.HTTPAddr()+"/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(now, "partition 0: no leader is known") {
		t.Errorf("%d %q", code, now)
	}
	if ready := metricsOf(t, n).of("ready"); ready != 0 || n.Ready() {
		t.Error("it is not ready, and /readyz alone shows it")
	}
	return body
}

// While NATS is unreachable no node is ready, followers included, and none names a leader.
func TestNoNodeIsReadyWhileNATSIsDown(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.NATS.URL = "", server.ClientURL()
	c.Lease = node.Default().Lease
	var nodes []*node.Node
	defer func() {
		var stops sync.WaitGroup
		for _, n := range nodes {
			stops.Go(func() { _ = n.Stop(context.Background()) }) // it returns an error, because NATS is unreachable
		}
		stops.Wait()
	}()
	for _, c.Node = range []string{"n1", "n2"} {
		n, err := node.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
		readyzUntil(t, n.HTTPAddr(), "partition 0: n1 leads")
	}
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if body := unready(t, n); !strings.Contains(body, "to NATS is down") {
			t.Errorf("/readyz gives no reason: %q", body)
		}
	}
}

// A node whose nats-server reports itself unhealthy is not ready, from the first check on
// and until the server was restarted.
func TestNoNodeIsReadyWhileTheEmbeddedServerIsSick(t *testing.T) {
	c := config(t)
	n := start(t, c)
	nc, err := n.Connect(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	// As in TestASickServerIsRestarted, the folder has files of a stream that the server does not
	// know.
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	files, aside := filepath.Join(c.DataDir, "jetstream", "$G", "streams", "S"), t.TempDir()
	if err := os.CopyFS(aside, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "S"); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C { // the folder goes last
		if _, err := os.Stat(files); os.IsNotExist(err) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the files of a stream that was deleted stay")
		}
	}
	if err := os.CopyFS(files, os.DirFS(aside)); err != nil {
		t.Fatal(err)
	}
	if body := readyzUntil(t, n.HTTPAddr(), "not ready: "); !strings.Contains(body, "nats-server is unhealthy: ") {
		t.Errorf("/readyz gives no reason: %q", body)
	}
	readyzUntil(t, n.HTTPAddr(), "ready\npartition 0: ") // restarted
}
