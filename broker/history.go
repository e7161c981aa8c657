package broker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// historyWindow is how many sequences one request reads when the stream is read
	// backwards, historyFirst how many the first one reads, and historyBytes bounds the bytes
	// of a window, which larger results make narrower.
	historyWindow = 2000
	historyFirst  = 250
	historyBytes  = 8 << 20
)

// errWide means that a window holds more than historyBytes.
var errWide = errors.New("too much in one window")

// Backwards calls f with every stored message below the sequence before, 0 meaning all, the
// newest first, until f returns false. The stream holds more than results: see
// [StoredResult.Subject]. It goes back window by window, because JetStream reads forwards
// only; its cost depends on the distance that it goes, not on the size of the stream.
func (r *Results) Backwards(ctx context.Context, before uint64, f func(StoredResult) bool) error {
	return r.BackwardsTo(ctx, 0, before, f, func(uint64, uint64) {})
}

// BackwardsTo is Backwards down to the sequence low. It calls read with each part of the stream, from
// a sequence up to, not including, another, of which f has had every message that there is. The newest
// messages are in no part until a replica has them, because another one may answer the next request.
func (r *Results) BackwardsTo(ctx context.Context, low, before uint64, f func(StoredResult) bool, read func(from, to uint64)) error {
	first, at, err := r.Ends(ctx)
	if err != nil {
		return fmt.Errorf("read results backwards: %w", err)
	}
	first = max(first, low)
	if before != 0 {
		at = min(at, before)
	}
	for width := uint64(historyFirst); at > first; {
		low := at - min(width, at-first)
		window, end, err := r.between(ctx, low, at)
		switch {
		case errors.Is(err, errWide):
			width = max(width/4, 1)
			continue
		case err != nil:
			return fmt.Errorf("read results backwards: %w", err)
		}
		for i := len(window) - 1; i >= 0; i-- {
			if !f(window[i]) {
				read(window[i].Seq+1, end)
				return nil
			}
		}
		read(low, end)
		at, width = low, min(2*width, historyWindow)
	}
	return nil
}

// Ends returns the sequence of the first message of the stream, and one past its last.
func (r *Results) Ends(ctx context.Context) (first, end uint64, err error) {
	info, err := r.store.info(ctx, r.store.space.ResultsStream())
	if err != nil {
		return 0, 0, err
	}
	return max(info.State.FirstSeq, 1), info.State.LastSeq + 1, nil
}

// between reads the messages from the sequence low up to, not including, high. It returns up to where
// the server that answered has all of them: high, or less where it lags behind.
func (r *Results) between(ctx context.Context, low, high uint64) (window []StoredResult, end uint64, err error) {
	size := 0
	end = low
	for next := low; next < high; {
		got := 0
		page := directRequest{Seq: next, Batch: int(high - next), MaxBytes: historyBytes}
		err := r.store.direct(ctx, r.store.space.ResultsStream(), page, func(m directMessage) error {
			got++
			next = m.Seq + 1
			end = min(next, high)
			if m.Seq >= high {
				return nil
			}
			window = append(window, m.StoredResult)
			if size += len(m.Body); size > historyBytes && high-low > 1 {
				return errWide
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		if got == 0 {
			break // no later message
		}
	}
	return window, end, nil
}

// These returns the messages of the given sequences, in their order, without those that are not kept
// any more. All are asked for before the first answer, so that they cost one round trip.
func (r *Results) These(ctx context.Context, seqs []uint64) ([]StoredResult, error) {
	found := make(map[uint64]StoredResult, len(seqs))
	err := r.store.directEach(ctx, r.store.space.ResultsStream(), seqs, func(m directMessage) {
		found[m.Seq] = m.StoredResult
	})
	if err != nil {
		return nil, fmt.Errorf("read %d results: %w", len(seqs), err)
	}
	kept := make([]StoredResult, 0, len(found))
	for _, seq := range seqs {
		if one, ok := found[seq]; ok {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// At returns the sequence of the first result that was stored at t or later, or one past
// the last when there is none.
func (r *Results) At(ctx context.Context, t time.Time) (uint64, error) {
	stream := r.store.space.ResultsStream()
	info, err := r.store.info(ctx, stream)
	if err != nil {
		return 0, fmt.Errorf("find results of a time: %w", err)
	}
	seq := info.State.LastSeq + 1
	err = r.store.direct(ctx, stream, directRequest{Start: &t, Batch: 1}, func(m directMessage) error {
		seq = m.Seq
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("find results of a time: %w", err)
	}
	return seq, nil
}

// Newest returns the sequence of the newest kept result for each of the given subjects of
// plans, at most 1,000 at a time.
func (r *Results) Newest(ctx context.Context, subjects []string) (map[string]uint64, error) {
	newest := make(map[string]uint64, len(subjects))
	err := r.LastOfEach(ctx, subjects, func(s StoredResult) { newest[s.Subject] = s.Seq })
	if err != nil {
		return nil, err
	}
	return newest, nil
}

// LastOfEach calls f with the newest kept result of each of the given subjects of plans, at most
// 1,000 at a time, in any order. Subjects without one are left out.
func (r *Results) LastOfEach(ctx context.Context, subjects []string, f func(StoredResult)) error {
	if len(subjects) == 0 {
		return nil
	}
	page := directRequest{Last: subjects, Batch: len(subjects)}
	err := r.store.direct(ctx, r.store.space.ResultsStream(), page, func(m directMessage) error {
		f(m.StoredResult)
		return nil
	})
	if err != nil {
		return fmt.Errorf("find the newest results of %d plans: %w", len(subjects), err)
	}
	return nil
}
