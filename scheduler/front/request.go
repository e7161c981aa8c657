package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/stationmaster-io/stationmaster/incident"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A request is answered exactly once, whoever tries it first and from wherever.
type request struct {
	front    *Front
	endpoint *endpoint
	enc      wire.Encoding
	raw      []byte
	body     wire.Value // raw scanned, but not necessarily a map
	trace    string
	subject  string
	reply    string // empty: nobody wants the answer
	size     int
	began    time.Time
	by       time.Time // until then somebody waits for the answer; zero: nobody knows
	answered atomic.Bool
}

// handle takes a request in, or refuses it, and never waits.
func (f *Front) handle(e *endpoint, m micro.Request) {
	if to := m.Reply(); to != "" && !f.config.Space.Answerable(to) {
		e.refused.n.Add(1)
		e.meter.Unanswerable()
		return // nobody may be told
	}
	r := &request{
		front: f, endpoint: e, subject: m.Subject(), reply: m.Reply(), raw: m.Data(), size: sizeOf(m),
		began: time.Now(), enc: encodingOf(m), trace: traceOf(m),
	}
	if err := r.readDate(m.Headers().Get(schema.HeaderAnswerBy)); err != nil {
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

// serve works on the requests of an endpoint, one after the other, until its backlog
// is closed.
func (f *Front) serve(e *endpoint) {
	for r := range e.backlog.requests {
		e.backlog.taken(r)
		r.work()
	}
}

// work takes a request as far as it gets without waiting.
func (r *request) work() {
	defer r.rescue()
	if r.front.talking.Err() != nil {
		r.fail(errStopping)
		return
	}
	defer r.endpoint.side.hold()()
	err := r.read(r.raw)
	if err == nil {
		err = r.withinRate()
	}
	if err == nil {
		err = r.endpoint.act(r.front, r)
	}
	if err != nil {
		r.fail(err)
	}
}

// sizeOf is about how much memory a request takes: its headers lie beside its body.
func sizeOf(m micro.Request) int {
	size := requestOverhead + len(m.Data())
	for name, values := range m.Headers() {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	return size
}

// requestOverhead is what a request takes beside what was sent.
const requestOverhead = 1 << 10

// readDate reads until when somebody waits for the answer, and refuses a request for whose
// answer nobody does.
func (r *request) readDate(value string) (err error) {
	if r.by, err = schema.ParseAnswerBy(value); err != nil {
		return err
	}
	if err = schema.TooLate(r.by, r.began); err != nil {
		r.endpoint.meter.TooLate()
	}
	return err
}

// dated is a command with until when somebody waits for its answer, if that is known.
func dated(c schema.Command, by time.Time) schema.Command {
	if by.IsZero() {
		return c
	}
	return schema.Dated{Command: c, By: by}
}

// byKey is until when somebody waits for what a talk finds out.
type byKey struct{}

// datedBy is dated for who talks under ctx.
func datedBy(ctx context.Context, c schema.Command) schema.Command {
	by, _ := ctx.Value(byKey{}).(time.Time)
	return dated(c, by)
}

// encodingOf tells what a request speaks. An empty body speaks as its header says.
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

// isTyped reports that body, which is not blank, begins as a text does that somebody has
// typed: no map in MessagePack does.
func isTyped(body []byte) bool {
	first := bytes.TrimSpace(body)[0]
	return first > ' ' && first <= '~'
}

// traceOf is the traceparent of a request, which executions carry on. One that W3C
// Trace Context cannot have made is left out: it would be kept with the plan.
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

// emptyMap is what an empty body stands for.
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
		return schema.WireErrors(r.endpoint.invalid, err)
	}
	r.body = v
	return nil
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

// among refuses a field that is none of the words that it takes.
func among[T ~string](r *request, known []T, field string, given T) error {
	if slices.Contains(known, given) {
		return nil
	}
	return r.invalid(field, "%s %q is none of %v", field, clip(string(given), maxField), known)
}

// ask has the leader of a partition answer r.
func (r *request) ask(partition int, c schema.Command) {
	r.front.config.Leader.Ask(partition, dated(c, r.by), func(answer any, err error) {
		defer r.rescue()
		if err != nil {
			r.fail(err)
			return
		}
		r.answer(answer)
	})
}

// ask asks the leader of a partition and waits for its answer, which is a T.
func ask[T any](ctx context.Context, f *Front, partition int, c schema.Command) (T, error) {
	type word struct {
		answer any
		err    error
	}
	said := make(chan word, 1)
	f.config.Leader.Ask(partition, datedBy(ctx, c), func(answer any, err error) { said <- word{answer, err} })
	var none T
	select {
	case w := <-said:
		if w.err != nil {
			return none, w.err
		}
		answer, ok := w.answer.(T)
		if !ok {
			return none, fmt.Errorf("the leader answered %T with %T", c, w.answer)
		}
		return answer, nil
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// askMany is ask for n commands, one behind the other, before the first answer is awaited:
// so they share appends. The error is that of the first which was refused.
func askMany[T any](ctx context.Context, f *Front, n int, command func(i int) (partition int, c schema.Command)) ([]T, error) {
	type word struct {
		at     int
		answer any
		err    error
	}
	said := make(chan word, n)
	for i := range n {
		partition, c := command(i)
		f.config.Leader.Ask(partition, datedBy(ctx, c), func(answer any, err error) { said <- word{i, answer, err} })
	}
	words := make([]word, n)
	for range n {
		select {
		case w := <-said:
			words[w.at] = w
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	answers := make([]T, n)
	for i, w := range words {
		if w.err != nil {
			return nil, w.err
		}
		answer, ok := w.answer.(T)
		if !ok {
			return nil, fmt.Errorf("the leader answered a command with %T", w.answer)
		}
		answers[i] = answer
	}
	return answers, nil
}

// talk answers r with what say returns, from a goroutine in which say may wait.
// Only so many talks of a kind have their turn at a time.
func (r *request) talk(say func(ctx context.Context) (any, error)) error {
	f, s := r.front, r.endpoint.side
	select {
	case s.waiting <- struct{}{}:
	default:
		return errBusy
	}
	f.talks.Go(func() {
		defer func() { <-s.waiting }()
		defer r.rescue()
		ctx := f.talking
		if !r.by.IsZero() {
			ctx = context.WithValue(ctx, byKey{}, r.by)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, talkTimeout, errSlow)
		defer cancel()
		select {
		case s.turns <- struct{}{}:
			defer func() { <-s.turns }()
		case <-ctx.Done():
			r.fail(context.Cause(ctx))
			return
		}
		answer, err := say(ctx)
		if err != nil {
			r.fail(err)
			return
		}
		r.answer(answer)
	})
	return nil
}

// encoded is an answer in the encoding of its request already.
type encoded []byte

// headroom is what an answer leaves of the largest message for its headers.
const headroom = 4 << 10

// answer answers r with a value, or with what is encoded.
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
	// It fails only when the connection is closed, and then there is nobody to tell.
	_ = m.Error(refusal.status, refusal.description, refusal.body, micro.WithHeaders(micro.Headers(schema.ContentHeader(r.enc))))
}

// countRefused counts r, for `nats micro stats` and for Prometheus.
func (r *request) countRefused(code schema.Code) {
	r.endpoint.refused.n.Add(1)
	r.endpoint.meter.Refused(code, time.Since(r.began))
}

// first reports, to one caller only, that r is not answered yet.
func (r *request) first() bool { return !r.answered.Swap(true) }

// send publishes the answer. It counts r out last, so that whoever waits for that
// may close the connection.
func (r *request) send(header nats.Header, body []byte) { r.sendFrom("", header, body) }

// sendFrom is send for who wants to hear that nobody got the answer, on a subject of its
// own.
func (r *request) sendFrom(from string, header nats.Header, body []byte) {
	if r.reply != "" {
		// It fails only when the connection is closed, and then there is nobody to tell.
		_ = r.front.nc.PublishMsg(&nats.Msg{Subject: r.reply, Reply: from, Header: header, Data: body})
	}
	r.endpoint.side.gate.leave(r.size)
}

// rescue keeps what nobody waits for from taking down the node.
func (f *Front) rescue() {
	if p := recover(); p != nil {
		f.incidents.Report(metrics.AtRequest, p)
	}
}

// rescue keeps a request that trips over a mistake of ours from taking down the
// node, and then, sent again, the next one.
func (r *request) rescue() {
	if p := recover(); p != nil {
		r.fail(incident.Refusal(r.front.incidents.Report(metrics.AtRequest, p, "subject", r.endpoint.subject)))
	}
}
