package broker

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

const (
	// fetchMost is the largest number of messages that are fetched one by one. A consumer
	// is faster for more, but it needs the cluster's meta leader to be made, and lives on one
	// server. Just after the death of that server both are seconds away, and a take-over
	// waits.
	fetchMost = 256
	// fetchAtOnce is how many requests are in flight at a time.
	fetchAtOnce = 32
)

// fetch calls f with the messages of a stream from one sequence to another, in order, each
// read from the stream's leader. Deleted messages are left out.
func (s *Store) fetch(ctx context.Context, stream string, from, to uint64, f func(*stored) error) error {
	for from <= to {
		upTo := min(to, from+fetchAtOnce-1)
		got := make([]*stored, upTo-from+1)
		err := s.persist(ctx, stream, func() error {
			group, ctx := errgroup.WithContext(ctx)
			for i := range got {
				group.Go(func() (err error) {
					got[i], err = s.get(ctx, stream, getRequest{Seq: from + uint64(i), NextFor: ">"})
					if errors.Is(err, jetstream.ErrMsgNotFound) {
						return nil // there is no later message
					}
					return err
				})
			}
			return group.Wait()
		})
		if err != nil {
			return err
		}
		for i, m := range got {
			// A request for a deleted message finds the next one, which comes again in its
			// turn.
			if m == nil || m.Seq != from+uint64(i) {
				continue
			}
			if err := f(m); err != nil {
				return err
			}
		}
		from = upTo + 1
	}
	return nil
}
