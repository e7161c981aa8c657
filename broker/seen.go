package broker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A sight is the furthest state of a journal that this process has seen: its readers and
// writers know that so much was stored, even if a store that went back denies it.
type sight struct {
	mu      sync.Mutex
	created time.Time // of the stream; zero: nothing was seen
	last    uint64
}

// saw records that an append is stored.
func (s *sight) saw(created time.Time, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.created.IsZero() || s.created.Equal(created) {
		s.created, s.last = created, max(s.last, seq)
	}
}

// missing describes a loss in a journal of this state, with the last append that was seen;
// "" when there is none.
func (s *sight) missing(state JournalState) (what string, had uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.created.IsZero():
		return "", 0
	case !s.created.Equal(state.Created):
		return fmt.Sprintf("it was deleted and made anew: it ends at %d, and this node has seen it to %d", state.Last, s.last), s.last
	case state.Last < s.last:
		return fmt.Sprintf("it ends at %d, and this node has seen it to %d", state.Last, s.last), s.last
	}
	return "", 0
}

// Forget makes this process accept the journal in its present state.
func (j *Journal) Forget() {
	j.sight.mu.Lock()
	defer j.sight.mu.Unlock()
	j.sight.created, j.sight.last = time.Time{}, 0
}

// Whole returns a *ChangedError when the journal is not the one that this process has seen,
// or has lost the end of it, because an older disk came back, or the stream was made anew.
// It reports the loss.
func (j *Journal) Whole(ctx context.Context) error {
	var state JournalState
	var had uint64
	err := j.store.persist(ctx, j.name, func() (err error) {
		state, err = j.State(ctx)
		var what string
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			what, had = j.sight.missing(JournalState{})
		case err != nil:
			return err
		default:
			what, had = j.sight.missing(state)
		}
		if what == "" {
			return nil
		}
		return &ChangedError{j.name, what}
	})
	var changed *ChangedError
	if !errors.As(err, &changed) {
		return err
	}
	reported := j.store.Report(ctx, schema.Damage{
		Kind: schema.DamageShort, Stream: j.name, Had: had, Has: state.Last,
		Text: changed.What + ": all that was stored behind that is lost, and executions since then may run again; look whether all plans are there, and restore a backup if not",
	})
	return errors.Join(err, reported)
}

// ReportOlder reports an epoch that a worker claims to have seen and that the appender lacks,
// unless it is that of a successor. Known is the highest epoch that the store knew before
// the appender's own.
func (p *Appender) ReportOlder(ctx context.Context, epoch int64, workerID, station string) (known int64, lacks bool, err error) {
	if epoch > p.epoch {
		if succeeded, err := p.succeeded(ctx); succeeded || err != nil {
			return 0, false, err
		}
	}
	err = p.j.store.Report(ctx, schema.Damage{
		Kind: schema.DamageOlder, Stream: p.j.name, Had: uint64(epoch), Has: uint64(p.before),
		Text: fmt.Sprintf("worker %s of station %s has seen epoch %d, and the highest that the store knew was %d: "+
			"an older store came back, and all that was stored since is lost, or a backup was restored, or that worker comes from another installation, or it lies; "+
			"look whether all plans are there, and restore a backup if not", workerID, station, epoch, p.before),
	})
	return p.before, err == nil, err
}

// succeeded reports whether another holder has seized the journal. A server that used to
// lead may show an old end, so a negative answer is believed only when it stays.
func (p *Appender) succeeded(ctx context.Context) (bool, error) {
	var alone since
	for {
		_, newest, err := p.j.newest(ctx)
		if err != nil || newest.Epoch != p.epoch {
			return err == nil, err
		}
		if alone.forLong(true, p.j.store.doubtful()) {
			return false, nil
		}
		if err := sleep(ctx, time.Second); err != nil {
			return false, err
		}
	}
}
