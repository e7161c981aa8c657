package transition

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// bad reports that an execution ended with an error, a timeout or a failure, and not with an ok
// or by request.
func (said *Outcome) bad() bool {
	return said.State == schema.StateError || said.State == schema.StateTimeout || said.State == schema.StateFailure
}

// asLastError is the record of a failure that is kept while its occurrence is open.
func (said *Outcome) asLastError(most int, now unit.Moment) *schema.LastError {
	r := schema.Result{State: said.State, Reason: said.Reason, Cause: said.cause, Error: said.error}
	e := &schema.LastError{Info: r.ErrorInfo(), ExecTime: said.sent.Time(), EndTime: now.Time()}
	if len(e.Info) > most {
		e.Info, e.Cut = strings.ToValidUTF8(e.Info[:most], ""), true
	}
	return e
}
