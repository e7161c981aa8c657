package listen

import (
	"iter"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// statusNoResponders is the status of a NATS message for no responders.
	statusNoResponders = "503"
	headerStatus       = "Status"
)

// reply handles one message on the reply subjects.
func (l *Listener) reply(m *nats.Msg) {
	for ev := range l.replies(m) {
		l.config.Metrics.Reply()
		if !l.offer(ev) {
			return
		}
	}
}

// replies decodes a message on the reply subjects, which may hold several.
func (l *Listener) replies(m *nats.Msg) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		if first, several := schema.Unjoined(m.Subject); several {
			l.several(m, first, yield)
		} else if l.filter.admits(m.Subject, 1) {
			if ev := l.event(m); ev != nil {
				yield(ev)
			}
		}
	}
}

// leastReply is about the least size of one of several replies in a message, in bytes.
const leastReply = 64

// several decodes a message with several replies, the first of which would have had the
// subject first alone.
func (l *Listener) several(m *nats.Msg, first string, yield func(event.Event) bool) {
	if !l.filter.admits(first, 1+len(m.Data)/leastReply) {
		return
	}
	all, count := l.config.Space.ParseJoined(first, m.Data)
	var from *joined
	if l.config.Space.Answerable(m.Reply) {
		from = &joined{acknowledgement{m.Reply, wire.Detect(m.Data)}, count}
	}
	for place, r := range all {
		ev := event.ReplyReceived{About: r.About, Reply: r.Reply, Reason: r.Reason}
		if from != nil {
			ev.From = share{from, place}
		}
		if !yield(ev) {
			return
		}
	}
}

// event decodes a reply; nil when it is not about an execution of ours.
func (l *Listener) event(m *nats.Msg) event.Event {
	l.probe("message")
	about, ok := l.config.Space.ParseReply(m.Subject)
	if !ok {
		return nil
	}
	if len(m.Data) == 0 && m.Header.Get(headerStatus) == statusNoResponders {
		return event.NoResponders{About: about}
	}
	// The worker's own encoding, until the machine knows that of the plan.
	enc := wire.Detect(m.Data)
	reply, reason := schema.ParseReply(m.Header, m.Data, enc)
	if reply.Stream != "" {
		l.captures.Do(func() {
			l.config.Log.Warn("a stream has taken an execution and confirmed it in place of a worker; the execution waits on",
				"stream", reply.Stream, "station", about.Station, "plan_id", about.PlanID, "n", about.N,
				"then", broker.AdviceOn(reply.Stream))
		})
	}
	ev := event.ReplyReceived{About: about, Reply: reply, Reason: reason}
	if l.config.Space.Answerable(m.Reply) {
		ev.From = acknowledgement{m.Reply, enc}
	}
	return ev
}
