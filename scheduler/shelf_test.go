package scheduler

import (
	"errors"
	"testing"
	"time"
)

// Items are lost when a stream that can be read lacks them for long, not when a replica
// that is behind answers once after an outage: an ok would remove them unseen.
func TestAnOutageIsNoLossOfItems(t *testing.T) {
	away := errors.New("no answer")
	began := time.Unix(0, 0)
	s := search{since: began}
	for _, look := range []struct {
		at   time.Duration
		left int
		err  error
		over bool
	}{
		{at: 0, left: 3},
		{at: 4 * time.Second, left: 3},
		{at: 5500 * time.Millisecond, left: 3, err: away}, // an outage begins
		{at: 10 * time.Second, left: 3, err: away},
		{at: 11 * time.Second, left: 2}, // and is over, but the replica is behind
		{at: 15 * time.Second, left: 2},
		{at: 15 * time.Second, left: 0, over: true},
		{at: 17 * time.Second, left: 2, over: true},
		{at: 18 * time.Second, left: 2, err: away},
		{at: 24 * time.Second, left: 2, err: away, over: true},
	} {
		if over := s.over(began.Add(look.at), look.left, look.err); over != look.over {
			t.Errorf("a look after %v that left %d (%v) is the last: %t", look.at, look.left, look.err, over)
		}
	}
}
