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
	Batch    int        `json:"batch,omitempty"`
	MaxBytes int        `json:"max_bytes,omitempty"`
}

// direct reads messages in one request, to which the stream's server sends each as a message of
// its own and then an empty one. It avoids a consumer, which would cost more for a handful of
// messages.
func (s *Store) direct(ctx context.Context, stream string, ask directRequest, f func(directMessage) error) error {
	answers := make(chan *nats.Msg, ask.Batch+1)
	inbox, end, err := s.answersTo(answers)
	if err != nil {
		return err
	}
	defer end()
	if err := s.askDirect(stream, inbox, ask); err != nil {
		return err
	}
	for {
		m, err := nextAnswer(ctx, answers)
		if err != nil {
			return err
		}
		switch read, is, err := readDirect(m); {
		case err != nil:
			return err
		case !is: // the end of the batch; no message at all
			return nil
		default:
			if err := f(read); err != nil {
				return err
			}
		}
	}
}

// directEach reads the messages of some sequences, and calls f with those that there are, in any order.
func (s *Store) directEach(ctx context.Context, stream string, seqs []uint64, f func(directMessage)) error {
	answers := make(chan *nats.Msg, len(seqs))
	inbox, end, err := s.answersTo(answers)
	if err != nil {
		return err
	}
	defer end()
	for _, seq := range seqs {
		if err := s.askDirect(stream, inbox, directRequest{Seq: seq}); err != nil {
			return err
		}
	}
	for range seqs {
		m, err := nextAnswer(ctx, answers)
		if err != nil {
			return err
		}
		read, is, err := readDirect(m)
		if err != nil {
			return err
		}
		if is {
			f(read)
		}
	}
	return nil
}

// answersTo subscribes to a new inbox. The second value ends that.
func (s *Store) answersTo(answers chan *nats.Msg) (inbox string, end func(), err error) {
	inbox = s.nc.NewInbox()
	sub, err := s.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return "", nil, fmt.Errorf("subscribe to answers: %w", err)
	}
	return inbox, func() { _ = sub.Unsubscribe() }, nil // it fails only on a closed connection
}

func (s *Store) askDirect(stream, inbox string, ask directRequest) error {
	req, err := json.Marshal(ask)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, req); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

func nextAnswer(ctx context.Context, answers <-chan *nats.Msg) (*nats.Msg, error) {
	select { // without a timer where answers come one after the other
	case m := <-answers:
		return m, nil
	default:
	}
	silence := time.NewTimer(apiPatience)
	defer silence.Stop()
	select {
	case m := <-answers:
		return m, nil
	case <-silence.C:
		return nil, errSilent
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// readDirect reads an answer; false: it is the end of a batch, or there is no such message.
func readDirect(m *nats.Msg) (read directMessage, is bool, err error) {
	switch status := m.Header.Get(headerStatus); status {
	case "":
	case "204", "404":
		return read, false, nil
	case statusNoResponders:
		return read, false, nats.ErrNoResponders
	default:
		return read, false, fmt.Errorf("answer %s %s", status, m.Header.Get("Description"))
	}
	seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return read, false, fmt.Errorf("answer without a sequence: %w", err)
	}
	at, err := time.Parse(time.RFC3339Nano, m.Header.Get("Nats-Time-Stamp"))
	if err != nil {
		return read, false, fmt.Errorf("answer without a time: %w", err)
	}
	return directMessage{StoredResult{seq, at, m.Header.Get("Nats-Subject"), m.Data}, m.Header}, true, nil
}
