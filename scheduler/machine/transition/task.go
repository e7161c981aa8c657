package transition

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// bad reports that an execution ended with an error, a timeout or a failure, and not with an ok
// or by request.
func (res *Outcome) bad() bool {
	return res.State == schema.StateError || res.State == schema.StateTimeout || res.State == schema.StateFailure
}

// asLastError is the record of a failure of p that is kept while its occurrence is open. The outcome of
// an HTTP call is kept in words, because its beginning alone can no longer be read.
func asLastError(p *state.Plan, res *Outcome, now unit.Moment) *schema.LastError {
	most := p.LastErrorRoom()
	r := schema.Result{State: res.State, Reason: res.Reason, Cause: res.cause, Error: res.error}
	e := &schema.LastError{Info: r.ErrorInfo(), ExecTime: res.sent.Time(), EndTime: now.Time()}
	if o, is := schema.ReadHTTPOutcome(&r); is && o.Message != "" && !p.IsTask() {
		e.Info = string(o.Class) + ": " + o.Message
	}
	if len(e.Info) > most {
		e.Info, e.Cut = strings.ToValidUTF8(e.Info[:most], ""), true
	}
	return e
}
