package node_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

func TestAKeyOfTheClusterThatIsWrong(t *testing.T) {
	for _, text := range []string{"", "0123456789abcdef", "sm short", "sm 0123456789abcdef more"} {
		path := filepath.Join(t.TempDir(), "cluster.key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := config(t)
		c.Cluster = node.Cluster{Name: "sm", Listen: "127.0.0.1:0", Routes: []string{"nats://127.0.0.1:1"}, KeyFile: path}
		if _, err := node.Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "it takes a name and a password") ||
			strings.Contains(err.Error(), "0123456789abcdef") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
