package broker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Replies reads the capture of plan.reply.>: what workers said while no leader
// listened, for as long as Config.RepliesAge. A new leader subscribes first and
// then reads it (JOURNAL.md: a reply between the two would be lost).
type Replies struct{ store *Store }

// Replies is the installation's capture.
func (s *Store) Replies() *Replies { return &Replies{s} }

// A CaptureState tells from when on the capture is complete.
type CaptureState struct {
	Created time.Time // of the stream; another one when this changes
	// Since is when the oldest reply that is still there was captured, or when the
	// stream was found empty: nothing can be said about earlier ones.
	Since time.Time
	Last  uint64
}

// State tells what the capture holds. The capture is in memory: when the server was
// restarted it begins anew, and Last restarts as well.
func (r *Replies) State(ctx context.Context) (CaptureState, error) {
	info, err := r.store.info(ctx, r.store.space.RepliesStream())
	if err != nil {
		return CaptureState{}, fmt.Errorf("state of the replies: %w", err)
	}
	s := CaptureState{Created: info.Created, Since: info.State.FirstTime, Last: info.State.LastSeq}
	return s, nil
}

// Since calls f with the replies to partition p's executions that were captured at
// or after t, in order, up to what was there at the call.
func (r *Replies) Since(ctx context.Context, p int, t time.Time, f func(m *nats.Msg, at time.Time) error) error {
	stream := r.store.space.RepliesStream()
	info, err := r.store.info(ctx, stream)
	if err != nil {
		return fmt.Errorf("read replies: %w", err)
	}
	if info.State.Msgs == 0 {
		return nil
	}
	// All partitions' replies are read and the others dropped here, since the end
	// is known only of the whole stream.
	prefix := strings.TrimSuffix(r.store.space.Replies(p), ">")
	until := info.State.LastSeq
	read := reading{js: r.store.js, stream: stream, since: t}
	read.each = func(m message) error {
		if strings.HasPrefix(m.Subject(), prefix) {
			if err := f(&nats.Msg{Subject: m.Subject(), Header: m.Headers(), Data: m.Data()}, m.at); err != nil {
				return err
			}
		}
		if m.seq >= until {
			return errDone
		}
		return nil
	}
	read.empty = func(ctx context.Context) error { return r.store.passed(ctx, stream, &read, until) }
	if err := read.run(ctx); err != nil {
		return fmt.Errorf("read replies: %w", err)
	}
	return nil
}
