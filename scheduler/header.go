package scheduler

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// header makes the headers of executions. It is reused for each, because the connection copies its
// input. Names are written as they are, because nats.Header keeps their case. The zero header is
// ready.
type header nats.Header

// of returns the headers of x; they are valid until the next call.
func (all *header) of(x *event.Outgoing, body *schema.Execution, enc wire.Encoding) nats.Header {
	if *all == nil {
		*all = header{}
	}
	h := *all
	h.set(schema.HeaderContentType, enc.ContentType())
	h.set(schema.HeaderCommand, schema.CommandProxy)
	h.set(schema.HeaderID, x.Name.PlanID)
	h.set(schema.HeaderStation, x.Name.Station)
	h.set(schema.HeaderExec, body.Exec)
	h.set(schema.HeaderOccurrence, strconv.FormatInt(x.Occurrence, 10))
	h.set(schema.HeaderAttempt, strconv.FormatInt(x.Attempt, 10))
	h.setTime(schema.HeaderTime, x.PlanTime)
	h.set(schema.HeaderKey, body.Key)
	h.set(schema.HeaderEpoch, strconv.FormatInt(x.Epoch, 10))
	h.setTime(schema.HeaderDeadline, x.Deadline)
	h.setTime(schema.HeaderStartBy, x.StartBy)
	h.set(schema.HeaderTrigger, x.MadeBy)
	h.set(schema.HeaderTraceparent, x.Trace)
	var caller, title string
	if x.HasHeaders {
		caller, title = schema.CallerAndTitle(x.Enc, x.Shared, x.SharedCount)
	}
	// The caller and the title are user input, and may hold line ends.
	h.set(schema.HeaderCaller, schema.HeaderText(caller))
	h.set(schema.HeaderTitle, schema.HeaderText(title))
	return nats.Header(h)
}

// set gives a header its value; an empty one removes it.
func (h header) set(name, value string) {
	if value == "" {
		delete(h, name)
		return
	}
	h[name] = append(h[name][:0], value)
}

func (h header) setTime(name string, t time.Time) {
	if t.IsZero() {
		delete(h, name)
		return
	}
	h.set(name, t.UTC().Format(time.RFC3339Nano))
}
