package scheduler

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// header makes the headers of executions. It is used again for each: the connection copies
// what it is given, and a map and a dozen values for every execution would be a fifth of
// what the dispatch allocates. Each name has a place among the values, which its field is a
// part of: what most executions have is put into the map once, and then only the values
// change. Names are written as they are: nats.Header keeps the case that it is given.
type header struct {
	fields nats.Header
	values []string // empty: not among the fields
	next   int      // the place of the next one that is set
	dates  wire.Dates
	text   []byte
}

// headersAtMost is how many headers an execution has at most.
const headersAtMost = 16

// of returns the headers of x; they are valid until the next call.
func (h *header) of(x *event.Outgoing, body *schema.Execution, enc wire.Encoding) nats.Header {
	if h.fields == nil {
		h.fields = make(nats.Header, headersAtMost)
		h.values = make([]string, headersAtMost)
	}
	h.next = 0
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
	// They are what a user wrote, and may hold line ends.
	h.set(schema.HeaderCaller, schema.HeaderText(caller))
	h.set(schema.HeaderTitle, schema.HeaderText(title))
	return h.fields
}

// set gives a header its value; an empty one takes it away. All of them are set each
// time, in the same order, so each has its place.
func (h *header) set(name, value string) {
	at := h.next
	h.next++
	switch there := h.values[at] != ""; {
	case value == "" && there:
		delete(h.fields, name)
	case value != "" && !there:
		h.fields[name] = h.values[at : at+1]
	}
	h.values[at] = value
}

func (h *header) setTime(name string, t time.Time) {
	if t.IsZero() {
		h.set(name, "")
		return
	}
	h.text = h.dates.Append(h.text[:0], t)
	h.set(name, string(h.text))
}
