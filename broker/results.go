package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Results reads the stream that keeps plan.result.>, which the results chains write. It is
// history, which on a cluster may lack the last few milliseconds.
type Results struct{ store *Store }

// Results is the installation's kept results.
func (s *Store) Results() *Results { return &Results{s} }

// A StoredResult is one message of the stream of results.
type StoredResult struct {
	Seq     uint64
	Time    time.Time // when it was stored
	Subject string
	Body    []byte
}

// directMessage is one message of a direct read.
type directMessage struct {
	StoredResult
	header nats.Header
}

// resultsPage is how many results one request asks for.
const resultsPage = 500

// Of calls f with all kept results of a plan, the oldest first.
func (r *Results) Of(ctx context.Context, station, planID string, f func(StoredResult) error) error {
	subject := r.store.space.Result(station, planID)
	next := uint64(1)
	for {
		n := 0
		page := directRequest{Seq: next, NextFor: subject, Batch: resultsPage}
		err := r.store.direct(ctx, r.store.space.ResultsStream(), page, func(m directMessage) error {
			n, next = n+1, m.Seq+1
			return f(m.StoredResult)
		})
		if err != nil {
			return fmt.Errorf("results of %s/%s: %w", station, planID, err)
		}
		if n < resultsPage {
			return nil
		}
	}
}

// Last returns the newest result of a plan; ErrNotFound when none is kept.
func (r *Results) Last(ctx context.Context, station, planID string) (StoredResult, error) {
	stream := r.store.space.ResultsStream()
	m, err := r.store.get(ctx, stream, getRequest{LastFor: r.store.space.Result(station, planID)})
	if err != nil {
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			err = ErrNotFound
		}
		return StoredResult{}, fmt.Errorf("last result of %s/%s: %w", station, planID, err)
	}
	return StoredResult{m.Seq, m.Time, m.Subject, m.Data}, nil
}

// A directRequest asks for several messages at once: up to Batch of them, and no more than
// about MaxBytes unless that is 0, of the subject NextFor, or of any, from the sequence Seq
// or the moment Start on; or the last one of each of the subjects Last.
type directRequest struct {
	Seq      uint64     `json:"seq,omitempty"`
	Start    *time.Time `json:"start_time,omitempty"`
	NextFor  string     `json:"next_by_subj,omitempty"`
	Last     []string   `json:"multi_last,omitempty"`
	Batch    int        `json:"batch"`
	MaxBytes int        `json:"max_bytes,omitempty"`
}

// direct reads messages in one request: the stream's server sends each as a message of its
// own and then an empty one. It avoids a consumer, which would cost more for a handful of
// messages.
func (s *Store) direct(ctx context.Context, stream string, ask directRequest, f func(directMessage) error) error {
	req, err := json.Marshal(ask)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	answers := make(chan *nats.Msg, ask.Batch+1)
	inbox := s.nc.NewInbox()
	sub, err := s.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return fmt.Errorf("subscribe to answers: %w", err)
	}
	defer sub.Unsubscribe() //nolint:errcheck // it fails only on a closed connection
	if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, req); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	silence := time.NewTimer(apiPatience)
	defer silence.Stop()
	for {
		var m *nats.Msg
		select {
		case m = <-answers:
			silence.Reset(apiPatience)
		case <-silence.C:
			return errSilent
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		switch status := m.Header.Get(headerStatus); status {
		case "":
		case "204", "404": // the end of the batch; no message at all
			return nil
		case statusNoResponders:
			return nats.ErrNoResponders
		default:
			return fmt.Errorf("answer %s %s", status, m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
		if err != nil {
			return fmt.Errorf("answer without a sequence: %w", err)
		}
		at, err := time.Parse(time.RFC3339Nano, m.Header.Get("Nats-Time-Stamp"))
		if err != nil {
			return fmt.Errorf("answer without a time: %w", err)
		}
		if err := f(directMessage{StoredResult{seq, at, m.Header.Get("Nats-Subject"), m.Data}, m.Header}); err != nil {
			return err
		}
	}
}
