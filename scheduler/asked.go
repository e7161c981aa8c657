package scheduler

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
)

// An asked command is on its way to the leader, wherever that is.
type asked struct {
	command command.Command
	done    func(any, error)
	turn    uint64    // in the order of all that were asked
	until   time.Time // when it waits for a leader no longer; zero: it does not wait
	over    atomic.Bool
}

// finish calls done once, although a panic may come after an answer.
func (a *asked) finish(answer any, err error) {
	if !a.over.Swap(true) {
		a.done(answer, err)
	}
}

// An askQueue has the commands of a partition that no leader has taken, in the order in which they were
// asked. One goroutine at a time brings them to the leader; while it does, others wait behind them.
type askQueue struct {
	turns atomic.Uint64
	busy  atomic.Bool // there is that goroutine
	doubt atomic.Bool // a command was refused elsewhere, and no leader was found since

	mu   sync.Mutex
	list []*asked
}

// turn returns the turn of a command that is asked now.
func (q *askQueue) turn() uint64 { return q.turns.Add(1) }

// waiting is how many commands wait.
func (q *askQueue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// add enters a at its turn. It is true when there is no goroutine that brings it; the caller then
// is to start one.
func (q *askQueue) add(a *asked) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at, _ := slices.BinarySearchFunc(q.list, a.turn, func(b *asked, turn uint64) int { return cmp.Compare(b.turn, turn) })
	q.list = slices.Insert(q.list, at, a)
	return !q.busy.Swap(true)
}

// take removes the first, for the goroutine that brings it. When none is left, it returns nil, and
// that goroutine is to end.
func (q *askQueue) take() *asked {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		q.list = nil
		q.busy.Store(false)
		return nil
	}
	a := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	return a
}

// expire answers with err those that wait no longer than until now; all of them when now is zero.
func (q *askQueue) expire(now time.Time, err error) {
	q.mu.Lock()
	var over []*asked
	q.list = slices.DeleteFunc(q.list, func(a *asked) bool {
		late := now.IsZero() || !a.until.After(now)
		if late {
			over = append(over, a)
		}
		return late
	})
	q.mu.Unlock()
	for _, a := range over {
		a.finish(nil, err)
	}
}
