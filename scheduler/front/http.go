package front

import (
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// These checks depend on the installation and not on the plan alone. Plans that are stored
// already or restored from a backup are not held to them, because the worker checks each call.

// checkCall refuses a plan of station http whose call takes longer than calls may, and returns
// the names of the secrets that the call needs, if any.
func (ps plans) checkCall(d *schema.Definition) (secrets []string, err error) {
	if d.Plan.Station != schema.HTTPStation {
		return nil, nil
	}
	call, err := schema.ParseHTTPCall(d.Plan.Messages[0])
	if err != nil {
		return nil, err // it was checked with the definition
	}
	if most := ps.front.config.LongestCall; most > 0 && call.Timeout() > most {
		return nil, &schema.Error{
			Code: schema.CodeInvalidPlan, Field: "messages.timeout_seconds",
			Message: fmt.Sprintf("messages: timeout_seconds is %v; calls take %v s at most here (--http-longest-call). Longer calls are for exec_type ASYNC, which is answered later",
				call.Timeout().Seconds(), most.Seconds()),
		}
	}
	return call.Secrets(), nil
}

// checkSecrets refuses a plan that names a secret which is not there, or not for its call.
func (ps plans) checkSecrets(ctx context.Context, d *schema.Definition, names []string) error {
	call, err := schema.ParseHTTPCall(d.Plan.Messages[0])
	if err != nil {
		return err
	}
	var wrong schema.Errors
	refuse := func(message string) {
		wrong = append(wrong, &schema.Error{Code: schema.CodeInvalidPlan, Field: "messages", Message: "messages: " + message})
	}
	for _, name := range names {
		n, err := ps.front.config.Secrets.Named(ctx, name)
		switch {
		case errors.Is(err, broker.ErrNotFound):
			refuse(noSecret(name))
		case err != nil:
			return unstored(err)
		default:
			if err := n.MayGo(call.Origin(), d.Plan.TenantID); err != nil {
				refuse(err.Error())
			}
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// admitCall is both, in an async handler.
func (ps plans) admitCall(ctx context.Context, d *schema.Definition) error {
	secrets, err := ps.checkCall(d)
	if err != nil || len(secrets) == 0 {
		return err
	}
	return ps.checkSecrets(ctx, d, secrets)
}
