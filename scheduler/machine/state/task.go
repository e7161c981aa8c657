package state

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The machine's view of tasks: a task is a plan of a station that a task type made, of one
// occurrence. The answers about it have a trace beside its plan's state. Its status is computed
// in package task.

// IsTask reports that p is a task: a type has periodic plans too, and may have queues.
func (p *Plan) IsTask() bool {
	if p.Inbox != nil || p.Station.Record == nil || p.Station.Record.TaskType == nil {
		return false
	}
	command, _ := wire.Trust(p.Enc, p.Raw).Field("command").Text()
	return command == schema.TaskCommand
}

// CountFailure counts the failure that x ends with among the errors of a task. The number is
// shown for tasks alone, so that other plans do not keep it.
func (p *Plan) CountFailure(o *Occurrence, x *Execution) {
	if p.IsTask() {
		o.CountError(x)
	}
}

// maxPlainError bounds the last error that a plan which is no task keeps, in bytes, because it
// may have a hundred occurrences that wait for a retry, and the results of their errors have the
// whole text.
const maxPlainError = 256

// LastErrorRoom is how much of an error's text is kept while its occurrence is open.
func (p *Plan) LastErrorRoom() int {
	if p.IsTask() {
		return schema.MaxErrorInfo
	}
	return maxPlainError
}

// Ends is when x ends without a reply, none while no worker has it.
func (x *Execution) Ends() unit.Moment {
	if x.Retry != 0 {
		return 0
	}
	return x.NextCheck()
}

// MaxRepeated bounds the part of the definition that the result of an execution repeats which
// did not end by itself. A hundred of them may have to fit in one append, when a plan is removed
// that has as many open occurrences.
const MaxRepeated = 4 << 10
