package front

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
)

// checkCall refuses what this installation does not do for a plan of station http, though
// its definition is right.
func (f *Front) checkCall(d *schema.Definition) error {
	call, err := schema.ParseHTTPCall(d.Plan.Messages[0])
	if err != nil {
		return err // it was checked with the definition
	}
	if most := f.config.LongestCall; most > 0 && call.Timeout() > most {
		return &schema.Error{
			Code: schema.CodeInvalidPlan, Field: "messages.timeout_seconds",
			Message: fmt.Sprintf("messages: timeout_seconds is %v; calls take %v at most here (--http-longest-call). What takes longer is for exec_type ASYNC, which is answered later",
				call.Timeout(), most),
		}
	}
	return nil
}
