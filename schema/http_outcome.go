package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// MaxHTTPBody is how much of an answer's body is read and kept.
const MaxHTTPBody = 64 << 10

// An HTTPOutcome is the outcome of an [HTTPCall]: the content of an execution of station
// http that ended ok, the error of one that did not.
type HTTPOutcome struct {
	Class HTTPClass `json:"class"` // the sort of the outcome
	// Message describes the failure in a sentence; empty when there is none.
	Message string `json:"message,omitempty"`
	// Status is the answer's; 0 when there was none.
	Status int64 `json:"status,omitempty"`
	// Headers are some of the answer's, by their lower-case names: content-type,
	// location, retry-after, x-request-id.
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the answer's, its first 64 KiB, when that is text: UTF-8 without
	// control characters. Other bytes are in BodyBase64. Of a callback it is the
	// `result`: the text that it is, else as JSON.
	Body       string `json:"body,omitempty"`
	BodyBase64 []byte `json:"body_base64,omitempty"` // nil: Body has all
	// Truncated: the response was longer than the part that is kept.
	Truncated bool `json:"truncated,omitempty"`
	// DurationMS is how long the call took, in milliseconds.
	DurationMS float64 `json:"duration_ms"`
}

// HTTPClass sorts outcomes.
type HTTPClass string

const (
	HTTPOK       HTTPClass = "ok"       // a status that is a success
	HTTPStatus   HTTPClass = "status"   // any other status
	HTTPNetwork  HTTPClass = "network"  // no answer, or one that broke off or is no HTTP
	HTTPTimeout  HTTPClass = "timeout"  // not done in time
	HTTPRefused  HTTPClass = "refused"  // not called: address, redirect or plan are not allowed
	HTTPCallback HTTPClass = "callback" // ended by a callback, with ok or error
)

// ReadHTTPOutcome returns the outcome in the result of an execution of station http.
// It is false when there is none, as of one that was skipped or cancelled, and of one
// that the scheduler's deadline ended: that is a `timeout`, or, when no retry was left,
// a `failure` whose cause is that timeout's reason. Of an ASYNC call both mean that no
// callback came in time.
func ReadHTTPOutcome(r *Result) (HTTPOutcome, bool) {
	for _, v := range []wire.Value{r.Error, r.Content} {
		var o HTTPOutcome
		if v.Kind() == wire.KindMap && wire.DecodeLoose(v, &o) == nil && o.Class != "" {
			return o, true
		}
	}
	return HTTPOutcome{}, false
}
