package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// mostDamage bounds how many records of damage are read. There is at most one for each kind
// and stream.
const mostDamage = 1000

// Report stores a record of a loss, which stays until a person acknowledges it. It precedes
// the repair, so that a process that ends in between finds the damage again; the same
// numbers mean the same damage.
func (s *Store) Report(ctx context.Context, d schema.Damage) error {
	d.Node, d.Last, d.Count = s.cfg.Node, time.Now().UTC(), 1
	d.First = d.Last
	leaders := &Bucket{store: s, name: s.space.LeadersBucket()}
	key := schema.DamageKeys + d.Name()
	known, _, err := leaders.Get(ctx, key)
	switch {
	case err == nil:
		var before schema.Damage
		if json.Unmarshal(known, &before) == nil {
			if before.Had == d.Had && before.Has == d.Has {
				return nil
			}
			d.First, d.Count = before.First, before.Count+1
		}
	case !errors.Is(err, ErrNotFound):
		return fmt.Errorf("report damage: %w", err)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode damage: %w", err)
	}
	_, err = s.publish(ctx, leaders.stream(), &nats.Msg{Subject: leaders.subject(key), Data: data, Header: nats.Header{
		headerRollup: {"sub"}, headerContentType: {contentTypeJSON},
	}})
	if err != nil {
		return fmt.Errorf("report damage: %w", err)
	}
	return nil
}

// Damage returns the reports that are not acknowledged.
func (s *Store) Damage(ctx context.Context) ([]schema.Damage, error) {
	leaders := &Bucket{store: s, name: s.space.LeadersBucket()}
	var all []schema.Damage
	next := getRequest{Seq: 1, NextFor: leaders.subject(schema.DamageKeys + ">")}
	for range mostDamage {
		m, err := s.get(ctx, leaders.stream(), next)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read damage: %w", err)
		}
		next.Seq = m.Seq + 1
		// A later record replaces an earlier one, and a delete marker has no body.
		key := leaders.key(m.Subject)
		all = slices.DeleteFunc(all, func(d schema.Damage) bool { return schema.DamageKeys+d.Name() == key })
		var d schema.Damage
		if json.Unmarshal(m.Data, &d) == nil && schema.DamageKeys+d.Name() == key {
			all = append(all, d)
		}
	}
	return all, nil
}
