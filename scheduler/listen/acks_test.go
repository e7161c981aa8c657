package listen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Equal acknowledgements of replies that came in one message are one message; others, and
// those of another message, are separate.
func TestAcksGather(t *testing.T) {
	taken, late := schema.Ack{Ack: true, Accepted: true}, schema.Ack{Ack: true, Cancel: true}
	first, second := &joined{count: 3}, &joined{count: 2}
	var a acks
	for _, c := range []struct {
		of  share
		ack schema.Ack
	}{
		{share{first, 0}, taken}, {share{second, 0}, taken}, {share{first, 1}, late},
		{share{second, 1}, taken}, {share{first, 2}, taken},
	} {
		if a.add(c.of, c.ack) {
			t.Fatalf("full with %d", len(a.open))
		}
	}
	want := []openAck{
		{first, schema.JoinedAck{Ack: taken, Of: []int{0, 2}}},
		{second, schema.JoinedAck{Ack: taken, Of: []int{0, 1}}},
		{first, schema.JoinedAck{Ack: late, Of: []int{1}}},
	}
	if diff := cmp.Diff(want, a.open, cmp.AllowUnexported(openAck{}, joined{}, acknowledgement{})); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
}

// acksOpen gathered messages have to be sent.
func TestAcksAreBounded(t *testing.T) {
	var a acks
	for i := range acksOpen {
		if full := a.add(share{&joined{}, 0}, schema.Ack{}); full != (i == acksOpen-1) {
			t.Errorf("after %d: full %v", i+1, full)
		}
	}
}
