package broker

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// A trouble is one act on a stream that does not succeed at the first attempt. It decides
// when to give up, paces the further attempts, and logs when it lasts, because a single
// refusal that one read explains is normal on a cluster.
type trouble struct {
	store  *Store
	stream string

	start    time.Time
	tries    int
	reported bool
	next     time.Duration // the next pause
	bad      since         // the stream seems to have changed
}

const (
	// The pauses between attempts, so that a store in trouble is asked a few times a
	// second, not thousands of times.
	pauseFirst = 10 * time.Millisecond
	pauseMost  = time.Second

	reportAfter = time.Second
)

// ends reports whether err ends the attempts. Temporary errors, which are no answer, a lost
// connection, and a stream without a leader or without room, do not.
func (t *trouble) ends(ctx context.Context, err error) bool {
	var changed *ChangedError
	if t.bad.forLong(errors.As(err, &changed), t.store.doubtful()) {
		return true
	}
	for _, final := range []error{ErrFenced, ErrGap, ErrNewer, nats.ErrConnectionClosed, nats.ErrMaxPayload} {
		if errors.Is(err, final) {
			return true
		}
	}
	return ctx.Err() != nil
}

// wait records a failed attempt and waits before the next one.
func (t *trouble) wait(ctx context.Context, err error) error {
	t.tries++
	if t.start.IsZero() {
		t.start = time.Now()
	}
	if !t.reported && time.Since(t.start) >= reportAfter {
		t.reported = true
		t.store.log.Warn("stream does not answer as it should; it is tried again", "stream", t.stream, "tries", t.tries, "error", err)
	}
	t.next = min(max(2*t.next, pauseFirst), pauseMost)
	return sleep(ctx, t.next)
}

// over ends a trouble successfully. The next one begins afresh.
func (t *trouble) over() {
	if t.reported {
		t.store.log.Warn("stream answers again", "stream", t.stream, "tries", t.tries, "took", time.Since(t.start))
	}
	*t = trouble{store: t.store, stream: t.stream}
}

// persist calls do until it succeeds or fails for good.
func (s *Store) persist(ctx context.Context, stream string, do func() error) error {
	t := trouble{store: s, stream: stream}
	for {
		err := do()
		if err == nil {
			t.over()
			return nil
		}
		if t.ends(ctx, err) {
			return cause(ctx, err)
		}
		if err := t.wait(ctx, err); err != nil {
			return err
		}
	}
}

// A since is the moment from which on a condition held at each look.
type since struct{ start time.Time }

// forLong reports whether holds is true, and was at every call for at least d.
func (s *since) forLong(holds bool, d time.Duration) bool {
	switch {
	case !holds:
		s.start = time.Time{}
		return false
	case s.start.IsZero():
		s.start = time.Now()
	}
	return time.Since(s.start) >= d
}

// sleep returns after d, or earlier with the context's cause.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cause replaces the plain error of an ended context by its cause.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
