package broker_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The last record of each node is read, and foreign records are ignored.
func TestNodesAreRead(t *testing.T) {
	_, nc, s := newStore(t)
	if none, err := s.Nodes(deadline(t)); err != nil || len(none) != 0 {
		t.Errorf("no node is there, and read is %v, %v", none, err)
	}
	want := []schema.Node{
		{Node: "a", Process: "1", Leads: []int{}, Seen: epoch0.UTC(), Results: []string{"own", "public"}},
		{Node: "b", Process: "2", Leads: []int{0}, Seen: epoch0.UTC(), Gone: true},
	}
	for _, r := range []schema.Node{{Node: "b", Process: "2"}, want[0], want[1]} {
		if err := s.Announce(deadline(t), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := nc.Request("$KV.leaders.node.c", []byte("junk"), brokertest.Patience); err != nil {
		t.Fatal(err)
	}
	got, err := s.Nodes(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b schema.Node) int { return int(a.Node[0]) - int(b.Node[0]) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}
