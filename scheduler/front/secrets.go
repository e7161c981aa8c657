package front

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// secrets are the verbs of named secrets. They write them, and read them only to check whether
// a plan may use them; no verb shows a value.
type secrets struct{ front *Front }

func (ss secrets) put(r *request) error {
	n, err := schema.ParseNamedSecret(r.body)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		created, err := ss.front.config.Secrets.PutNamed(ctx, n)
		return schema.SecretPut{Name: n.Name, Created: created}, unstored(err)
	})
}

func (ss secrets) delete(r *request) error {
	var q schema.SecretName
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := schema.CheckID(q.Name); err != nil {
		return r.invalid("name", "name %v", err)
	}
	return r.async(func(ctx context.Context) (any, error) {
		if r.dry {
			return ss.wouldDelete(ctx, q.Name)
		}
		known, err := ss.front.config.Secrets.DeleteNamed(ctx, q.Name)
		if err == nil && !known {
			return nil, &schema.Error{Code: schema.CodeNotFound, Field: "name", Message: noSecret(q.Name)}
		}
		return schema.SecretDeleted{Name: q.Name, Deleted: true}, unstored(err)
	})
}

// wouldDelete answers with the plans whose calls are made with a secret.
func (ss secrets) wouldDelete(ctx context.Context, name string) (any, error) {
	switch _, err := ss.front.config.Secrets.Named(ctx, name); {
	case errors.Is(err, broker.ErrNotFound):
		return nil, &schema.Error{Code: schema.CodeNotFound, Field: "name", Message: noSecret(name)}
	case err != nil:
		return nil, unstored(err)
	}
	would := schema.SecretDeleted{Name: name, DryRun: true}
	m := ss.front.mergeFrom(ctx, command.ListPlans{Filter: schema.ListPlans{Station: schema.HTTPStation}, Limit: maxLimit}, position{})
	m.late = m.late.Add(time.Hour) // the request's deadline ends it, because a part of the plans would be no warning
	for {
		view, more, err := m.next()
		if err != nil || !more {
			return would, err
		}
		if !callsWith(view.Plan, name) {
			continue
		}
		if would.Plans++; would.Plans <= mostNamed {
			would.UsedBy = append(would.UsedBy, view.name.String())
		}
	}
}

// callsWith reports that a plan of station http makes calls with a secret.
func callsWith(plan wire.Value, secret string) bool {
	for _, message := range plan.Field("messages").List() {
		var call schema.HTTPCall
		if wire.DecodeLoose(message, &call) == nil && slices.Contains(call.Secrets(), secret) {
			return true
		}
	}
	return false
}

func noSecret(name string) string {
	return fmt.Sprintf("there is no secret %s; secrets.put makes one, and secrets.list shows those there are", name)
}

// list answers with the secrets by name, without their values.
func (ss secrets) list(r *request) error {
	var q schema.ListSecrets
	if err := r.decode(&q); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parseSecretCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		all, err := ss.front.config.Secrets.AllNamed(ctx)
		if err != nil {
			return nil, unstored(err)
		}
		page := newPage(r.enc, "secrets", limit)
		for _, n := range all {
			if n.Name <= after {
				continue
			}
			entry, err := wire.ValueOf(r.enc, n)
			if err != nil {
				return nil, fmt.Errorf("encode secret %s: %w", n.Name, err)
			}
			if !page.add(entry) {
				return page.end(secretCursor(after)), nil
			}
			after = n.Name
		}
		return page.end(""), nil
	})
}
