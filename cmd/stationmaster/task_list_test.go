package main

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A status is accepted where tasks have it, and refused elsewhere with the right command.
// None is left out.
func TestAStatusIsLookedForWhereTasksHaveIt(t *testing.T) {
	const living, finished = 1, 2
	has := map[schema.TaskStatus]int{
		schema.TaskNew: living, schema.TaskExecuting: living, schema.TaskError: living, schema.TaskPending: living,
		schema.TaskSuccess: finished, schema.TaskManuallyProcessed: finished, schema.TaskCancelled: finished,
		schema.TaskFailure: living | finished, schema.TaskCompleted: living | finished,
	}
	for _, status := range schema.TaskStatuses() {
		in, listed := has[status]
		if !listed {
			t.Errorf("%s: the test does not list which tasks have it", status)
		}
		for history, among := range map[bool]int{false: living, true: finished} {
			err := refuseElsewhere(status, history)
			if (err == nil) != (in&among != 0) {
				t.Errorf("%s, history %t: %v", status, history, err)
			}
			if err != nil && !strings.Contains(err.Error(), "--history") {
				t.Errorf("%s, history %t: %v has no command to type", status, history, err)
			}
		}
	}
}
