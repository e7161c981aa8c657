package state

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What the machine knows of tasks: a task is a plan of a station that a task type made, of
// one occurrence. What is said of it beside its plan's state is its trace. Its status is
// package task's to tell.

// IsTask reports that p is a task: a type has periodic plans too, and may have queues.
func (p *Plan) IsTask() bool {
	if p.Inbox != nil || p.Station.Record == nil || p.Station.Record.TaskType == nil {
		return false
	}
	command, _ := wire.Trust(p.Enc, p.Raw).Field("command").Text()
	return command == schema.TaskCommand
}

// CountFailure has the failure that x ends with counted among the errors of a task. Of a
// plan that is none nobody is told how many there were.
func (p *Plan) CountFailure(o *Occurrence, x *Execution) {
	if p.IsTask() {
		o.CountError(x)
	}
}

// maxPlainError bounds what is kept of the last error of a plan that is no task, in bytes:
// it may have a hundred occurrences that wait for a retry, and the results of their errors
// have all of it.
const maxPlainError = 256

// LastErrorRoom is how much of an error's text is kept while its occurrence is open.
func (p *Plan) LastErrorRoom() int {
	if p.IsTask() {
		return schema.MaxErrorInfo
	}
	return maxPlainError
}

// Ends is when x ends if nothing is heard, none while nobody has it.
func (x *Execution) Ends() unit.Moment {
	if x.Retry != 0 {
		return 0
	}
	return x.NextCheck()
}

// MaxRepeated bounds what results of executions that never ended by themselves
// repeat of the definition. A hundred of them may have to fit in one append, when a
// plan is removed that has as many open occurrences.
const MaxRepeated = 4 << 10
