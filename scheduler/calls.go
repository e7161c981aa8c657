package scheduler

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A call is a command that waits for its answer. It is finished once, by the answer or by the end
// of the leadership.
type call struct {
	done func(answer any, err error)
	// stored delays the answer until every result that was decided before it is stored, so that a
	// reader of runs sees all of them.
	stored bool
	// patient waits as long as the leader leads, because an answer without a receiver would leave
	// claimed work without a worker.
	patient bool
	since   time.Time
	by      time.Time // deadline of the caller; zero: unknown

	calls      *calls
	prev, next *call
	over       atomic.Bool
}

func (c *call) finish(answer any, err error) {
	if c.over.Swap(true) {
		return
	}
	c.calls.remove(c)
	c.done(answer, err)
}

// calls are the open calls of a leader.
type calls struct {
	mu     sync.Mutex
	head   call // sentinel of a ring
	closed bool
}

func newCalls() *calls {
	c := &calls{}
	c.head.prev, c.head.next = &c.head, &c.head
	return c
}

// add enters a call; false when the leader is gone.
func (c *calls) add(k *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	k.calls, k.since = c, time.Now()
	k.prev, k.next = c.head.prev, &c.head
	k.prev.next, c.head.prev = k, k
	return true
}

func (c *calls) remove(k *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.next == nil {
		return
	}
	k.prev.next, k.next.prev = k.next, k.prev
	k.prev, k.next = nil, nil
}

// expire answers with err the calls that have waited since before, except patient ones.
func (c *calls) expire(before time.Time, err error) {
	c.mu.Lock()
	var late []*call
	for k := c.head.next; k != &c.head && k.since.Before(before); k = k.next {
		if !k.patient {
			late = append(late, k)
		}
	}
	c.mu.Unlock()
	for _, k := range late {
		k.finish(nil, err)
	}
}

// abandon answers all open calls with err.
func (c *calls) abandon(err error) {
	c.mu.Lock()
	c.closed = true
	var open []*call
	for k := c.head.next; k != &c.head; k = k.next {
		open = append(open, k)
	}
	c.mu.Unlock()
	for _, k := range open {
		k.finish(nil, err)
	}
}

// askAgainKept ends the message of an error after which it is unknown whether the command was
// carried out.
const askAgainKept = command.DoneIsUnknown + " with the same plan_id and on_conflict keep"

// stoppedLeading is the error for callers whose command a leader had accepted. why is the reason
// why it no longer leads.
func stoppedLeading(why string) *schema.Error {
	return &schema.Error{
		Code: schema.CodeUnavailable,
		Message: "the scheduler stopped leading before it could confirm" + why +
			"; whether it was " + askAgainKept,
	}
}

var (
	errUnknown  = stoppedLeading("")
	errTooLarge = &schema.Error{
		Code:    schema.CodeTooLarge,
		Message: "the server's max_payload is too small for this; at least 1 MiB is needed for definitions of 512 KiB",
	}
	errNoLeader = &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: patience.Milliseconds(),
		Message: "no scheduler leads at the moment; try again in a few seconds",
	}
)
