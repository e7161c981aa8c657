package schema

import (
	"errors"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Code is the stable snake_case word of an error. It is an error itself, so that errors.Is
// finds it in each [Error] that has it.
type Code string

const (
	CodeInvalidPlan    Code = "invalid_plan"    // 400: a field of a plan is wrong
	CodeInvalidRequest Code = "invalid_request" // 400: a field of any other request is wrong
	CodeNotFound       Code = "not_found"       // 404: no such plan, station, task, …
	CodeAlreadyExists  Code = "already_exists"  // 409: the id is taken
	CodeConflict       Code = "conflict"        // 409: another change came first, or the state forbids it
	CodeTooLarge       Code = "too_large"       // 413: a field or the whole exceeds its limit
	CodeUnavailable    Code = "unavailable"     // 503: unknown whether it was done; try again
	CodeInternal       Code = "internal"        // 500: the scheduler failed at it; its log has the cause
	CodeQuotaExceeded  Code = "quota_exceeded"  // 429: the tenant's quota is used up; nothing was done
)

// Error returns the word.
func (c Code) Error() string { return string(c) }

// HTTPStatus is the number that travels in Nats-Service-Error-Code and in HTTP.
func (c Code) HTTPStatus() int {
	switch c {
	case CodeInvalidPlan, CodeInvalidRequest:
		return 400
	case CodeNotFound:
		return 404
	case CodeAlreadyExists, CodeConflict:
		return 409
	case CodeTooLarge:
		return 413
	case CodeQuotaExceeded:
		return 429
	case CodeUnavailable:
		return 503
	default:
		return 500
	}
}

// An Error is a service's response instead of a result. Message names the fault and the
// remedy; Field is the wire name of the field at fault, nested ones with dots.
type Error struct {
	Code    Code   `json:"code"`            // never empty
	Message string `json:"message"`         // for people
	Field   string `json:"field,omitempty"` // empty: no field is at fault
	// RetryAfterMS is when to come again, in milliseconds, where that is known.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
	// PlanID is the id that was made for a plan that is refused, or whose fate is unknown:
	// a request repeated with this id takes effect once.
	PlanID string `json:"plan_id,omitempty"`
	// TenantID is the tenant whose quota is used up, if it has a tenant_id.
	TenantID string `json:"tenant_id,omitempty"`
}

// Error returns the code, the field, if any, and the message, with colons between.
func (e *Error) Error() string {
	if e.Field != "" {
		return string(e.Code) + ": " + e.Field + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message
}

// soon is the delay before a retry that may succeed, when nothing more is known.
const soon = time.Second

// Again is the delay before a retry after e, which every error of code unavailable has; 0:
// a retry makes no sense.
func (e *Error) Again() time.Duration {
	if e.Code == CodeUnavailable && e.RetryAfterMS == 0 {
		return soon
	}
	return time.Duration(e.RetryAfterMS) * time.Millisecond
}

// Is makes errors.Is(err, c), of a [Code], compare codes alone. An invalid_plan is an
// invalid_request, too.
func (e *Error) Is(target error) bool {
	c, is := target.(Code)
	return is && (c == e.Code || c == CodeInvalidRequest && e.Code == CodeInvalidPlan)
}

// Errors are all faults of a request. The first is the service's response, which errors.As with
// an *[Error] finds. Errors is never empty.
type Errors []*Error

// Error returns the texts of all, with semicolons between.
func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, one := range e {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lists the errors for errors.Is and errors.As.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, one := range e {
		errs[i] = one
	}
	return errs
}

// WireErrors turns package wire's error about a body into [Errors] of the given code: a
// scan's error as one without a field (too_large when the body is), a decode's field by
// field.
func WireErrors(code Code, err error) Errors {
	var fields wire.FieldErrors
	if errors.As(err, &fields) {
		errs := make(Errors, len(fields))
		for i, f := range fields {
			errs[i] = &Error{Code: code, Field: f.Field, Message: fieldMessage(f)}
		}
		return errs
	}
	if errors.Is(err, wire.ErrTooLarge) {
		code = CodeTooLarge
	}
	return Errors{{Code: code, Message: err.Error()}}
}

// fieldMessage makes a whole sentence of a reason such as "takes a text", so
// that a message can be read without its field.
func fieldMessage(f *wire.FieldError) string {
	switch {
	case f.Field == "":
		return "the request " + f.Reason
	case strings.HasPrefix(f.Reason, "unknown field"):
		return f.Reason
	default:
		return f.Field + " " + f.Reason
	}
}
