package transition

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// bad reports that an execution ended with an error, a timeout or a failure, and not with an ok
// or by request.
func (res *Outcome) bad() bool {
	return res.State == schema.StateError || res.State == schema.StateTimeout || res.State == schema.StateFailure
}

// asLastError is the record of a failure that is kept while its occurrence is open.
func (res *Outcome) asLastError(most int, now unit.Moment) *schema.LastError {
	r := schema.Result{State: res.State, Reason: res.Reason, Cause: res.cause, Error: res.error}
	e := &schema.LastError{Info: r.ErrorInfo(), ExecTime: res.sent.Time(), EndTime: now.Time()}
	if len(e.Info) > most {
		e.Info, e.Cut = strings.ToValidUTF8(e.Info[:most], ""), true
	}
	return e
}
