package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"
)

// complainEvery limits the log lines about messages that are no appends.
const complainEvery = 10 * time.Second

// A Journal is one partition's log: a stream of one subject, whose sequences are the
// numbers of its appends. Any number of goroutines and processes may read it; its writer
// holds its Pen.
type Journal struct {
	store   *Store
	p       int
	name    string
	subject string
	log     *slog.Logger
	foreign atomic.Uint64
	// limits the log, because a foreign publisher rarely stops after one message
	complaining rate.Sometimes
	sight       sight
}

// A JournalState is a journal's range and limits.
type JournalState struct {
	First   uint64 // sequence of the oldest append; Last+1 when there is none
	Last    uint64 // sequence of the newest append ever
	Bytes   uint64
	Most    int64     // limit in bytes; -1: no limit
	Created time.Time // of the stream; a change means another stream
}

// State asks the stream's leader where the journal begins and ends.
func (j *Journal) State(ctx context.Context) (JournalState, error) {
	info, err := j.store.info(ctx, j.name)
	if err != nil {
		return JournalState{}, fmt.Errorf("state of %s: %w", j.name, err)
	}
	s := JournalState{
		First:   info.State.FirstSeq,
		Last:    info.State.LastSeq,
		Bytes:   info.State.Bytes,
		Most:    info.Config.MaxBytes,
		Created: info.Created,
	}
	if info.State.Msgs == 0 {
		s.First = s.Last + 1
	}
	return s, nil
}

// Foreign counts the messages of other publishers on the journal's subject, which its
// readers skipped because they are no appends.
func (j *Journal) Foreign() uint64 { return j.foreign.Load() }

// A Pace is how a follower polls for new appends.
type Pace struct {
	// Every is the poll interval. A longer one saves work, because many appends at a time cost
	// a fraction of the same number one by one.
	Every time.Duration
	// Wake, which may be nil, triggers a poll at once.
	Wake <-chan struct{}
	// Caught is called whenever the follower has reached the end.
	Caught func() error
}

// Follow calls f with each append behind the sequence from, in order, and then with new
// ones at the pace given, until f returns an error or ctx ends. ErrGap means that a purge
// passed the follower, *ChangedError that the journal ends below from.
func (j *Journal) Follow(ctx context.Context, from uint64, pace Pace, f func(Append) error) error {
	if err := j.read(ctx, from, 0, pace, f); err != nil {
		return fmt.Errorf("follow %s: %w", j.name, err)
	}
	return nil
}

// Replay calls f with the appends behind from, up to and including to, which must be known
// to exist. ErrGap means that the journal begins later than from+1, *ChangedError that it
// ends below from, or below to; a reader must not go on with such a journal.
func (j *Journal) Replay(ctx context.Context, from, to uint64, f func(Append) error) error {
	switch {
	case from == to:
		return nil
	case from > to:
		return &ChangedError{j.name, fmt.Sprintf("its end %d is below %d, which was read before", to, from)}
	}
	var err error
	if to-from <= fetchMost {
		err = j.fetch(ctx, from, to, f)
	} else {
		err = j.read(ctx, from, to, Pace{}, f)
	}
	if err != nil {
		return fmt.Errorf("replay %s from %d to %d: %w", j.name, from, to, err)
	}
	return nil
}

// fetch is Replay without a consumer.
func (j *Journal) fetch(ctx context.Context, from, to uint64, f func(Append) error) error {
	next := from + 1
	var failed error
	// A server that used to lead, or has just become leader, may show an old end.
	err := j.store.persist(ctx, j.name, func() error {
		failed = j.store.fetch(ctx, j.name, next, to, func(m *stored) error {
			if m.Seq != next {
				return fmt.Errorf("%w: after %d comes %d", ErrGap, next-1, m.Seq)
			}
			next++
			a, ok, err := j.decode(m.Data, m.Seq, m.Time)
			if err != nil || !ok {
				return err
			}
			a.note(m.headers())
			return f(a)
		})
		if failed != nil || next > to {
			return nil
		}
		state, err := j.State(ctx)
		if err != nil {
			return err
		}
		state.Last = next - 1 // all that could be read
		return j.holds(state, next, to)
	})
	if failed != nil {
		return failed
	}
	return err
}

// holds returns an error when a journal in this state has lost the append next, or ends
// below seen, which existed.
func (j *Journal) holds(state JournalState, next, seen uint64) error {
	switch {
	case state.First > next:
		return fmt.Errorf("%w: it begins at %d, not %d", ErrGap, state.First, next)
	case state.Last < seen:
		return &ChangedError{j.name, fmt.Sprintf("it ends at %d, which is below %d", state.Last, seen)}
	}
	return nil
}

// read is Follow when to is 0, else Replay.
func (j *Journal) read(ctx context.Context, from, to uint64, pace Pace, f func(Append) error) error {
	next := from + 1
	r := reading{store: j.store, stream: j.name, from: next, every: pace.Every, wake: pace.Wake, caught: pace.Caught}
	var created time.Time
	r.begin = func(ctx context.Context) error {
		state, err := j.State(ctx)
		switch {
		case err != nil:
			return err
		case created.IsZero():
			created = state.Created
		case !created.Equal(state.Created):
			return &ChangedError{j.name, "it was deleted and made anew"}
		}
		return j.holds(state, next, next-1)
	}
	r.each = func(m message) error {
		// The consumer silently skips purged messages.
		if m.seq != next {
			return fmt.Errorf("%w: after %d comes %d", ErrGap, next-1, m.seq)
		}
		next++
		j.sight.saw(created, m.seq)
		a, ok, err := j.decode(m.Data(), m.seq, m.at)
		if err != nil {
			return err
		}
		if ok {
			a.note(m.Headers())
			if err := f(a); err != nil {
				return err
			}
		}
		if m.seq == to {
			return errDone
		}
		return nil
	}
	return r.run(ctx)
}

// decode opens an envelope. A message without one is counted and skipped, because only a
// client with the scheduler's rights can have published it, and stopping for it would let
// one stray message stop the partition.
func (j *Journal) decode(data []byte, seq uint64, at time.Time) (Append, bool, error) {
	a, err := DecodeAppend(data)
	switch {
	case errors.Is(err, ErrNewer):
		return Append{}, false, fmt.Errorf("sequence %d: %w", seq, err)
	case err != nil:
		n := j.foreign.Add(1)
		j.complaining.Do(func() {
			j.log.Error("message in the journal is no append; skipped. Another client may publish there: give each client "+
				"a user with the rights of its role (--nats-users-file, or deploy/nats-server.conf with --nats-url)",
				"stream", j.name, "subject", j.subject, "seq", seq, "bytes", len(data), "so_far", n)
		})
		return Append{}, false, nil
	}
	a.Seq, a.Time = seq, at
	return a, true, nil
}

// note reads Append.Published and Append.Checksum from the headers of an append.
func (a *Append) note(h nats.Header) {
	a.Checksum = h.Get(headerChecksum)
	a.Published, _ = strconv.ParseUint(h.Get(headerPublished), 10, 64) // 0: of an older release, or foreign
}

// get reads the first append at or behind seq from the stream's leader. Without one it
// returns jetstream.ErrMsgNotFound; ok is false when the message is no append.
func (j *Journal) get(ctx context.Context, seq uint64) (a Append, ok bool, err error) {
	m, err := j.store.get(ctx, j.name, getRequest{Seq: seq, NextFor: j.subject})
	if err != nil {
		return Append{}, false, err
	}
	a, ok, err = j.decode(m.Data, m.Seq, m.Time)
	a.Seq = m.Seq
	return a, ok, err
}

// Purge removes the appends up to and including upTo, but never the newest one, because the
// end of an empty stream cannot be read.
func (j *Journal) Purge(ctx context.Context, upTo uint64) error {
	state, err := j.State(ctx)
	if err != nil {
		return err
	}
	if keep := min(upTo+1, state.Last); keep > state.First {
		if err := j.store.purge(ctx, j.name, keep); err != nil {
			return fmt.Errorf("purge %s up to %d: %w", j.name, keep-1, err)
		}
	}
	return nil
}
