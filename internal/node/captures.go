package node

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
)

// capturesEvery is the interval between two looks for streams that capture executions. It
// is a poll because every client that may create a stream can create such a one at any
// time.
const capturesEvery = 10 * time.Second

// watchCaptures keeps the list of streams that capture executions up to date, and warns of
// settings of streams with which the next start would find fault, until ctx ends.
func (n *Node) watchCaptures(ctx context.Context, store *broker.Store) {
	ticks := time.NewTicker(capturesEvery)
	defer ticks.Stop()
	var before []broker.Difference
	for {
		if ds, err := store.Differences(ctx); err == nil { // on an error the next look tells
			n.logDifferences(before, ds)
			before = ds
		}
		if found, err := store.Captures(ctx); err == nil { // on an error the last known list stays
			n.logCaptures(found)
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

// logDifferences warns of the differences between streams and configuration that were not there
// before.
func (n *Node) logDifferences(before, now []broker.Difference) {
	for _, d := range now {
		if !slices.Contains(before, d) {
			n.log.Warn("a stream was changed so that the next start will refuse it", "stream", d.Stream, "setting", d.Setting,
				"is", d.Is, "should", d.ShouldBe, "then", d.Command())
		}
	}
}

// logCaptures logs the streams that are new in the list, and those that are gone from it.
func (n *Node) logCaptures(found []broker.Capture) {
	before := n.capturing()
	for _, c := range found {
		if !slices.Contains(before, c) {
			n.log.Error("a stream takes in executions: it hides that no worker is there", "stream", c.Stream, "subject", c.Subject,
				"then", c.Advice())
		}
	}
	for _, c := range before {
		if !slices.Contains(found, c) {
			n.log.Info("a stream takes in executions no longer", "stream", c.Stream, "subject", c.Subject)
		}
	}
}

// capturing returns the streams that capture executions, as this node has last seen them.
func (n *Node) capturing() []broker.Capture {
	if found := n.captures.Load(); found != nil {
		return *found
	}
	return nil
}

// captureLines returns a line for each capture.
func captureLines(captures []broker.Capture) string {
	var lines strings.Builder
	for _, c := range captures {
		lines.WriteString("\n" + c.String())
	}
	return lines.String()
}
