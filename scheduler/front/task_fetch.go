package front

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// fetch leases tasks to an agent: a claim over several types, in the terms of tasks.
func (ts tasks) fetch(r *request) error {
	var q schema.TaskFetch
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := task.Fetch(&q)
	if err != nil {
		return err
	}
	if err := r.checkWants(&c, q.Limit, q.WaitMS); err != nil {
		return err
	}
	return r.awaitWork(c, func(work []command.ClaimedExecution, again time.Duration) (any, int, error) {
		return fetched(r.enc, work, again)
	})
}

// fetched is the answer of tasks.fetch, and how many of the tasks are in it: as many as a
// message holds. It has the errors of their last failures as far as their plans keep them.
func fetched(enc wire.Encoding, work []command.ClaimedExecution, again time.Duration) (any, int, error) {
	page := newPage(enc, "tasks", len(work))
	for i := range work {
		e := &work[i]
		e.View.Trace.Exec = schema.ExecName(e.N, e.Nonce)
		entry, err := wire.ValueOf(enc, task.Living(e.View))
		if err != nil {
			return nil, 0, err
		}
		if !page.add(entry) {
			return page.end(""), i, nil
		}
	}
	return page.endAfter(again), len(work), nil
}
