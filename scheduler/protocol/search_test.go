package protocol_test

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// Items are lost when a stream that can be read lacks them for long, not when a replica that is
// behind answers once after an outage, or after the process was stopped, because an ok would remove
// them unseen.
func TestAnOutageIsNoLossOfItems(t *testing.T) {
	began := time.Unix(0, 0)
	s := protocol.NewSearch(began)
	for _, look := range []struct {
		at     time.Duration
		times  int
		left   bool
		failed bool
		over   bool
	}{
		{at: 0, times: 1, left: true},
		{at: 14 * time.Second, times: 1, left: true}, // it was stopped
		{at: 14 * time.Second, times: 1, left: true, failed: true},
		{at: 18 * time.Second, times: 20, left: true, failed: true},
		{at: 20 * time.Second, times: 1, left: true}, // the outage is over, but the replica is behind
		{at: 24 * time.Second, times: 20, left: true},
		{at: 24 * time.Second, times: 1, over: true},
		{at: 26 * time.Second, times: 1, left: true, over: true},
		{at: 27 * time.Second, times: 20, left: true, failed: true},
		{at: 33 * time.Second, times: 1, left: true, failed: true, over: true},
	} {
		for range look.times {
			if over := s.Over(began.Add(look.at), look.left, look.failed); over != look.over {
				t.Errorf("a look after %v, that left some: %t, failed: %t, is the last: %t", look.at, look.left, look.failed, over)
			}
		}
	}
}
