package node

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
)

// capturesEvery is how often a node looks for streams that take in executions. Anybody
// who may make a stream can make one at any time.
const capturesEvery = 10 * time.Second

// watchCaptures keeps which streams take in executions, until ctx ends.
func (n *Node) watchCaptures(ctx context.Context, store *broker.Store) {
	ticks := time.NewTicker(capturesEvery)
	defer ticks.Stop()
	for {
		if found, err := store.Captures(ctx); err == nil { // otherwise what was known stays
			n.tellCaptures(found)
			n.captures.Store(&found)
			n.metrics.Captured(len(found))
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// tellCaptures logs what is new, and what is gone.
func (n *Node) tellCaptures(found []broker.Capture) {
	before := n.capturing()
	for _, c := range found {
		if !slices.Contains(before, c) {
			n.log.Error("a stream takes in executions: it hides that no worker is there", "stream", c.Stream, "subject", c.Subject,
				"then", "nats stream rm "+c.Stream+", or take the subject out of it with nats stream edit")
		}
	}
	for _, c := range before {
		if !slices.Contains(found, c) {
			n.log.Info("a stream takes in executions no longer", "stream", c.Stream, "subject", c.Subject)
		}
	}
}

// capturing are the streams that take in executions, as far as this node has seen.
func (n *Node) capturing() []broker.Capture {
	if found := n.captures.Load(); found != nil {
		return *found
	}
	return nil
}

// captureLines has a line for each of them.
func captureLines(captures []broker.Capture) string {
	var lines strings.Builder
	for _, c := range captures {
		lines.WriteString("\n" + c.String())
	}
	return lines.String()
}
