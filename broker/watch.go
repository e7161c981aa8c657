package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// watchInterval is how often Watch looks, which is one small request a stream.
const watchInterval = 3 * time.Second

// Watch compares the streams with its memory of them, every few seconds, until one was
// deleted, made anew, purged as a whole or rolled back, which it returns as a
// *ChangedError, or until ctx ends. It is needed because watchers and consumers do not
// report such changes, and used sequences become valid again.
//
// Streams in memory are no such loss, because a server forgets them when it restarts, and
// Watch makes them again.
func (s *Store) Watch(ctx context.Context) error {
	var streams []*watched
	for p := range partitions(s.space) {
		streams = append(streams,
			&watched{name: storage.JournalStream(s.space, p)},
			&watched{name: s.Table(p).stream(), mustHave: s.Table(p).subject(storage.CheckpointKey), chains: s.tableChains[p : p+1]})
	}
	for _, b := range []string{storage.StationsBucket(s.space), s.space.LeadersBucket()} {
		streams = append(streams, &watched{name: bucketPrefix + b})
	}
	streams = append(streams,
		&watched{name: s.space.ResultsStream(), chains: s.resultsChains},
		&watched{name: storage.QueuesStream(s.space), mustHave: storage.Queued(s.space, 0), chains: s.itemsChains})
	for {
		for _, w := range streams {
			err := w.look(ctx, s)
			var changed *ChangedError
			if w.bad.forLong(errors.As(err, &changed), s.doubtful()) {
				return err
			}
		}
		if err := s.Remake(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("a stream in memory is gone", "error", err)
		}
		if err := sleep(ctx, watchInterval); err != nil {
			return err
		}
	}
}

// AwaitConnection returns when the store's connection is established.
func (s *Store) AwaitConnection(ctx context.Context) error { return AwaitConnection(ctx, s.nc) }

// AwaitConnection returns when nc is connected: nats.ErrConnectionClosed when it never will
// be.
func AwaitConnection(ctx context.Context, nc *nats.Conn) error {
	changed := nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer nc.RemoveStatusListener(changed)
	for {
		switch nc.Status() {
		case nats.CONNECTED:
			return nil
		case nats.CLOSED:
			return nats.ErrConnectionClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Remake makes the streams in memory again that a restart of their server has forgotten.
func (s *Store) Remake(ctx context.Context) error {
	for _, planned := range []plannedStream{s.cfg.replies(), s.cfg.workers()} {
		_, err := s.provide(ctx, planned)
		for errors.Is(err, errNoWord) && ctx.Err() == nil {
			_, err = s.provide(ctx, planned) // a stream without a leader gets one
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// watched is a stream as it was last seen.
type watched struct {
	name     string
	mustHave string // a subject that never disappears once it exists
	// chains write there in batches. A batch that fails half-way, as on a full disk, is
	// taken back, so only an end that they know as acknowledged counts.
	chains []*Chain

	created time.Time
	last    uint64 // an acknowledged end
	had     bool   // mustHave existed
	bad     since
}

// look returns a *ChangedError when the stream is not the remembered one; other errors mean
// that it could not be asked now.
func (w *watched) look(ctx context.Context, s *Store) error {
	for _, c := range w.chains {
		w.last = max(w.last, c.end.Load())
	}
	info, err := s.info(ctx, w.name)
	if err != nil {
		return err
	}
	s.noteForm(info.Config)
	switch {
	case w.created.IsZero():
		w.created = info.Created
	case !w.created.Equal(info.Created):
		return &ChangedError{w.name, "it was deleted and made anew"}
	case info.State.LastSeq < w.last:
		return &ChangedError{w.name, fmt.Sprintf("it ends at %d, which is below %d", info.State.LastSeq, w.last)}
	}
	if len(w.chains) == 0 {
		w.last = info.State.LastSeq
	}
	if w.mustHave == "" {
		return nil
	}
	_, err = s.get(ctx, w.name, getRequest{LastFor: w.mustHave})
	switch {
	case err == nil:
		w.had = true
	case w.had && errors.Is(err, jetstream.ErrMsgNotFound):
		return &ChangedError{w.name, "it was purged: " + w.mustHave + " is gone"}
	}
	return nil
}
