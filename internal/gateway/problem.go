package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Codes of errors in HTTP alone; all others are the services'.
const (
	codeUnauthorized schema.Code = "unauthorized"
	codeForbidden    schema.Code = "forbidden"
	codeMethod       schema.Code = "method_not_allowed"
	codeGone         schema.Code = "gone"
	codePrecondition schema.Code = "precondition_failed"
	codeMediaType    schema.Code = "unsupported_media_type"
)

// An httpError is an error with a status of its own.
type httpError struct {
	status   int
	reported *schema.Error
}

func (e *httpError) Error() string { return e.reported.Error() }
func (e *httpError) Unwrap() error { return e.reported }

func refuse(status int, code schema.Code, format string, args ...any) error {
	return &httpError{status, &schema.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// invalid is an error in one parameter or member of a request.
func invalid(field, format string, args ...any) error {
	return &schema.Error{Code: schema.CodeInvalidRequest, Field: field, Message: field + " " + fmt.Sprintf(format, args...)}
}

// A problem is an error in an answer (RFC 9457). Its type is about:blank, because the code
// distinguishes errors.
type problem struct {
	Title     string        `json:"title"`
	Status    int           `json:"status"`
	Detail    string        `json:"detail"`
	Instance  string        `json:"instance,omitempty"`
	RequestID string        `json:"request_id,omitempty"`
	Error     *schema.Error `json:"error"`
	Errors    schema.Errors `json:"errors"`
}

// problemOf turns err into the caller's problem. Other errors become an internal one, and
// are reported as such.
func problemOf(err error) (p problem, internal bool) {
	var one *schema.Error
	var all schema.Errors
	var own *httpError
	switch {
	case errors.As(err, &own):
		p.Status, one = own.status, own.reported
	case errors.As(err, &all) && len(all) > 0:
		one = all[0]
	case errors.As(err, &one):
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		one = &schema.Error{Code: schema.CodeUnavailable, Message: "the request was given up before there was an answer; it may have been done"}
	default:
		one = &schema.Error{Code: schema.CodeInternal, Message: "something went wrong here; the log has the cause, under the request id"}
		internal = true
	}
	if p.Status == 0 {
		p.Status = one.Code.HTTPStatus()
	}
	if len(all) == 0 {
		all = schema.Errors{one}
	}
	p.Errors = make(schema.Errors, len(all))
	for i, e := range all {
		p.Errors[i] = &schema.Error{
			Code: e.Code, Message: clip(e.Message, maxMessage), Field: clip(e.Field, maxField),
			RetryAfterMS: e.Again().Milliseconds(), PlanID: e.PlanID, TenantID: e.TenantID,
		}
	}
	p.Error = p.Errors[0]
	p.Title, p.Detail = http.StatusText(p.Status), p.Error.Message
	return p, internal
}

// Bounds of the quotations in messages.
const (
	maxMessage = 1000
	maxField   = 200
)

// clip cuts s to at most so many bytes and an ellipsis.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// fail answers with err.
func (g *Gateway) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, internal := problemOf(err)
	if internal {
		g.log(r).Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	p.Instance, p.RequestID = r.URL.Path, requestID(r)
	body, err := wire.Marshal(wire.JSON, p)
	if err != nil { // texts and numbers always have an encoding
		body = []byte(`{}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Del("ETag")
	if again := p.Error.RetryAfterMS; again > 0 {
		h.Set("Retry-After", strconv.FormatInt((again+999)/1000, 10))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="stationmaster"`)
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the caller may be gone
}
