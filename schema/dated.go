package schema

import "time"

// HeaderAnswerBy is a header of requests with the time until which the requester waits for the
// response, by its own clock and in RFC 3339. A request that arrives later, out of a buffer of
// NATS or of a process that stood still, is not carried out, because the requester may have
// repeated it since.
const HeaderAnswerBy = "Plan-Answer-By"

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
