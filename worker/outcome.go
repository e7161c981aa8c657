package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Causes with which the context of a handler ends; see [Handler] and [context.Cause].
var (
	// ErrCancelled: the scheduler has ended the execution, by plan.cancel or in its answer
	// to a heartbeat, because it was cancelled, timed out, was replaced by another attempt,
	// or its plan was removed. Nothing that the handler returns then counts, but for an
	// `ok` of an occurrence that is still open.
	ErrCancelled = errors.New("execution cancelled by the scheduler")
	// ErrStopping: the worker stops, and [Options.DrainTimeout] is over.
	ErrStopping = errors.New("worker is stopping")
	// ErrDeadline: the deadline of the execution passed by this machine's clock, at a worker
	// that does not extend it by itself ([Options.WaitingEvery]). The context's Err is
	// ErrDeadline too, and errors.Is(err, [context.DeadlineExceeded]) holds.
	ErrDeadline error = deadlineError{}
)

type deadlineError struct{}

func (deadlineError) Error() string        { return "execution passed its deadline" }
func (deadlineError) Timeout() bool        { return true }
func (deadlineError) Is(target error) bool { return target == context.DeadlineExceeded }

// ErrTooLarge is wrapped by a handler's error when its work brought more than a result can
// hold. A task is not retried after it, because the next run would bring no less. A content
// of more than [schema.MaxReplyBytes] becomes such an error by itself.
var ErrTooLarge = errors.New("too large")

// maxErrorText bounds the text of an error, because it is for people to read.
const maxErrorText = 16 << 10

// RetryAfter wraps an error so that the occurrence is retried after d, in place of the delay
// of the plan's retry policy. Zero, or less, is at once. The number of retries stays the
// policy's. A nil err is an error without a reason.
func RetryAfter(d time.Duration, err error) error {
	return &retryAfter{delay: max(d, 0), err: err}
}

// NonRetryable wraps an error so that the occurrence is not retried, under any retry
// policy: it is settled as a `failure`, and the plan goes on with its next
// occurrence. A nil err is an error without a reason.
func NonRetryable(err error) error { return &nonRetryable{err: err} }

// StopPlan wraps an error so that the whole plan stops: the occurrence is not retried, no
// further one is due, and the plan stays in `plan_error` until a person resets or removes
// it. It is for errors that every occurrence would have; [NonRetryable] ends this one alone.
// A nil err is an error without a reason.
func StopPlan(err error) error { return &stopPlan{err: err} }

// OutcomeUnknown wraps an error after which the work may have been done all the same, such
// as a connection that broke before the answer. A retry is then the same delivery again: the
// items of a queue come as they were, under the same [schema.Execution.Key], also when more
// were pushed meanwhile. A nil err is an error without a reason.
func OutcomeUnknown(err error) error { return &outcomeUnknown{err: err} }

type outcomeUnknown struct{ err error }

func (e *outcomeUnknown) Error() string { return errorText(e.err) }
func (e *outcomeUnknown) Unwrap() error { return e.err }

type nonRetryable struct{ err error }

func (e *nonRetryable) Error() string { return errorText(e.err) }
func (e *nonRetryable) Unwrap() error { return e.err }

type retryAfter struct {
	delay time.Duration
	err   error
}

func (e *retryAfter) Error() string { return errorText(e.err) }
func (e *retryAfter) Unwrap() error { return e.err }

type stopPlan struct{ err error }

func (e *stopPlan) Error() string { return errorText(e.err) }
func (e *stopPlan) Unwrap() error { return e.err }

// ErrorValue wraps an error so that value is the `error` of the result, in place of the text
// of err, for errors that programs read. The encoding is that of a content; a value that has
// none leaves the text.
func ErrorValue(value any, err error) error { return &errorValue{value: value, err: err} }

type errorValue struct {
	value any
	err   error
}

func (e *errorValue) Error() string { return errorText(e.err) }
func (e *errorValue) Unwrap() error { return e.err }

// NoCallback wraps the content of an execution that ends `ok`, so that its success makes no
// callback, also at a station that has one. An error of the handler makes it void.
func NoCallback(content any) any { return noCallback{content} }

type noCallback struct{ content any }

// CompleteLater is returned as the error of a handler that leaves its execution open: the
// final reply comes later, from another program, on the [Execution.ReplySubject]. The
// scheduler waits for it for d, less than zero counting as zero; then the execution ends as a
// `timeout`. This worker forgets the execution, and may be restarted.
func CompleteLater(d time.Duration) error { return completeLater(max(d, 0)) }

type completeLater time.Duration

func (completeLater) Error() string { return "the execution is completed later" }

// canRetry reports whether a handler may run again in this worker after an error of it.
func canRetry(err error) bool {
	if err == nil {
		return false
	}
	_, stops := errors.AsType[*stopPlan](err)
	_, settled := errors.AsType[*nonRetryable](err)
	_, delayed := errors.AsType[*retryAfter](err)
	_, open := errors.AsType[completeLater](err)
	return !stops && !settled && !delayed && !open && !errors.Is(err, ErrStopping)
}

func errorText(err error) string {
	if err == nil {
		return "no reason given"
	}
	return err.Error()
}

// outcome makes the final reply of a handler's value and error, in the encoding of the
// execution. Limit bounds the bytes of content and error together.
func outcome(enc wire.Encoding, content any, err error, limit int) schema.Reply {
	reply := schema.Reply{State: schema.StateOK}
	if d, open := errors.AsType[completeLater](err); open {
		extend := schema.Seconds(time.Duration(d).Seconds())
		return schema.Reply{State: schema.StateWaiting, Extend: &extend}
	}
	if err != nil {
		reply = refusal(enc, err)
	}
	if q, ok := content.(noCallback); ok {
		if content = q.content; err == nil {
			reply.Callback = new(false)
		}
	}
	value, verr := resultContent(enc, content)
	switch size := len(value.Raw()) + len(reply.Error.Raw()); {
	case err != nil && (verr != nil || size > limit) && len(reply.Error.Raw()) <= limit:
		return reply // because the error matters more than a content that cannot be sent
	case verr != nil:
		return refusal(enc, fmt.Errorf("encode the content: %w", verr))
	case size > limit:
		return refusal(enc, fmt.Errorf("the content has %d bytes, at most %d can be sent: store it elsewhere and return where: %w", size, limit, ErrTooLarge))
	}
	reply.Content = value
	return reply
}

// refusal is the reply for an error that a handler returned.
func refusal(enc wire.Encoding, err error) schema.Reply {
	reply := schema.Reply{State: schema.StateError, Error: textValue(enc, err.Error())}
	if with, ok := errors.AsType[*errorValue](err); ok {
		if v, err := contentValue(enc, with.value); err == nil {
			reply.Error = v
		}
	}
	if _, final := errors.AsType[*stopPlan](err); final {
		reply.State = schema.StateFailure
		return reply
	}
	if _, settled := errors.AsType[*nonRetryable](err); settled {
		reply.Retry = new(false)
		return reply
	}
	_, reply.Unsure = errors.AsType[*outcomeUnknown](err)
	reply.Overflow = errors.Is(err, ErrTooLarge)
	if later, ok := errors.AsType[*retryAfter](err); ok {
		reply.Delay = schema.Within(later.delay)
	}
	return reply
}

// resultContent encodes a content, and refuses an error, because most errors have no fields to
// encode, and a handler that mixes up its two results would be ok with an empty map.
func resultContent(enc wire.Encoding, content any) (wire.Value, error) {
	if mistaken, is := content.(error); is {
		return wire.Value{}, fmt.Errorf("it is an error, which a handler returns as its second result: %v", mistaken) //nolint:errorlint // no caller may unwrap it, because it may be a nil pointer
	}
	return contentValue(enc, content)
}

// contentValue encodes the value of a handler; nil becomes no content.
func contentValue(enc wire.Encoding, content any) (wire.Value, error) {
	switch c := content.(type) {
	case nil:
		return wire.Value{}, nil
	case wire.Value:
		return c.In(enc), nil
	case json.RawMessage:
		// A []byte by its kind, but its text is meant.
		v, err := wire.ScanAs(wire.JSON, c, executionLimits)
		if err != nil {
			return wire.Value{}, err
		}
		return v.In(enc), nil
	default:
		v, err := wire.ValueOf(enc, content)
		if err == nil {
			err = checkTexts(content, v)
		}
		return v, err
	}
}

// textValue is a text as people may read it: valid, and bounded.
func textValue(enc wire.Encoding, text string) wire.Value {
	if len(text) > maxErrorText {
		text = text[:maxErrorText] + "…"
	}
	return wire.Text(enc, strings.ToValidUTF8(text, "\uFFFD"))
}
