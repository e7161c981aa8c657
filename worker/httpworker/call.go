package httpworker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// tokenSlack is how much longer a token counts than its callback is awaited: the
// scheduler decides what is too late, by its own clock.
const tokenSlack = time.Minute

var errTimeout = errors.New("the call's timeout passed")

// A callback is where an ASYNC call is answered later; of a SYNC one it is empty.
type callback struct{ url, token string }

// handle is the [worker.Handler] of station http.
func (w *Worker) handle(ctx context.Context, x *worker.Execution) (any, error) {
	call, err := callOf(x)
	if err != nil {
		return nil, complaint(w.told(ctx, x, ForPlan, failed(schema.HTTPRefused, err)))
	}
	if call.TimeoutSeconds == nil && !x.Deadline.IsZero() {
		// Who gives a timeout wants that long; else the plan's deadline counts.
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, x.Deadline, worker.ErrDeadline)
		defer cancel()
	}
	o := w.told(ctx, x, ForPlan, w.perform(ctx, x, call))
	switch {
	case o.Class != schema.HTTPOK:
		return nil, complaint(o)
	case call.ExecType == schema.ExecAsync:
		return nil, worker.HandOver(call.CallbackTimeout())
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

// told tells who counts, and the log at level debug, of a call that has ended.
func (w *Worker) told(ctx context.Context, x *worker.Execution, kind Kind, o schema.HTTPOutcome) schema.HTTPOutcome {
	took := time.Duration(o.DurationMS * float64(time.Millisecond))
	w.called(kind, o.Class, took)
	if w.log.Enabled(ctx, slog.LevelDebug) {
		w.log.Debug("http call", "station", x.Station, "plan_id", x.PlanID, "n", x.N, "class", o.Class, "status", o.Status,
			"duration", took, "trace_id", schema.TraceID(x.Header.Get(schema.HeaderTraceparent)))
	}
	return o
}

// perform makes the call when it may, and measures it.
func (w *Worker) perform(ctx context.Context, x *worker.Execution, call *schema.HTTPCall) schema.HTTPOutcome {
	req, err := w.request(ctx, x, call)
	if err != nil {
		return failed(schema.HTTPRefused, err)
	}
	return w.send(ctx, req, call, func(next *http.Request, via []*http.Request) error { return w.redirect(next, via, call) })
}

// deliver makes a call of which any 2xx says that what it brought has arrived. It follows
// no redirect: most of them leave the body behind, and their answer would say nothing. What
// becomes of the answer's body does not matter: its status has said all.
func (w *Worker) deliver(ctx context.Context, req *http.Request) schema.HTTPOutcome {
	call := new(schema.HTTPCall)
	o := w.send(ctx, req, call, func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	switch {
	case o.Status == 0:
	case call.Succeeds(int(o.Status)):
		o.Class = schema.HTTPOK
	default:
		o.Class = schema.HTTPStatus
	}
	return o
}

// send makes a call when it may, and measures it; redirect decides about each hop.
func (w *Worker) send(ctx context.Context, req *http.Request, call *schema.HTTPCall, redirect hop) schema.HTTPOutcome {
	leave, err := w.gate.enter(ctx, req.URL.Host)
	if err != nil {
		return failed(classOf(ctx, err), fmt.Errorf("waited for other calls to %s: %w", req.URL.Host, err))
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, call.Timeout(), errTimeout)
	defer cancel()
	began := time.Now()
	o := w.do(req.WithContext(ctx), call, redirect)
	o.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	return o
}

// request makes what is sent, with the words filled in. Its errors are the plan's or
// the configuration's.
func (w *Worker) request(ctx context.Context, x *worker.Execution, call *schema.HTTPCall) (*http.Request, error) {
	callback, err := w.callback(x, call)
	if err != nil {
		return nil, err
	}
	words := wordsOf(x, call, callback)
	target, err := words.expand(call.TargetURL, inURL())
	if err != nil {
		return nil, fmt.Errorf("target_url %w", err)
	}
	escape, contentType := bodyType(call.BodyTemplate, header(call, "Content-Type"))
	body, err := words.expand(call.BodyTemplate, escape)
	if err != nil {
		return nil, fmt.Errorf("body_template %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, string(call.HTTPMethod), target, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("target_url: %w", err)
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
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	own(req.Header, x, callback)
	return req, nil
}

// own sets the headers that are ours, over those of the same name in the plan.
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
func (w *Worker) do(req *http.Request, call *schema.HTTPCall, redirect hop) schema.HTTPOutcome {
	if err := w.guard.checkHost(req.URL.Hostname()); err != nil {
		return failed(schema.HTTPRefused, err)
	}
	client := *w.client
	client.CheckRedirect = redirect
	resp, err := client.Do(req)
	if err != nil {
		o := failed(classOf(req.Context(), err), withoutURL(req.Context(), err))
		if resp != nil { // the redirect that was not followed; its body is closed
			o.Status = int64(resp.StatusCode)
			o.Headers = someHeaders(resp.Header)
		}
		return o
	}
	defer resp.Body.Close()
	var body []byte
	if resp.StatusCode != http.StatusSwitchingProtocols { // then it is a connection, and no context ends it
		body, err = io.ReadAll(io.LimitReader(resp.Body, schema.MaxHTTPBody+1))
	}
	o := answered(resp, body)
	switch {
	case err != nil:
		o.Class = classOf(req.Context(), err)
		o.Message = fmt.Sprintf("the answer, %s, broke off: %v", resp.Status, withoutURL(req.Context(), err))
	case call.Succeeds(resp.StatusCode):
		o.Class = schema.HTTPOK
	default:
		o.Class = schema.HTTPStatus
		o.Message = "the target answered " + statusText(resp)
	}
	return o
}

func failed(class schema.HTTPClass, err error) schema.HTTPOutcome {
	return schema.HTTPOutcome{Class: class, Message: plainText(err.Error())}
}

// classOf sorts what went wrong between us and an answer.
func classOf(ctx context.Context, err error) schema.HTTPClass {
	if _, ok := errors.AsType[*refusal](err); ok {
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

// withoutURL leaves out what net/http puts in front: the method and the address, which
// the plan tells, and says why a context ended.
func withoutURL(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return refused
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
