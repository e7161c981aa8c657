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

// refusalBody is the body of an error. Errors is all that is wrong, where that is more than
// one thing: what REST shows of it.
type refusalBody struct {
	Error  *schema.Error   `json:"error"`
	Errors []*schema.Error `json:"errors,omitempty"`
}

// refusal makes of err what the user is told.
func (r *request) refusal(err error) refusal {
	told := r.tell(err)
	out := refusal{
		code:        told[0].Code,
		status:      strconv.Itoa(told[0].Code.HTTPStatus()),
		description: schema.HeaderText(told[0].Error()),
		enc:         r.enc,
	}
	body := refusalBody{Error: told[0]}
	if len(told) > 1 {
		body.Errors = told
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
	// Messages quote what the user sent, and have to end somewhere.
	maxMessage = 1000
	maxField   = 200
	// maxTold is how many things that are wrong are told at a time.
	maxTold = 20
)

// tell makes of err what is wrong in the user's words, the first thing first: at
// least one. What is none of the user's business is logged, and told as internal.
func (r *request) tell(err error) []*schema.Error {
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
		known = schema.Errors{{Code: schema.CodeInternal, Message: "something went wrong in the scheduler; its log says what"}}
	}
	told := make([]*schema.Error, 0, min(len(known), maxTold))
	for _, e := range known[:min(len(known), maxTold)] {
		told = append(told, &schema.Error{
			Code: r.code(e.Code), Message: clip(e.Message, maxMessage), Field: clip(e.Field, maxField),
			RetryAfterMS: e.Again().Milliseconds(), PlanID: e.PlanID, TenantID: e.TenantID,
		})
	}
	return told
}

// code turns one word for a wrong request into that of the service.
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

// complain logs what went wrong with a request that is no fault of its sender, at
// most once a second: whoever found a way to provoke it must not fill the disk.
func (f *Front) complain(subject string, err error) {
	logged := false
	f.logging.Do(func() { logged = true })
	if !logged {
		f.unlogged.Add(1)
		return
	}
	f.config.Log.Error("request failed", "subject", subject, "error", err, "unlogged", f.unlogged.Swap(0))
}
