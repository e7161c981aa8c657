package client

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// leaders opens bucket `leaders`.
func leaders(ctx context.Context, c *Client) (jetstream.KeyValue, error) {
	js, err := jetstream.New(c.nc)
	if err != nil {
		return nil, err
	}
	bucket := c.space.LeadersBucket()
	kv, err := js.KeyValue(ctx, bucket)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", bucket, err)
	}
	return kv, nil
}

// rows reads the rows of a bucket whose keys match, by one consumer with a filter, so that
// a role may be allowed to read these keys and not the others.
func rows(ctx context.Context, kv jetstream.KeyValue, keys string) ([]jetstream.KeyValueEntry, error) {
	watched, err := kv.Watch(ctx, keys, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer watched.Stop() //nolint:errcheck // it fails only on a closed connection
	var all []jetstream.KeyValueEntry
	for {
		select {
		case row := <-watched.Updates():
			if row == nil {
				return all, nil
			}
			all = append(all, row)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
