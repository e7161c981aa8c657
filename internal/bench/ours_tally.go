package bench

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/stationmaster-io/stationmaster/worker"
)

// A tally counts the executions, or the results, of the created plans. Each result of a plan must
// arrive once, in order. It is safe for concurrent use.
type tally struct {
	last  []atomic.Int64 // by plan: the number of its last execution
	done  atomic.Int64
	wrong atomic.Pointer[error] // the first violation
}

func newTally(plans int) *tally { return &tally{last: make([]atomic.Int64, plans)} }

// handle is a worker.Handler that only counts.
func (t *tally) handle(_ context.Context, x *worker.Execution) (any, error) {
	t.count(x)
	return nil, nil
}

// count counts an execution, and returns the number so far.
func (t *tally) count(x *worker.Execution) int64 { return t.note(x.PlanID, x.N) }

// note is count for execution n of a plan.
func (t *tally) note(planID string, n int64) int64 {
	i, ok := t.index(planID)
	if !ok {
		t.fail(fmt.Errorf("an execution of plan %q, which was not created", planID))
		return t.done.Load()
	}
	if before := t.last[i].Swap(n); before != n-1 {
		t.fail(fmt.Errorf("plan %d: execution %d came behind %d", i, n, before))
	}
	return t.done.Add(1)
}

// index returns the index of the plan with an id; false: there is none.
func (t *tally) index(id string) (int, bool) {
	i := planIndex(id)
	return i, i >= 0 && i < len(t.last)
}

func (t *tally) fail(err error) { t.wrong.CompareAndSwap(nil, &err) }

// failed returns the first violation; nil without one.
func (t *tally) failed() error {
	if wrong := t.wrong.Load(); wrong != nil {
		return *wrong
	}
	return nil
}

// numbers returns the numbers of the plans' last executions, and their sum.
func (t *tally) numbers() (last []int64, sum int64) {
	last = make([]int64, len(t.last))
	for i := range last {
		last[i] = t.last[i].Load()
		sum += last[i]
	}
	return last, sum
}
