package scheduler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Two nodes of one name are reported, once.
func TestNamesakeIsReportedOnce(t *testing.T) {
	var reported []string
	c := newMembership("a", "v", 1)
	c.namesake = func(process string) { reported = append(reported, process) }
	for range 3 {
		c.observe(schema.Node{Node: "a", Process: "other"})
		c.observe(schema.Node{Node: "b", Process: "third"})
		c.observe(c.me)
	}
	c.observe(schema.Node{Node: "a", Process: "going", Gone: true})
	if diff := cmp.Diff([]string{"other"}, reported); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
