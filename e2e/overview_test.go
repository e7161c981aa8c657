package e2e

import (
	"encoding/json"
	"slices"
	"testing"
)

// object returns the answer of a GET, with numbers as they were written.
func (v visitor) object(path string) map[string]any {
	v.t.Helper()
	_, text := v.wants(200, "GET", path, "")
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		v.t.Fatalf("GET %s: %v: %s", path, err, text)
	}
	return o
}

// has fails when an object lacks members.
func has(t *testing.T, what string, o any, members ...string) {
	t.Helper()
	for _, name := range members {
		if m, _ := o.(map[string]any); m[name] == nil {
			t.Errorf("%s lacks %s: %v", what, name, o)
		}
	}
}

// An overview of a running installation shows the leaders of the partitions and the usage of the
// streams.
func TestNodesPartitionsAndStreamsOfAProgram(t *testing.T) {
	t.Parallel()
	s := start(t, "--node", "n1", "--partitions", "2")
	v := visitor{t, "http://" + s.http}
	nodes := v.object("/api/v1/nodes")["nodes"].([]any)
	if len(nodes) != 1 {
		t.Fatalf("nodes: %v", nodes)
	}
	has(t, "a node", nodes[0], "node", "version", "leads", "since", "seen")
	var partitions []any
	await(t, "each partition has a leader", func() bool { // a moment after the node is ready
		partitions = v.object("/api/v1/partitions")["partitions"].([]any)
		return !slices.ContainsFunc(partitions, func(p any) bool { return p.(map[string]any)["leader"] == nil })
	})
	if len(partitions) != 2 {
		t.Fatalf("partitions: %v", partitions)
	}
	for _, p := range partitions {
		has(t, "a partition", p, "partition", "leader", "epoch", "journal_sequence", "checkpoint", "plans", "overdue")
	}
	kinds := map[any]int{}
	for _, one := range v.object("/api/v1/streams")["streams"].([]any) {
		has(t, "a stream", one, "name", "kind", "messages", "bytes", "max_bytes", "replicas")
		kinds[one.(map[string]any)["kind"]]++
	}
	if kinds["stream"] < 4 || kinds["bucket"] < 6 { // two journals, results, items; two of plans, and of leaders, stations, workers, secrets
		t.Errorf("streams: %v", kinds)
	}
}

// A search reports how far it looked, also where it finds nothing.
func TestASearchForTroubleOfAProgram(t *testing.T) {
	t.Parallel()
	v := visitor{t, "http://" + start(t).http}
	found := v.object("/api/v1/runs?trouble=true&text=disk&worker_id=w1&reason=retries&longer_than_ms=10")
	has(t, "the runs", found, "runs", "looked_at", "complete")
	if found["complete"] != true || found["next"] != nil {
		t.Errorf("of no runs: %v", found)
	}
	v.wants(400, "GET", "/api/v1/runs?reason=mist", "")
}
