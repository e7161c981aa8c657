package gateway

import (
	"context"
	"time"
)

// A shared value is read for all who ask within a while, by one of them, so that many browsers
// cost as much as one.
type shared[T any] struct {
	read  func(context.Context) (T, error)
	age   time.Duration
	turn  chan struct{} // who has it reads
	value T
	at    time.Time // when value was read; zero: never
}

func newShared[T any](read func(context.Context) (T, error), age time.Duration) *shared[T] {
	return &shared[T]{read: read, age: age, turn: make(chan struct{}, 1)}
}

// get returns the value, read anew when it is too old. The caller must not change it.
func (s *shared[T]) get(ctx context.Context, now func() time.Time) (value T, err error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
	if at := now(); s.at.IsZero() || at.Before(s.at) || at.Sub(s.at) >= s.age {
		if value, err = s.read(ctx); err != nil {
			return value, err
		}
		s.value, s.at = value, at
	}
	return s.value, nil
}
