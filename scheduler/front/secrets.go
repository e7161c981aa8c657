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
		was, _ := ss.front.config.Secrets.Named(ctx, n.Name) // one that cannot be read is replaced, too
		created, err := ss.front.config.Secrets.PutNamed(ctx, n)
		return schema.SecretPut{Name: n.Name, Created: created, Dropped: lostBindings(was, n)}, unstored(err)
	})
}

// lostBindings are the fields of a secret that the one in its place leaves out, and the hosts that
// it may not be sent to any more. The secret was may be nil.
func lostBindings(was, is *schema.NamedSecret) (lost []string) {
	if was == nil {
		return nil
	}
	for _, host := range was.Hosts {
		if !slices.Contains(is.Hosts, host) {
			lost = append(lost, "hosts."+host)
		}
	}
	return append(lost, command.Dropped(was, is)...)
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
		gone := schema.SecretDeleted{Name: q.Name, Deleted: true}
		if err == nil {
			// It is gone, and those that are found within a search still say who misses it.
			_ = ss.countUsers(ctx, &gone, 0)
		}
		return gone, unstored(err)
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
	// The request's deadline ends the search, because a part of the plans would be no warning.
	return would, ss.countUsers(ctx, &would, time.Hour)
}

// countUsers adds the plans whose calls are made with a secret, as far as they are found in the time
// of a search, or longer.
func (ss secrets) countUsers(ctx context.Context, of *schema.SecretDeleted, longer time.Duration) error {
	m := ss.front.mergeFrom(ctx, command.ListPlans{Filter: schema.ListPlans{Station: schema.HTTPStation}, Limit: maxLimit}, position{})
	m.late = m.late.Add(longer)
	for {
		view, more, err := m.next()
		if err != nil || !more {
			return err
		}
		if !slices.Contains(secretsOf(view.Plan), of.Name) {
			continue
		}
		if of.Plans++; of.Plans <= mostNamed {
			of.UsedBy = append(of.UsedBy, view.name.String())
		}
	}
}

// secretsOf are the secrets with which a plan of station http makes its calls.
func secretsOf(plan wire.Value) (names []string) {
	for _, message := range plan.Field("messages").List() {
		var call schema.HTTPCall
		if wire.DecodeLoose(message, &call) == nil {
			names = append(names, call.Secrets()...)
		}
	}
	return names
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
