package schema

import (
	"fmt"
	"time"
)

// HeaderAnswerBy is a header of requests: until when, by the requester's clock and in RFC
// 3339, the requester waits for the response. A request that arrives later, out of a
// buffer of NATS or of a process that stood still, is not carried out, because the
// requester may have repeated it since.
const HeaderAnswerBy = "Plan-Answer-By"

// ClockAllowance is how much later than that a request is still carried out, because the
// requester's clock may be behind.
const ClockAllowance = 2 * time.Second

// FormatAnswerBy is the value of the header.
func FormatAnswerBy(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// ParseAnswerBy reads the value of the header; zero when it is empty.
func ParseAnswerBy(value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, value[:min(len(value), 64)])
	if err != nil {
		return time.Time{}, &Error{
			Code: CodeInvalidRequest, Field: HeaderAnswerBy,
			Message: "the header is no time such as 2026-11-21T12:00:05Z",
		}
	}
	return t, nil
}

// A Dated command is one whose requester waits for its answer until By.
type Dated struct {
	Command           // the command itself
	By      time.Time // by the requester's clock; zero: for ever
}

// Bare is a command without its date, which is zero when it has none.
func Bare(c Command) (Command, time.Time) {
	if d, is := c.(Dated); is {
		return d.Command, d.By
	}
	return c, time.Time{}
}

// TooLate returns an error when now is past the moment until which the requester waits;
// zero: it waits for ever.
func TooLate(by, now time.Time) error {
	if by.IsZero() || now.Sub(by) <= ClockAllowance {
		return nil
	}
	return &Error{Code: CodeUnavailable, Message: fmt.Sprintf(
		"the request came %v after its asker had given up, says its header %s, and nothing was done; who still waits has a clock that is behind ours",
		now.Sub(by).Round(time.Millisecond), HeaderAnswerBy)}
}
