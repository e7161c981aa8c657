package front

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A refusal is an error as it travels.
type refusal struct {
	code        schema.Code
	status      string // Nats-Service-Error-Code
	description string // Nats-Service-Error
	body        []byte
	enc         wire.Encoding
}

// refusalBody is the body of an error. Errors are all the errors of a request with more than
// one; REST shows them.
type refusalBody struct {
	Error  *schema.Error   `json:"error"`
	Errors []*schema.Error `json:"errors,omitempty"`
}

// refusal is the error that the user gets for err.
func (r *request) refusal(err error) refusal {
	shown := r.userErrors(err)
	out := refusal{
		code:        shown[0].Code,
		status:      strconv.Itoa(shown[0].Code.HTTPStatus()),
		description: schema.HeaderText(shown[0].Error()),
		enc:         r.enc,
	}
	body := refusalBody{Error: shown[0]}
	if len(shown) > 1 {
		body.Errors = shown
	}
	// Codes, fields and messages are texts, which have an encoding.
	out.body, _ = wire.Marshal(r.enc, body)
	return out
}

func (e refusal) header() nats.Header {
	return nats.Header{
		schema.HeaderContentType:      {e.enc.ContentType()},
		schema.HeaderServiceError:     {e.description},
		schema.HeaderServiceErrorCode: {e.status},
	}
}

const (
	// Limits, because messages quote the request.
	maxMessage = 1000
	maxField   = 200
	// maxErrors is how many errors of a request are reported at a time.
	maxErrors = 20
)

// userErrors returns err in the terms of the user, the first error first: at least one. An
// internal error is logged, and reported as internal only.
func (r *request) userErrors(err error) []*schema.Error {
	var known schema.Errors
	var one *schema.Error
	switch {
	case errors.As(err, &known) && len(known) > 0:
	case errors.As(err, &one):
		known = schema.Errors{one}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		known = schema.Errors{errSlow}
	default:
		r.front.complain(r.endpoint.subject, err)
		known = schema.Errors{{Code: schema.CodeInternal, Message: "an error in the scheduler; its log has it"}}
	}
	shown := make([]*schema.Error, 0, min(len(known), maxErrors))
	for _, e := range known[:min(len(known), maxErrors)] {
		shown = append(shown, &schema.Error{
			Code: r.code(e.Code), Message: clip(e.Message, maxMessage), Field: clip(e.Field, maxField),
			RetryAfterMS: e.Again().Milliseconds(), PlanID: e.PlanID, TenantID: e.TenantID,
		})
	}
	return shown
}

// code maps the code of an invalid request to that of the service.
func (r *request) code(c schema.Code) schema.Code {
	if c == schema.CodeInvalidPlan || c == schema.CodeInvalidRequest {
		return r.endpoint.invalid
	}
	return c
}

// clip cuts s to at most so many bytes and an ellipsis.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// complain logs an error that is no fault of the request's sender, at most once a second, so
// that a client that can provoke it does not fill the disk.
func (f *Front) complain(subject string, err error) {
	logged := false
	f.logging.Do(func() { logged = true })
	if !logged {
		f.unlogged.Add(1)
		return
	}
	f.config.Log.Error("request failed", "subject", subject, "error", err, "unlogged", f.unlogged.Swap(0))
}
