package scheduler

import (
	"errors"
	"testing"
	"time"
)

// Items are lost when a stream that can be read lacks them for long, not when a replica
// that is behind answers once after an outage, or after the process was stopped: an ok
// would remove them unseen.
func TestAnOutageIsNoLossOfItems(t *testing.T) {
	away := errors.New("no answer")
	began := time.Unix(0, 0)
	s := search{since: began}
	for _, look := range []struct {
		at    time.Duration
		times int
		left  int
		err   error
		over  bool
	}{
		{at: 0, times: 1, left: 3},
		{at: 14 * time.Second, times: 1, left: 3}, // it was stopped
		{at: 14 * time.Second, times: 1, left: 3, err: away},
		{at: 18 * time.Second, times: 20, left: 3, err: away},
		{at: 20 * time.Second, times: 1, left: 2}, // the outage is over, but the replica is behind
		{at: 24 * time.Second, times: 20, left: 2},
		{at: 24 * time.Second, times: 1, left: 0, over: true},
		{at: 26 * time.Second, times: 1, left: 2, over: true},
		{at: 27 * time.Second, times: 20, left: 2, err: away},
		{at: 33 * time.Second, times: 1, left: 2, err: away, over: true},
	} {
		for range look.times {
			if over := s.over(began.Add(look.at), look.left, look.err); over != look.over {
				t.Errorf("a look after %v that left %d (%v) is the last: %t", look.at, look.left, look.err, over)
			}
		}
	}
}
