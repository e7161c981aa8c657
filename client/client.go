// Package client makes requests of a Stationmaster installation over NATS: publishers create,
// read and close plans, and observers follow their results.
//
//	c, err := client.New(nc, client.Options{})
//	…
//	defer c.Close()
//	results, err := c.Results().Follow("office") // before the plan, so that none is missed
//	…
//	_, err = c.Plans().Create(ctx, schema.Plan{
//		Station: "office", PlanID: "hello", Command: "greet", Schedule: schema.Every(5 * time.Second),
//	})
//	…
//	_, err = c.Plan("office", "hello").Pause(ctx)
//
// A handle stands for one plan, queue or task ([Client.Plan], [Client.Queue], [Client.Task]),
// or for all of a kind ([Client.Plans], [Client.Stations], [Client.Workers] …). It is a small
// value without state, which makes no request by itself.
//
// [Publish] creates a plan with arguments that the compiler checks, of a [schema.Job] that
// publisher and worker share.
//
// The client starts no goroutine of its own, and keeps nothing but its open feeds; many
// goroutines may use it at once. It knows the scheduler only by the words of package schema.
//
// An error that the scheduler answered has a stable code, for which there is a sentinel:
//
//	if errors.Is(err, client.ErrNotFound) { … }
//
// It is a [*schema.Error] with the field at fault, which errors.As finds; several of them are
// [schema.Errors]. After [ErrUnavailable] it is not known whether the request was carried out,
// see [Options.Repeats].
package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Options of a client. The zero value is usable.
type Options struct {
	// Prefix is the installation's, in front of every subject.
	Prefix string

	// Encoding is the encoding of requests, and so that of a created plan for all its
	// life. The zero value is JSON.
	Encoding wire.Encoding

	// Timeout bounds one request when its context has no sooner deadline. Zero means 5 s,
	// because the scheduler itself waits up to 3 s for a leader.
	Timeout time.Duration

	// Repeats is how often a request is repeated after [ErrUnavailable], when that does no
	// harm: requests that only read, and [Plans.Create] as it documents. The pause before is
	// 250 ms, then twice as long each time, at most 4 s, or as long as the scheduler asks
	// for, whichever is longer. Zero means never.
	Repeats int

	// Patient repeats a request that was refused, and not carried out, because its tenant
	// makes too many a second. It waits for as long as the scheduler asks for, at most a
	// minute, and until the context ends.
	Patient bool
}

const (
	defaultTimeout = 5 * time.Second
	firstPause     = 250 * time.Millisecond
	longestPause   = 4 * time.Second
	// mostPatience is how far away the time may be at which a patient client asks again.
	mostPatience = time.Minute
)

// A Client makes requests over one NATS connection, which stays the caller's.
type Client struct {
	nc    *nats.Conn
	opts  Options
	space schema.Space
	feeds *feeds
}

// New makes a client that uses nc. It fails when an option is wrong.
func New(nc *nats.Conn, opts Options) (*Client, error) {
	if opts.Prefix != "" {
		if err := schema.CheckID(opts.Prefix); err != nil {
			return nil, fmt.Errorf("prefix %q: %w", opts.Prefix, err)
		}
	}
	if opts.Timeout < 0 || opts.Repeats < 0 {
		return nil, errors.New("timeout and repeats must not be negative")
	}
	if opts.Timeout == 0 {
		opts.Timeout = defaultTimeout
	}
	return &Client{nc: nc, opts: opts, space: schema.Space{Prefix: opts.Prefix},
		feeds: &feeds{subs: map[*nats.Subscription]bool{}}}, nil
}

// Close ends the feeds of the client; the connection stays open, because it is the caller's.
// Requests and feeds that begin later fail with [ErrClosed]. Close may be called more than
// once.
func (c *Client) Close() { c.feeds.close() }

type traceKey struct{}

// WithTrace makes requests under the context carry a traceparent (W3C Trace Context).
// Executions of a plan that is created so carry it on.
func WithTrace(ctx context.Context, traceparent string) context.Context {
	return context.WithValue(ctx, traceKey{}, traceparent)
}

// Do makes one request of a service, such as "plans", "pause", and decodes the
// answer into answer, unless that is nil. The request is any value that package
// schema/wire encodes as a map; nil is an empty one. It serves verbs without a method here,
// and is never repeated.
func (c *Client) Do(ctx context.Context, group, endpoint string, request, answer any) error {
	subject := c.space.Service(group, endpoint)
	request, err := attributed(ctx, c.opts.Encoding, group, endpoint, request)
	if err != nil {
		return fmt.Errorf("%s: encode the request: %w", subject, err)
	}
	for {
		err := c.do(ctx, subject, request, answer)
		if err == nil {
			return nil
		}
		wait := tooFast(err)
		if wait == 0 || wait > mostPatience || !c.opts.Patient {
			return fmt.Errorf("%s: %w", subject, err)
		}
		if ended := pause(ctx, wait); ended != nil {
			return fmt.Errorf("%s: %w", subject, errors.Join(err, ended))
		}
	}
}

// tooFast is the delay after which a request may be repeated that came too soon after
// others of its tenant; 0: err has another cause.
func tooFast(err error) time.Duration {
	var refused *schema.Error
	if !errors.As(err, &refused) || refused.Code != schema.CodeQuotaExceeded || refused.RetryAfterMS <= 0 {
		return 0
	}
	return time.Duration(min(refused.RetryAfterMS, 2*mostPatience.Milliseconds())) * time.Millisecond
}

// comeAgain is the pause that the scheduler asks for before a repeated request, at most
// mostPatience; 0: it asks for none.
func comeAgain(err error) time.Duration {
	refused, isRefused := errors.AsType[*schema.Error](err)
	if !isRefused {
		return 0
	}
	return time.Duration(min(refused.RetryAfterMS, mostPatience.Milliseconds())) * time.Millisecond
}

// pause waits, unless the context ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read is Do for requests that change nothing.
func (c *Client) read(ctx context.Context, group, endpoint string, request, answer any) error {
	return c.repeat(ctx, func(int) error { return c.Do(ctx, group, endpoint, request, answer) })
}

// repeat calls f, with the number of the try from 0, until it is not unavailable.
func (c *Client) repeat(ctx context.Context, f func(try int) error) error {
	delay := firstPause
	for try := 0; ; try++ {
		err := f(try)
		if try >= c.opts.Repeats || !errors.Is(err, ErrUnavailable) {
			return err
		}
		if ended := pause(ctx, max(delay, comeAgain(err))); ended != nil {
			return errors.Join(err, ended)
		}
		delay = min(2*delay, longestPause)
	}
}

func (c *Client) do(ctx context.Context, subject string, request, answer any) error {
	if c.feeds.isClosed() {
		return ErrClosed
	}
	msg := &nats.Msg{Subject: subject, Header: maps.Clone(schema.ContentHeader(c.opts.Encoding))}
	if trace, _ := ctx.Value(traceKey{}).(string); trace != "" {
		msg.Header[schema.HeaderTraceparent] = []string{trace}
	}
	if request != nil {
		body, err := wire.Marshal(c.opts.Encoding, request)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		if err := c.checkTexts(subject, request, body); err != nil {
			return err
		}
		msg.Data = body
	}
	asked, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	if by, ok := asked.Deadline(); ok {
		msg.Header[schema.HeaderAnswerBy] = []string{schema.FormatAnswerBy(by)}
	}
	reply, err := c.nc.RequestMsgWithContext(asked, msg)
	if err != nil {
		return unanswered(ctx, asked, c, err)
	}
	return decodeAnswer(reply, answer)
}

// unanswered is the error of a request without an answer. The end of the caller's own context
// goes before other causes.
func unanswered(ctx, asked context.Context, c *Client, err error) error {
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf(
			"the request is larger than the %d bytes that the NATS server takes in one message", c.nc.MaxPayload())}
	case errors.Is(err, nats.ErrNoResponders):
		return unavailable(err, "no response: is stationmaster running on this NATS server, and is the prefix right?")
	case ctx.Err() != nil:
		return fmt.Errorf("no answer: %w", context.Cause(ctx))
	case asked.Err() != nil:
		return unavailable(err, "no answer within "+c.opts.Timeout.String()+"; the request may have been done")
	default:
		return unavailable(err, "the request was not sent: is the NATS server reachable?")
	}
}

func unavailable(cause error, message string) error {
	return fmt.Errorf("%w (%w)", &schema.Error{Code: schema.CodeUnavailable, Message: message}, cause)
}

// decodeAnswer reads an answer, or the error that it is.
func decodeAnswer(reply *nats.Msg, answer any) error {
	failed := reply.Header.Get(schema.HeaderServiceErrorCode) != ""
	body, err := wire.Scan(reply.Data, answerLimits)
	switch {
	case failed:
		return refused(reply.Header, body)
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case answer == nil:
		return nil
	}
	if err := wire.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// answerLimits are those of a page of 1,000 plans, each as large as it may be in
// number of items; its bytes are bounded by the NATS server.
var answerLimits = wire.Limits{Depth: 40, Items: 4 << 20}

// refused is the error of a response: from its body, else from its headers, because a
// service of another kind may send nothing else. A body with several faults makes
// [schema.Errors].
func refused(header nats.Header, body wire.Value) error {
	var all schema.Errors
	if err := wire.Unmarshal(body.Field("errors"), &all); err == nil {
		all = slices.DeleteFunc(all, func(e *schema.Error) bool { return e == nil }) // nulls
		if len(all) > 1 {
			return all
		}
	}
	var e schema.Error
	if err := wire.Unmarshal(body.Field("error"), &e); err == nil && e.Code != "" {
		return &e
	}
	e = schema.Error{Code: schema.CodeInternal, Message: header.Get(schema.HeaderServiceError)}
	if number, err := strconv.Atoi(header.Get(schema.HeaderServiceErrorCode)); err == nil {
		e.Code = codeOf(number)
	}
	return &e
}

// codeOf is the plainest code of an HTTP status.
func codeOf(status int) schema.Code {
	for _, code := range []schema.Code{
		schema.CodeInvalidRequest, schema.CodeNotFound, schema.CodeConflict,
		schema.CodeTooLarge, schema.CodeQuotaExceeded, schema.CodeUnavailable,
	} {
		if code.HTTPStatus() == status {
			return code
		}
	}
	return schema.CodeInternal
}
