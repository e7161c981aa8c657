package httpworker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// tokenSlack is the time that a token is valid beyond the callback's timeout, because the
// scheduler decides about late callbacks, by its own clock.
const tokenSlack = time.Minute

var errTimeout = errors.New("the call's timeout passed")

// A callback is the address of the later response to an ASYNC call; a SYNC call has none.
type callback struct{ url, token string }

// handle is the [worker.Handler] of station http.
func (w *Worker) handle(ctx context.Context, x *worker.Execution) (any, error) {
	call, err := callOf(x)
	if err != nil {
		return nil, complaint(w.record(ctx, x, ForPlan, failed(schema.HTTPRefused, err)))
	}
	o, unsure := w.perform(ctx, x, call)
	w.record(ctx, x, ForPlan, o)
	switch {
	case unsure:
		return nil, worker.OutcomeUnknown(complaint(o)) // because the plan's on_unknown decides
	case o.Class != schema.HTTPOK:
		return nil, complaint(o)
	case call.ExecType == schema.ExecAsync:
		return nil, worker.CompleteLater(call.CallbackTimeout())
	default:
		return o, nil
	}
}

func callOf(x *worker.Execution) (*schema.HTTPCall, error) {
	if len(x.Messages) != 1 {
		return nil, fmt.Errorf("the plan has %d messages; one, a map, describes the call", len(x.Messages))
	}
	return schema.ParseHTTPCall(x.Messages[0])
}

func complaint(o schema.HTTPOutcome) error {
	return worker.ErrorValue(o, errors.New(o.Message))
}

// record counts a call that has ended, and logs it at level debug.
func (w *Worker) record(ctx context.Context, x *worker.Execution, kind Kind, o schema.HTTPOutcome) schema.HTTPOutcome {
	took := time.Duration(o.DurationMS * float64(time.Millisecond))
	w.called(kind, o.Class, took)
	if w.log.Enabled(ctx, slog.LevelDebug) {
		w.log.Debug("http call", "station", x.Station, "plan_id", x.PlanID, "n", x.N, "class", o.Class, "status", o.Status,
			"duration", took, "trace_id", schema.TraceID(x.Headers().Get(schema.HeaderTraceparent)))
	}
	return o
}

// perform makes the call when it may, and measures it. Unsure: the target may have done its work.
func (w *Worker) perform(ctx context.Context, x *worker.Execution, call *schema.HTTPCall) (o schema.HTTPOutcome, unsure bool) {
	e := pendingCall{
		x: x, call: call, kind: ForPlan, share: shareOf(ForPlan, x),
		timeout: min(call.Timeout(), w.longest), late: errTimeout,
	}
	e.redirect = func(next *http.Request, via []*http.Request) error {
		e.departure.reset()
		return w.redirect(next, via, call, &e.secrets)
	}
	if call.TimeoutSeconds == nil && !x.Deadline.IsZero() {
		// Without a timeout of its own, the call has the time until the execution's deadline.
		if left := time.Until(x.Deadline); left < e.timeout {
			e.timeout, e.late = left, worker.ErrDeadline
		}
	}
	o = w.send(ctx, &e, func(ctx context.Context) (*http.Request, error) { return w.request(ctx, x, call, &e.secrets) })
	return o, e.departure.unsure(o)
}

// deliver makes a call of which any 2xx confirms the delivery. It follows no redirect, because
// most redirects drop the body, so that the response would confirm nothing. The response's body
// does not matter, also when it breaks off. Unsure: the target may have done its work.
func (w *Worker) deliver(ctx context.Context, x *worker.Execution, kind Kind, req *http.Request) (o schema.HTTPOutcome, unsure bool) {
	call := &schema.HTTPCall{TargetURL: req.URL.String()}
	e := pendingCall{
		x: x, call: call, kind: kind, share: shareOf(kind, x),
		timeout: min(call.Timeout(), w.longest), late: errTimeout,
		redirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	o = w.send(ctx, &e, func(ctx context.Context) (*http.Request, error) { return req.WithContext(ctx), nil })
	switch {
	case o.Status == 0:
	case call.Succeeds(int(o.Status)):
		o.Class = schema.HTTPOK
	default:
		o.Class = schema.HTTPStatus
	}
	return o, e.departure.unsure(o)
}

// A pendingCall is a call before it is made.
type pendingCall struct {
	x         *worker.Execution
	call      *schema.HTTPCall
	kind      Kind
	share     string
	timeout   time.Duration // from its start; its wait for a place is not part of it
	late      error         // the cause when the timeout has passed
	redirect  hop
	secrets   redactor // for the outcome
	departure departure
}

// shareOf is the key by which places are shared: the tenant, else station and caller, of each
// kind for itself.
func shareOf(kind Kind, x *worker.Execution) string {
	if x.TenantID != "" {
		return string(kind) + "/tenant/" + x.TenantID
	}
	return string(kind) + "/caller/" + x.Station + "/" + x.Caller
}

// costOf is the number of parts of the waiting room that an execution takes.
func costOf(x *worker.Execution) int {
	size := len(x.Ext.Raw())
	for _, v := range x.Messages {
		size += len(v.Raw())
	}
	for _, v := range x.Items {
		size += len(v.Raw())
	}
	return 1 + size/bytesPerRoom
}

// holdAtLeast is the extension of the deadline for a call that waits for its turn; it is sent
// again before it has passed.
const holdAtLeast = time.Minute

// send makes a call when it may, and measures it. The request is built when its turn has come,
// so that the times in it are true.
func (w *Worker) send(ctx context.Context, e *pendingCall, make func(context.Context) (*http.Request, error)) schema.HTTPOutcome {
	host := e.call.Origin().Site()
	hold := max(holdAtLeast, time.Until(e.x.Deadline))
	v := &visit{kind: e.kind, share: e.share, host: host, cost: costOf(e.x), hold: func() func() { return e.x.Hold(hold) }}
	for enter := w.gate.enter; ; enter = w.gate.enterAgain {
		if err := enter(ctx, v); err != nil {
			return failed(classOf(ctx, err), fmt.Errorf("waited for other calls to %s: %w", host, err))
		}
		if o, made := w.sendNow(ctx, e, v, make); made {
			return o
		}
	}
}

// sendNow makes a call that has its place. False: nothing was sent, and the call has to enter
// again.
func (w *Worker) sendNow(ctx context.Context, e *pendingCall, v *visit, make func(context.Context) (*http.Request, error)) (o schema.HTTPOutcome, made bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer w.gate.leave(v)
	e.secrets = redactor{}
	e.departure.reset()
	began := time.Now()
	end := time.AfterFunc(e.timeout, func() { cancel(e.late) })
	defer end.Stop()
	reached := func(c httptrace.GotConnInfo) {
		at, err := addressOf(c.Conn.RemoteAddr())
		if err != nil || w.proxied {
			return // no address, or one that all calls reach
		}
		since := time.Now()
		end.Stop()
		if err := w.gate.reach(ctx, v, at); err != nil {
			e.departure.held.Store(true)
			cancel(err)
			abandon(c.Conn)
			return
		}
		began = began.Add(time.Since(since)) // because its wait is not part of the call
		end.Reset(time.Until(began.Add(e.timeout)))
	}
	req, err := make(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: reached, WroteHeaders: func() { e.departure.wrote.Store(true) },
	}))
	if err != nil {
		return failed(schema.HTTPRefused, err), true
	}
	if o = w.do(req, e); errors.Is(context.Cause(ctx), errAnew) {
		return o, false
	}
	o.Message = e.secrets.redact(o.Message, false)
	o.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	return o, true
}

// abandon closes a connection before the request is sent. An HTTP/2 connection stays open,
// because it has other calls, and sends nothing for a call after its context has ended.
func abandon(c net.Conn) {
	if over, ok := c.(*tls.Conn); ok && over.ConnectionState().NegotiatedProtocol == "h2" {
		return
	}
	_ = c.Close()
}

// request builds the HTTP request, with the template words filled in. Its errors are mistakes of
// the plan or of the configuration.
func (w *Worker) request(ctx context.Context, x *worker.Execution, call *schema.HTTPCall, v *redactor) (*http.Request, error) {
	callback, err := w.callback(x, call)
	if err != nil {
		return nil, err
	}
	words := wordsOf(x, call, callback)
	if err := w.addSecrets(ctx, x, call, words, v); err != nil {
		return nil, err
	}
	target, err := words.expand(call.TargetURL, inURL())
	if err != nil {
		return nil, fmt.Errorf("target_url %w", err)
	}
	if callback.token != "" && strings.Contains(target, callback.token) {
		v.own = append(v.own, callback.token)
	}
	escape, contentType := bodyType(call.BodyTemplate, header(call, "Content-Type"))
	body, err := words.expand(call.BodyTemplate, escape)
	if err != nil {
		return nil, fmt.Errorf("body_template %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, string(call.HTTPMethod), target, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("target_url: %s", v.redact(err.Error(), false))
	}
	if body != "" {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("User-Agent", "stationmaster")
	for name, template := range call.Headers {
		value, err := words.expand(template, inHeader)
		if err != nil {
			return nil, fmt.Errorf("headers.%s %w", name, err)
		}
		if schema.HidesHeader(name, template) {
			_, proof, _ := strings.Cut(value, " ") // behind Bearer
			v.hide(value)
			v.hide(proof)
		}
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	own(req.Header, x, callback)
	return req, nil
}

// own sets the worker's own headers, which replace those of the same name in the plan.
func own(h http.Header, x *worker.Execution, callback callback) {
	h.Set("X-Run-Id", runID(x))
	h.Set("X-Task-Id", x.PlanID)
	h.Set("X-Plan-Time", x.PlanTime.UTC().Format(time.RFC3339Nano))
	h.Set("X-Attempt", strconv.FormatInt(x.Attempt, 10))
	h.Set("Idempotency-Key", x.Key)
	if trace := x.Headers().Get(schema.HeaderTraceparent); trace != "" && h.Get("Traceparent") == "" {
		h.Set("Traceparent", schema.HeaderText(trace))
	}
	if callback.url != "" {
		h.Set("X-Callback-Url", callback.url)
		h.Set("X-Callback-Token", callback.token)
	}
}

func header(call *schema.HTTPCall, name string) string {
	for given, value := range call.Headers {
		if strings.EqualFold(given, name) {
			return value
		}
	}
	return ""
}

func (w *Worker) callback(x *worker.Execution, call *schema.HTTPCall) (callback, error) {
	if call.ExecType != schema.ExecAsync {
		return callback{}, nil
	}
	if w.callbacks == "" {
		return callback{}, errors.New("this worker has no address for callbacks, which ASYNC needs; --http-public-url names it")
	}
	expires := time.Now().Add(call.Timeout() + call.CallbackTimeout() + tokenSlack)
	return callback{
		url:   w.callbacks + "/api/v1/callbacks/" + runID(x),
		token: w.tokens.Make(x.ReplySubject(), expires),
	}, nil
}

// A hop decides about a redirect, as [http.Client.CheckRedirect] does.
type hop = func(next *http.Request, via []*http.Request) error

// do sends the request, follows redirects, and reads the answer.
func (w *Worker) do(req *http.Request, e *pendingCall) schema.HTTPOutcome {
	if err := w.guard.checkHost(req.URL.Hostname()); err != nil {
		return failed(schema.HTTPRefused, err)
	}
	client := *w.client
	client.CheckRedirect = e.redirect
	resp, err := client.Do(req)
	if err != nil {
		o := failed(classOf(req.Context(), err), withoutURL(req.Context(), err))
		if resp != nil { // the redirect that was not followed; its body is closed
			o.Status = int64(resp.StatusCode)
			o.Headers = someHeaders(resp.Header, &e.secrets)
		}
		return o
	}
	defer resp.Body.Close()
	var body []byte
	if resp.StatusCode != http.StatusSwitchingProtocols { // then it is a connection, and no context ends it
		body, err = io.ReadAll(io.LimitReader(resp.Body, schema.MaxHTTPBody+1))
	}
	o := answered(resp, body, err != nil, &e.secrets)
	switch {
	case err != nil:
		o.Class = classOf(req.Context(), err)
		o.Message = fmt.Sprintf("the answer, %s, broke off: %v", statusText(resp), withoutURL(req.Context(), err))
	case e.call.Succeeds(resp.StatusCode):
		o.Class, o.Message = schema.HTTPOK, followed(resp)
	default:
		o.Class = schema.HTTPStatus
		o.Message = "the target answered " + statusText(resp)
		if lost := loss(resp.Request, resp); lost != "" {
			o.Message += ", a redirect that would " + lost
		}
	}
	return o
}

func failed(class schema.HTTPClass, err error) schema.HTTPOutcome {
	return schema.HTTPOutcome{Class: class, Message: plainText(err.Error())}
}

// classOf is the class of an error before the end of a response.
func classOf(ctx context.Context, err error) schema.HTTPClass {
	if _, ok := errors.AsType[*refusal](err); ok || errors.Is(context.Cause(ctx), errNoRoom) || errors.Is(err, errNoRoom) {
		return schema.HTTPRefused
	}
	if errors.Is(err, errRedirects) {
		return schema.HTTPStatus
	}
	if cause := context.Cause(ctx); errors.Is(cause, errTimeout) || errors.Is(cause, worker.ErrDeadline) {
		return schema.HTTPTimeout
	}
	if timed, ok := errors.AsType[net.Error](err); ok && timed.Timeout() {
		return schema.HTTPTimeout
	}
	return schema.HTTPNetwork
}

// withoutURL removes the method and the address that net/http puts in front, because the plan
// has them, and takes the cause of a context that has ended.
func withoutURL(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return refused
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return unreached(err)
}
