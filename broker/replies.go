package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// Replies reads the capture of plan.reply.>: the replies that workers sent while no leader
// listened, for as long as Config.RepliesAge. A new leader subscribes first and then reads
// it, because a reply between the two would be lost otherwise.
type Replies struct{ store *Store }

// Replies is the installation's capture.
func (s *Store) Replies() *Replies { return &Replies{s} }

// A CaptureState gives the moment since which the capture is complete.
type CaptureState struct {
	Created time.Time // of the stream; a change means another stream
	Now     time.Time // by the server's clock, as the times of replies
	// Since is the moment, by the server's clock, since which every reply is in the
	// capture. Of earlier replies some may be missing, so that a missing one proves
	// nothing.
	Since time.Time
}

// State reads the capture's state.
func (r *Replies) State(ctx context.Context) (CaptureState, error) {
	info, err := r.store.info(ctx, storage.RepliesStream(r.store.space))
	if err != nil {
		return CaptureState{}, fmt.Errorf("state of the replies: %w", err)
	}
	return CaptureState{Created: info.Created, Now: info.TimeStamp, Since: completeSince(info)}, nil
}

// completeSince judges a stream that loses its messages by age, by bytes and by a restart
// of the servers that have it in memory.
func completeSince(info *jetstream.StreamInfo) time.Time {
	state, limit := info.State, info.Config
	oldest := state.FirstTime
	if state.Msgs == 0 {
		oldest = info.TimeStamp
	}
	switch {
	case state.FirstSeq > 1 && int64(state.Bytes) > limit.MaxBytes/4*3:
		return oldest // the oldest are evicted before their time
	case state.FirstSeq > 1:
		// All removed messages expired by age, because messages that evicted a younger one would
		// still be there, and fill the stream.
		return info.TimeStamp.Add(-limit.MaxAge)
	case info.Cluster != nil && info.Cluster.Name != "":
		// A restarted cluster makes the stream again, empty, and reports it as unchanged.
		return oldest
	default:
		return info.Created // nothing has been removed yet
	}
}

// singly is how many messages are read in sequence in the time that it takes to find the
// replies on one subject.
const singly = 6

// Since calls f with the replies to partition p's executions that were captured at or after
// t, in order, up to the end at the call. A non-nil of lists the subjects that matter: when
// they are few, the others are not read.
func (r *Replies) Since(ctx context.Context, p int, t time.Time, of []string, f func(m *nats.Msg, at time.Time) error) error {
	stream := storage.RepliesStream(r.store.space)
	info, err := r.store.info(ctx, stream)
	var gone *ChangedError
	switch {
	case errors.As(err, &gone):
		return nil // its server has restarted, and the stream was in memory
	case err != nil:
		return fmt.Errorf("read replies: %w", err)
	case info.State.Msgs == 0:
		return nil
	}
	// The replies to all partitions are read, and those to others dropped here, because
	// only the end of the whole stream is known.
	prefix := strings.TrimSuffix(r.store.space.Replies(p), ">")
	until := info.State.LastSeq
	if of != nil && uint64(len(of))*singly < between(info, t) {
		if err := r.each(ctx, of, until, t, f); err != nil {
			return fmt.Errorf("read replies: %w", err)
		}
		return nil
	}
	next, err := r.seek(ctx, info.State.FirstSeq, until, t)
	if err != nil {
		return fmt.Errorf("read replies: %w", err)
	}
	// A stream in memory begins anew on each server that restarts, and a consumer delivers
	// only the messages of its own server. Messages are removed at the front alone, so a
	// missing sequence is asked for at the stream's leader.
	fill := func(upTo uint64) error {
		from := next
		next = upTo + 1
		return r.store.fetch(ctx, stream, from, upTo, func(m *stored) error {
			if !strings.HasPrefix(m.Subject, prefix) {
				return nil
			}
			return deliver(m, f)
		})
	}
	if next+fetchMost > until {
		return fill(until)
	}
	read := reading{store: r.store, stream: stream, from: next}
	read.each = func(m message) error {
		if m.seq > next {
			if err := fill(m.seq - 1); err != nil {
				return err
			}
		}
		next = m.seq + 1
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
	read.empty = func(context.Context) error {
		if err := fill(until); err != nil {
			return err
		}
		return errDone
	}
	if err := read.run(ctx); err != nil {
		return fmt.Errorf("read replies: %w", err)
	}
	return nil
}

// deliver calls f with a reply, unless its headers cannot be decoded, because no worker sends
// such a message.
func deliver(m *stored, f func(m *nats.Msg, at time.Time) error) error {
	header, err := nats.DecodeHeadersMsg(m.Header)
	if err != nil && len(m.Header) > 0 {
		return nil //nolint:nilerr // see above
	}
	return f(&nats.Msg{Subject: m.Subject, Header: header, Data: m.Data}, m.Time)
}

// between estimates how many messages came at or after t.
func between(info *jetstream.StreamInfo, t time.Time) uint64 {
	all, since := info.TimeStamp.Sub(info.State.FirstTime), info.TimeStamp.Sub(t)
	if since >= all {
		return info.State.Msgs
	}
	return uint64(float64(info.State.Msgs) * max(float64(since)/float64(all), 0))
}

// each is Since for some subjects. It asks the stream's leader for each of them, past all other
// replies.
func (r *Replies) each(ctx context.Context, of []string, until uint64, t time.Time, f func(m *nats.Msg, at time.Time) error) error {
	found := make([][]*stored, len(of))
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(fetchAtOnce)
	for i, subject := range of {
		group.Go(func() (err error) {
			found[i], err = r.repliesOn(asking, subject, until, t)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return cause(ctx, err)
	}
	replies := slices.Concat(found...)
	slices.SortFunc(replies, func(a, b *stored) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, m := range replies {
		if err := deliver(m, f); err != nil {
			return err
		}
	}
	return nil
}

// repliesOn returns the replies on one subject at or after t.
func (r *Replies) repliesOn(ctx context.Context, subject string, until uint64, t time.Time) (all []*stored, err error) {
	stream := storage.RepliesStream(r.store.space)
	for next := uint64(1); next <= until; {
		var m *stored
		err := r.store.persist(ctx, stream, func() (err error) {
			m, err = r.store.get(ctx, stream, getRequest{Seq: next, NextFor: subject})
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil // no later one
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if m == nil || m.Seq > until {
			break
		}
		if !m.Time.Before(t) {
			all = append(all, m)
		}
		next = m.Seq + 1
	}
	return all, nil
}

// seek returns the first sequence from first to last whose message came at or after t.
func (r *Replies) seek(ctx context.Context, first, last uint64, t time.Time) (uint64, error) {
	for !t.IsZero() && first < last {
		middle := first + (last-first)/2
		m, err := r.store.get(ctx, storage.RepliesStream(r.store.space), getRequest{Seq: middle, NextFor: ">"})
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			last = middle
		case err != nil:
			return 0, err
		case m.Time.Before(t):
			first = max(m.Seq, middle) + 1
		default:
			last = middle
		}
	}
	return first, nil
}
