package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Damage is the handle of the losses of stored data that schedulers have found.
type Damage struct{ c *Client }

// Damage returns the handle of the losses of stored data.
func (c *Client) Damage() Damage { return Damage{c} }

// List returns the losses that have not been acknowledged. It reads bucket `leaders`.
func (d Damage) List(ctx context.Context) ([]schema.Damage, error) {
	var all []schema.Damage
	err := eachDamage(ctx, d.c, func(_ jetstream.KeyValue, _ jetstream.KeyValueEntry, one *schema.Damage) error {
		all = append(all, *one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list damage: %w", err)
	}
	return all, nil
}

// Acknowledge records that a person knows of a loss that [Damage.List] returned, which is not
// listed from then on. The error is [ErrConflict] when more was lost since, and [ErrNotFound]
// when the loss was acknowledged before.
func (d Damage) Acknowledge(ctx context.Context, known schema.Damage) error {
	found := false
	err := eachDamage(ctx, d.c, func(kv jetstream.KeyValue, row jetstream.KeyValueEntry, one *schema.Damage) error {
		if one.Name() != known.Name() {
			return nil
		}
		found = true
		more := &schema.Error{Code: schema.CodeConflict, Message: "more was lost since the list was read; read it again"}
		if one.Count != known.Count {
			return more
		}
		err := kv.Purge(ctx, row.Key(), jetstream.LastRevision(row.Revision()))
		if refused, is := errors.AsType[*jetstream.APIError](err); is && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			return more
		}
		return err
	})
	if err == nil && !found {
		err = &schema.Error{Code: schema.CodeNotFound, Message: "no such damage is known; it may be acknowledged already"}
	}
	if err != nil {
		return fmt.Errorf("acknowledge damage %s: %w", known.Name(), err)
	}
	return nil
}

// eachDamage calls f with each record.
func eachDamage(ctx context.Context, c *Client, f func(jetstream.KeyValue, jetstream.KeyValueEntry, *schema.Damage) error) error {
	kv, err := leaders(ctx, c)
	if err != nil {
		return err
	}
	found, err := rows(ctx, kv, schema.DamageKeys+"*.*")
	if err != nil {
		return err
	}
	for _, row := range found {
		var d schema.Damage
		if json.Unmarshal(row.Value(), &d) == nil && schema.DamageKeys+d.Name() == row.Key() {
			if err := f(kv, row, &d); err != nil {
				return err
			}
		}
	}
	return nil
}
