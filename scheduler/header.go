package scheduler

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// header makes the headers of executions (DESIGN section 2). It is used again for
// each: the connection copies what it is given, and a map and a dozen values for
// every execution would be a fifth of what the dispatch allocates. Names are
// written as they are: nats.Header keeps the case that it is given.
type header struct {
	fields nats.Header
	values []string
	text   []byte
}

// headersAtMost is how many headers an execution has at most.
const headersAtMost = 16

// of returns the headers of x; they are valid until the next call.
func (h *header) of(x *machine.Outgoing, body *schema.Execution, enc wire.Encoding) nats.Header {
	if h.fields == nil {
		h.fields = make(nats.Header, headersAtMost)
		h.values = make([]string, 0, headersAtMost)
	}
	clear(h.fields)
	h.values = h.values[:0]
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
	if x.MadeBy != "" {
		h.set(schema.HeaderTrigger, x.MadeBy)
	}
	if x.Trace != "" {
		h.set(schema.HeaderTraceparent, x.Trace)
	}
	if x.HasHeaders {
		caller, title := schema.CallerAndTitle(x.Enc, x.Shared, x.SharedCount)
		h.setText(schema.HeaderCaller, caller)
		h.setText(schema.HeaderTitle, title)
	}
	return h.fields
}

func (h *header) set(name, value string) {
	h.values = append(h.values, value)
	h.fields[name] = h.values[len(h.values)-1:]
}

func (h *header) setTime(name string, t time.Time) {
	if !t.IsZero() {
		h.text = t.AppendFormat(h.text[:0], time.RFC3339Nano)
		h.set(name, string(h.text))
	}
}

// setText is for what a user wrote, which may hold line ends.
func (h *header) setText(name, text string) {
	if text != "" {
		h.set(name, schema.HeaderText(text))
	}
}
