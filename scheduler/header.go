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
// input. The values of present headers stay in the map and only change their text, because
// sixteen writes to a map were 1 % of an execution. Names are written as they are, because
// nats.Header keeps their case. The zero header is ready.
type header struct {
	all    nats.Header
	values [16][]string // in the order in which of sets them; nil: absent
	next   int          // of values
}

// of returns the headers of x; they are valid until the next call.
func (h *header) of(x *event.Outgoing, body *schema.Execution, enc wire.Encoding) nats.Header {
	if h.all == nil {
		h.all = nats.Header{}
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
	// The caller and the title are user input, and may hold line ends.
	h.set(schema.HeaderCaller, schema.HeaderText(caller))
	h.set(schema.HeaderTitle, schema.HeaderText(title))
	return h.all
}

// set gives the next header its value; an empty one removes it.
func (h *header) set(name, value string) {
	v := &h.values[h.next]
	h.next++
	switch {
	case value == "":
		if *v != nil {
			delete(h.all, name)
			*v = nil
		}
	case *v == nil:
		*v = []string{value}
		h.all[name] = *v
	default:
		(*v)[0] = value
	}
}

func (h *header) setTime(name string, t time.Time) {
	text := ""
	if !t.IsZero() {
		text = t.UTC().Format(time.RFC3339Nano)
	}
	h.set(name, text)
}
