package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Causes with which the context of a handler ends; see [context.Cause].
var (
	// ErrCancelled: the scheduler said that this execution should stop. Whatever
	// the handler returns then changes nothing.
	ErrCancelled = errors.New("execution cancelled by the scheduler")
	// ErrStopping: the worker stops and has waited as long as it may.
	ErrStopping = errors.New("worker is stopping")
	// ErrDeadline: the deadline passed, and the worker was told not to extend it
	// by itself ([Options.WaitingEvery]).
	ErrDeadline = errors.New("execution passed its deadline")
)

// ErrTooLarge is what an error of a handler wraps whose work brought more than a result
// can hold: doing it again would bring no less, so a task is not. A content that is too
// large becomes such an error by itself.
var ErrTooLarge = errors.New("too large")

// maxErrorText bounds the text of an error: it is for people to read.
const maxErrorText = 16 << 10

// RetryAfter makes a handler's error say when the occurrence is to be tried
// again, instead of leaving that to the plan's retry policy.
func RetryAfter(d time.Duration, err error) error {
	return &retryAfter{delay: max(d, 0), err: err}
}

// Fail makes a handler's error final: there is no retry, and the plan stops
// (`plan_error`) until a person resets or removes it.
func Fail(err error) error { return &failure{err: err} }

// GiveUp makes a handler's error final for its occurrence, whatever the plan's retry
// policy says: that is settled as a `failure`, and the plan goes on.
func GiveUp(err error) error { return &gaveUp{err: err} }

// Unsure makes a handler's error say that the work may have been done all the same, as when
// a connection breaks before the answer: the items of a queue then come again as they were,
// under the same [Execution.Key], also when more were pushed meanwhile.
func Unsure(err error) error { return &unsure{err: err} }

type unsure struct{ err error }

func (e *unsure) Error() string { return errorText(e.err) }
func (e *unsure) Unwrap() error { return e.err }

// Quietly is a content of whose success nobody is to be called back, whatever callback the
// station has.
func Quietly(content any) any { return quietly{content} }

type quietly struct{ content any }

type gaveUp struct{ err error }

func (e *gaveUp) Error() string { return errorText(e.err) }
func (e *gaveUp) Unwrap() error { return e.err }

type retryAfter struct {
	delay time.Duration
	err   error
}

func (e *retryAfter) Error() string { return errorText(e.err) }
func (e *retryAfter) Unwrap() error { return e.err }

type failure struct{ err error }

func (e *failure) Error() string { return errorText(e.err) }
func (e *failure) Unwrap() error { return e.err }

// ErrorValue makes value the `error` of the result, in place of the text of err: for
// errors that programs read. It is encoded as a content is.
func ErrorValue(value any, err error) error { return &errorValue{value: value, err: err} }

type errorValue struct {
	value any
	err   error
}

func (e *errorValue) Error() string { return errorText(e.err) }
func (e *errorValue) Unwrap() error { return e.err }

// HandOver is what a handler returns that leaves its execution open: the scheduler is
// told to wait for d, and whoever knows the [Execution.ReplySubject] ends it. This
// worker forgets it, and may be restarted; when d has passed the execution ends as a
// `timeout`.
func HandOver(d time.Duration) error { return handOver(max(d, 0)) }

type handOver time.Duration

func (handOver) Error() string { return "the execution was handed over" }

// canRetry reports whether an error of a handler leaves it open what to do about it.
func canRetry(err error) bool {
	if err == nil {
		return false
	}
	_, final := errors.AsType[*failure](err)
	_, settled := errors.AsType[*gaveUp](err)
	_, later := errors.AsType[*retryAfter](err)
	_, open := errors.AsType[handOver](err)
	return !final && !settled && !later && !open
}

func errorText(err error) string {
	if err == nil {
		return "no reason given"
	}
	return err.Error()
}

// outcome turns what a handler returned into the final reply, in the encoding
// of the execution. limit is how many bytes content and error may have.
func outcome(enc wire.Encoding, content any, err error, limit int) schema.Reply {
	reply := schema.Reply{State: schema.StateOK}
	if d, open := errors.AsType[handOver](err); open {
		extend := schema.Seconds(time.Duration(d).Seconds())
		return schema.Reply{State: schema.StateWaiting, Extend: &extend}
	}
	if err != nil {
		reply = refusal(enc, err)
	}
	if q, ok := content.(quietly); ok {
		if content = q.content; err == nil {
			reply.Callback = new(false)
		}
	}
	value, verr := resultContent(enc, content)
	switch size := len(value.Raw()) + len(reply.Error.Raw()); {
	case err != nil && (verr != nil || size > limit) && len(reply.Error.Raw()) <= limit:
		return reply // what went wrong says more than what cannot be said
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
	if told, ok := errors.AsType[*errorValue](err); ok {
		if v, err := contentValue(enc, told.value); err == nil {
			reply.Error = v
		}
	}
	if _, final := errors.AsType[*failure](err); final {
		reply.State = schema.StateFailure
		return reply
	}
	if _, settled := errors.AsType[*gaveUp](err); settled {
		reply.Retry = new(false)
		return reply
	}
	_, reply.Unsure = errors.AsType[*unsure](err)
	reply.Overflow = errors.Is(err, ErrTooLarge)
	if later, ok := errors.AsType[*retryAfter](err); ok {
		delay := schema.Seconds(later.delay.Seconds())
		reply.Delay = &delay
	}
	return reply
}

// resultContent encodes a content, but for an error: most of them have no fields to encode, so
// that a handler which mixes up its two results would be ok with an empty map.
func resultContent(enc wire.Encoding, content any) (wire.Value, error) {
	if mistaken, is := content.(error); is {
		return wire.Value{}, fmt.Errorf("it is an error, which a handler returns as its second result: %v", mistaken) //nolint:errorlint // nobody may unwrap what may be a nil pointer
	}
	return contentValue(enc, content)
}

// contentValue encodes what a handler returned; nothing becomes no content.
func contentValue(enc wire.Encoding, content any) (wire.Value, error) {
	switch c := content.(type) {
	case nil:
		return wire.Value{}, nil
	case wire.Value:
		return c.In(enc), nil
	case json.RawMessage:
		// A []byte by its kind, but whoever returns one means what it says.
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
