package front

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A request is answered exactly once, by whichever goroutine is the first to try.
type request struct {
	front    *Front
	endpoint *endpoint
	enc      wire.Encoding
	raw      []byte
	body     wire.Value // raw scanned, but not necessarily a map
	trace    string
	subject  string
	reply    string // empty: the client wants no answer
	size     int
	began    time.Time
	deadline time.Time          // deadline of the client for the answer; zero: unknown
	asked    schema.Attribution // of a change: who asks for it, and why; zero: unknown
	dry      bool               // it is a dry run
	answered atomic.Bool
}

// handle takes a request in, or refuses it, and never waits.
func (f *Front) handle(e *endpoint, m micro.Request) {
	if to := m.Reply(); to != "" && !f.config.Space.Answerable(to) {
		e.refused.n.Add(1)
		e.meter.Unanswerable()
		return // there is no subject to answer to
	}
	r := &request{
		front: f, endpoint: e, subject: m.Subject(), reply: m.Reply(), raw: m.Data(), size: sizeOf(m),
		began: time.Now(), enc: encodingOf(m), trace: traceOf(m),
	}
	if err := r.readDeadline(m.Headers().Get(schema.HeaderAnswerBy)); err != nil {
		r.refuse(m, err)
		return
	}
	if refusal := e.side.gate.enter(r.size); refusal != nil {
		r.refuse(m, refusal)
		return
	}
	if refusal := e.backlog.put(r); refusal != nil {
		r.refuse(m, refusal)
		e.side.gate.leave(r.size)
	}
}

// serve processes the requests of an endpoint, in order, until its backlog is closed.
func (f *Front) serve(e *endpoint) {
	for r := range e.backlog.requests {
		e.backlog.taken(r)
		r.work()
	}
}

// work takes a request as far as it gets without waiting.
func (r *request) work() {
	defer r.rescue()
	if r.front.running.Err() != nil {
		r.fail(errStopping)
		return
	}
	defer r.endpoint.side.hold()()
	err := r.read(r.raw)
	if err == nil {
		err = r.withinRate()
	}
	if err == nil {
		err = r.endpoint.act(r)
	}
	if err != nil {
		r.fail(err)
	}
}

// sizeOf is about how much memory a request takes with its headers, which lie beside its body.
func sizeOf(m micro.Request) int {
	size := requestOverhead + len(m.Data())
	for name, values := range m.Headers() {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	return size
}

// requestOverhead is the memory of a request beside its headers and body, in bytes.
const requestOverhead = 1 << 10

// readDeadline reads the deadline of the client, and refuses a request whose deadline has passed.
func (r *request) readDeadline(value string) (err error) {
	if r.deadline, err = schema.ParseAnswerBy(value); err != nil {
		return err
	}
	if err = command.TooLate(r.deadline, r.began); err != nil {
		r.endpoint.meter.TooLate()
	}
	return err
}

// encodingOf is the encoding of a request. An empty body has the one that its header names.
func encodingOf(m micro.Request) wire.Encoding {
	if isBlank(m.Data()) {
		if m.Headers().Get(schema.HeaderContentType) == wire.MsgPack.ContentType() {
			return wire.MsgPack
		}
		return wire.JSON
	}
	return wire.Detect(m.Data())
}

func isBlank(body []byte) bool { return len(bytes.TrimSpace(body)) == 0 }

// isTyped reports that a user has typed body, which is not blank, because it begins with a
// printable character, as no map in MessagePack does.
func isTyped(body []byte) bool {
	first := bytes.TrimSpace(body)[0]
	return first > ' ' && first <= '~'
}

// traceOf is the traceparent of a request, which executions carry on. A trace that W3C Trace
// Context cannot have made is left out, because it would be kept with the plan.
func traceOf(m micro.Request) string {
	trace := m.Headers().Get(schema.HeaderTraceparent)
	if len(trace) > 128 {
		return ""
	}
	for i := range len(trace) {
		if c := trace[i]; c <= ' ' || c > '~' {
			return ""
		}
	}
	return trace
}

// emptyMap replaces an empty body.
var emptyMap = [...][]byte{wire.JSON: []byte("{}"), wire.MsgPack: {0x80}}

// read scans the body.
func (r *request) read(body []byte) error {
	if isBlank(body) {
		body = emptyMap[r.enc]
	}
	v, err := wire.Scan(body, r.endpoint.limit)
	if err != nil {
		if syntax, is := errors.AsType[*wire.SyntaxError](err); is && r.enc == wire.MsgPack && isTyped(body) {
			return r.invalid("", "the request is neither JSON, which begins with { or [, nor MessagePack (%s)", syntax.Reason)
		}
		return schema.BodyErrors(r.endpoint.invalid, body, err)
	}
	if r.endpoint.kind == changing {
		if err := schema.RefuseNullGuards(r.endpoint.invalid, v); err != nil {
			return err
		}
	}
	if r.endpoint.dry {
		if r.dry, v, err = schema.TakeDryRun(v, r.endpoint.invalid); err != nil {
			return err
		}
	}
	r.body = v
	if r.endpoint.kind != changing || r.endpoint.name == "create" {
		return nil // the definition of a plan names its creator
	}
	r.asked, r.body, err = schema.TakeAttribution(v, r.endpoint.invalid)
	return err
}

// decode reads the body into dst, strictly.
func (r *request) decode(dst any) error {
	if err := wire.Decode(r.body, dst); err != nil {
		return schema.WireErrors(r.endpoint.invalid, err)
	}
	return nil
}

// invalid is an error in one field of the request.
func (r *request) invalid(field, format string, args ...any) error {
	return &schema.Error{Code: r.endpoint.invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// among refuses a field with a value that is not in known.
func among[T ~string](r *request, known []T, field string, given T) error {
	if slices.Contains(known, given) {
		return nil
	}
	return r.invalid(field, "%s %s", field, schema.NotAmong(given, known))
}

// encoded is an answer in the encoding of its request already.
type encoded []byte

// headroom is the part of the largest message that an answer leaves for its headers.
const headroom = 4 << 10

// answer answers r with a value, which may be encoded already.
func (r *request) answer(v any) {
	body, isEncoded := v.(encoded)
	if !isEncoded {
		var err error
		if body, err = wire.Marshal(r.enc, v); err != nil {
			r.fail(fmt.Errorf("encode answer: %w", err))
			return
		}
	}
	if most := r.front.mostBytes(); len(body) > most {
		r.fail(&schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf(
			"the answer has %d bytes in %s; the server delivers %d", len(body), r.enc, most)})
		return
	}
	if r.first() {
		r.endpoint.meter.OK(time.Since(r.began))
		r.send(schema.ContentHeader(r.enc), body)
	}
}

// mostBytes is how large the body of an answer may be.
func (f *Front) mostBytes() int { return int(f.nc.MaxPayload()) - headroom }

// fail answers r with an error.
func (r *request) fail(err error) {
	refusal := r.refusal(err)
	if r.first() {
		r.countRefused(refusal.code)
		r.send(refusal.header(), refusal.body)
	}
}

// refuse answers r with an error, from its handler, before it is under way. It goes through
// the micro framework, which counts it.
func (r *request) refuse(m micro.Request, err error) {
	refusal := r.refusal(err)
	r.countRefused(refusal.code)
	if r.reply == "" {
		return
	}
	// It fails only when the connection is closed, and then the client cannot be reached.
	_ = m.Error(refusal.status, refusal.description, refusal.body, micro.WithHeaders(micro.Headers(schema.ContentHeader(r.enc))))
}

// countRefused counts r, for `nats micro stats` and for Prometheus.
func (r *request) countRefused(code schema.Code) {
	r.endpoint.refused.n.Add(1)
	r.endpoint.meter.Refused(code, time.Since(r.began))
}

// first reports, to one caller only, that r is not answered yet.
func (r *request) first() bool { return !r.answered.Swap(true) }

// send publishes the answer. It counts r out last, so that a caller that waits for the gate
// may close the connection.
func (r *request) send(header nats.Header, body []byte) { r.sendFrom("", header, body) }

// sendFrom is send with a reply subject, on which NATS reports that the answer had no
// responders.
func (r *request) sendFrom(from string, header nats.Header, body []byte) {
	if r.reply != "" {
		// It fails only when the connection is closed, and then the client cannot be reached.
		_ = r.front.nc.PublishMsg(&nats.Msg{Subject: r.reply, Reply: from, Header: header, Data: body})
	}
	r.endpoint.side.gate.leave(r.size)
}

// rescue logs a panic in a goroutine that answers no request, so that it does not take down
// the node.
func (f *Front) rescue() {
	if p := recover(); p != nil {
		f.incidents.Report(metrics.AtRequest, p)
	}
}

// rescue answers a request whose handler panics, so that it does not take down the node and
// then, sent again, the next one.
func (r *request) rescue() {
	if p := recover(); p != nil {
		r.fail(incident.Refusal(r.front.incidents.Report(metrics.AtRequest, p, "subject", r.endpoint.subject)))
	}
}
