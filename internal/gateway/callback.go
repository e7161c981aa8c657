package gateway

import (
	"errors"
	"net/http"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A callback ends an ASYNC run.
type callback struct {
	Status  string     `json:"status"`
	Message string     `json:"message,omitempty"`
	Result  wire.Value `json:"result,omitzero"`
}

type callbackTaken struct {
	RunID string `json:"run_id"`
}

// answerRun replies to an execution on behalf of the worker that made the call, on the
// reply subject that the token holds. The gateway keeps no state of runs, because the
// scheduler decides whether one still waits.
func answerRun(g *Gateway, q *request) (answer, error) {
	var c callback
	if err := wire.Decode(q.body, &c); err != nil {
		return answer{}, schema.WireErrors(schema.CodeInvalidRequest, err)
	}
	reply, err := c.reply()
	if err != nil {
		return answer{}, err
	}
	ack, err := g.client.Execution(q.reply).Reply(q.Context(), reply)
	if err != nil {
		return answer{}, err
	}
	runID := q.PathValue("run_id")
	if !ack.Accepted {
		return answer{}, refuse(http.StatusConflict, schema.CodeConflict, "run %s does not wait for a callback any more", runID)
	}
	return answer{body: callbackTaken{runID}}, nil
}

// openCallback checks that a request's token is for the run, and records the reply subject
// that it holds.
func openCallback(g *Gateway, q *request) (err error) {
	q.reply, err = g.openToken(q, q.PathValue("run_id"))
	return err
}

// openToken returns the reply subject of the run that a request's token was made for.
func (g *Gateway) openToken(q *request, runID string) (subject string, err error) {
	given := q.Header.Get("X-Callback-Token")
	if given == "" {
		given = q.query.Get("token")
	}
	wrong := refuse(http.StatusForbidden, codeForbidden, "the callback token is not one of run %s", runID)
	switch {
	case given == "":
		return "", refuse(http.StatusUnauthorized, codeUnauthorized, "the callback token is missing; send it as X-Callback-Token, or as ?token=")
	case g.config.Callbacks == nil:
		return "", wrong
	}
	subject, err = g.config.Callbacks.Open(given, g.config.Now())
	if errors.Is(err, token.ErrExpired) {
		return "", refuse(http.StatusGone, codeGone, "run %s is not waited for any more: its callback token has expired", runID)
	}
	if err != nil {
		return "", wrong
	}
	name, ok := g.client.Execution(subject).Name()
	if !ok || name.Station != schema.HTTPStation || cronjob.RunID(name.PlanID, name.N) != runID {
		return "", wrong
	}
	return subject, nil
}

// reply is the worker's reply.
func (c *callback) reply() (schema.Reply, error) {
	outcome := schema.HTTPOutcome{Class: schema.HTTPCallback, Message: c.Message}
	if text, ok := c.Result.Text(); ok {
		outcome.Body = text
	} else if !c.Result.IsZero() && c.Result.Kind() != wire.KindNull {
		outcome.Body = string(c.Result.Raw())
	}
	if len(outcome.Body) > schema.MaxHTTPBody {
		outcome.Body, outcome.Truncated = strings.ToValidUTF8(outcome.Body[:schema.MaxHTTPBody], ""), true
	}
	var reply schema.Reply
	switch strings.ToUpper(c.Status) {
	case "SUCCESS":
		reply.State = schema.StateOK
	case "FAILED":
		reply.State = schema.StateError
		if outcome.Message == "" {
			outcome.Message = "the callback reported FAILED"
		}
	default:
		return reply, invalid("status", "is %q; it takes SUCCESS or FAILED", c.Status)
	}
	v, err := wire.ValueOf(wire.JSON, outcome)
	if err != nil {
		return reply, err
	}
	if reply.State == schema.StateOK {
		reply.Content = v
	} else {
		reply.Error = v
	}
	return reply, nil
}
