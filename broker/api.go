package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// apiPatience bounds one request to JetStream, because a request to a stream without a
// leader is never answered.
const apiPatience = 3 * time.Second

// The requests below go to a stream's leader, by name, because a writer must not decide by
// the answer of a replica (in a cluster that changed its leader, 5 of 10 reads were stale).
// The handles of package jetstream use direct reads, which any replica answers, where a
// stream allows them.

// A getRequest asks for one message: the one at Seq, the next of NextFor at or behind Seq,
// or the last one of LastFor.
type getRequest struct {
	Seq     uint64 `json:"seq,omitempty"`
	NextFor string `json:"next_by_subj,omitempty"`
	LastFor string `json:"last_by_subj,omitempty"`
}

// A stored is one message in the form of JetStream's API.
type stored struct {
	Subject string    `json:"subject"`
	Seq     uint64    `json:"seq"`
	Header  []byte    `json:"hdrs"`
	Data    []byte    `json:"data"`
	Time    time.Time `json:"time"`
}

// headers decodes the message's headers; nil when it has none, or they cannot be decoded.
func (m *stored) headers() nats.Header {
	h, err := nats.DecodeHeadersMsg(m.Header)
	if err != nil {
		return nil
	}
	return h
}

// get reads one message. It returns jetstream.ErrMsgNotFound only when the stream's state
// confirms that there is none, because nats-server answers with the same error when a read
// failed, as when it has no file descriptor left.
func (s *Store) get(ctx context.Context, stream string, req getRequest) (*stored, error) {
	m, err := s.read(ctx, stream, req)
	if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return m, err
	}
	holds, stateErr := s.holds(ctx, stream, req)
	if stateErr != nil {
		return nil, stateErr
	}
	if !holds {
		return nil, err
	}
	// The message may have arrived since the first read.
	if m, err = s.read(ctx, stream, req); errors.Is(err, jetstream.ErrMsgNotFound) {
		err = fmt.Errorf("read of %s: %w", stream, errUnread)
	}
	return m, err
}

// errUnread means that a stream holds a message which its server fails to read.
var errUnread = errors.New("its server does not read what the stream holds; look at the server's disk, its open files and its log")

// holds reports whether the stream has a message that req matches, by the state that its
// server keeps in memory. When that state does not decide it, the result is true.
func (s *Store) holds(ctx context.Context, stream string, req getRequest) (bool, error) {
	subject := cmp.Or(req.LastFor, req.NextFor)
	ask := infoRequest{Subjects: subject}
	if subject == "" || subject == ">" {
		ask = infoRequest{}
	}
	var info jetstream.StreamInfo
	if err := s.ask(ctx, "STREAM.INFO", stream, ask, &info); err != nil {
		return false, err
	}
	switch {
	case info.State.Msgs == 0, info.State.LastSeq < req.Seq, ask.Subjects != "" && len(info.State.Subjects) == 0:
		return false, nil
	case req.Seq <= info.State.FirstSeq:
		return true, nil
	}
	// Matching messages exist, but all of them may be before req.Seq.
	last, err := s.read(ctx, stream, getRequest{LastFor: cmp.Or(subject, ">")})
	switch {
	case err == nil:
		return last.Seq >= req.Seq, nil
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return false, err
	}
	// The list of deleted sequences may be long, so it is asked for last.
	if err := s.ask(ctx, "STREAM.INFO", stream, infoRequest{Deleted: true}, &info); err != nil {
		return false, err
	}
	gone := 0
	for _, seq := range info.State.Deleted {
		if seq >= req.Seq {
			gone++
		}
	}
	return info.State.LastSeq-req.Seq+1 > uint64(gone), nil
}

// An infoRequest names the optional parts of a stream's state: the subjects that match a
// filter, and the sequences that were deleted between others.
type infoRequest struct {
	Subjects string `json:"subjects_filter,omitempty"`
	Deleted  bool   `json:"deleted_details,omitempty"`
}

// read reads one message. Its bytes arrive as base64, and wire decodes a large one seven
// times as fast as encoding/json.
func (s *Store) read(ctx context.Context, stream string, req getRequest) (*stored, error) {
	const verb = "STREAM.MSG.GET"
	body, err := s.call(ctx, verb, stream, req)
	if err != nil {
		return nil, err
	}
	v, err := wire.ScanAs(wire.JSON, body, wire.Limits{})
	if err != nil {
		return nil, fmt.Errorf("answer of %s of %s: %w", verb, stream, err)
	}
	if is := v.Field("error"); !is.IsZero() {
		return nil, refusal(verb, stream, is.Raw())
	}
	m := new(stored)
	if err := wire.DecodeLoose(v.Field("message"), m); err != nil {
		return nil, fmt.Errorf("answer of %s of %s: %w", verb, stream, err)
	}
	return m, nil
}

// info reads a stream's configuration and state.
func (s *Store) info(ctx context.Context, stream string) (*jetstream.StreamInfo, error) {
	var info jetstream.StreamInfo
	if err := s.ask(ctx, "STREAM.INFO", stream, struct{}{}, &info); err != nil {
		return nil, err
	}
	return &info, nil
}

// purge removes all messages below the sequence keep, which becomes the lowest sequence
// that the stream will hold or assign.
func (s *Store) purge(ctx context.Context, stream string, keep uint64) error {
	req := struct {
		Seq uint64 `json:"seq"`
	}{keep}
	return s.ask(ctx, "STREAM.PURGE", stream, req, nil)
}

// purgeOf removes the messages of a subject, which may hold wildcards, below the sequence
// keep.
func (s *Store) purgeOf(ctx context.Context, stream, subject string, keep uint64) error {
	req := struct {
		Filter string `json:"filter"`
		Seq    uint64 `json:"seq"`
	}{subject, keep}
	return s.ask(ctx, "STREAM.PURGE", stream, req, nil)
}

// ask sends one request about a stream and decodes the answer into resp. A stream that does
// not exist is a *ChangedError, because Provision made it.
func (s *Store) ask(ctx context.Context, verb, stream string, req, resp any) error {
	body, err := s.call(ctx, verb, stream, req)
	if err != nil {
		return err
	}
	var failed struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &failed); err != nil {
		return fmt.Errorf("answer of %s of %s: %w", verb, stream, err)
	}
	if failed.Error != nil {
		return refusal(verb, stream, failed.Error)
	}
	if resp == nil {
		return nil
	}
	if err := json.Unmarshal(body, resp); err != nil {
		return fmt.Errorf("answer of %s of %s: %w", verb, stream, err)
	}
	return nil
}

// call sends one request about a stream and returns the answer.
func (s *Store) call(ctx context.Context, verb, stream string, req any) ([]byte, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", verb, err)
	}
	asking, cancel := context.WithTimeout(ctx, apiPatience)
	defer cancel()
	m, err := s.nc.RequestWithContext(asking, "$JS.API."+verb+"."+stream, body)
	if err != nil {
		return nil, fmt.Errorf("ask %s of %s: %w", verb, stream, cause(ctx, err))
	}
	return m.Data, nil
}

// refusal decodes an error answer of JetStream's API.
func refusal(verb, stream string, body []byte) error {
	is := new(jetstream.APIError)
	if err := json.Unmarshal(body, is); err != nil {
		return fmt.Errorf("answer of %s of %s: %w", verb, stream, err)
	}
	if is.ErrorCode == jetstream.JSErrCodeStreamNotFound {
		return &ChangedError{stream, "it does not exist"}
	}
	return fmt.Errorf("%s of %s: %w", verb, stream, is)
}

// A message without a stream to take it is sent again as jetstream.Publish does it, but
// sooner and more often.
const (
	publishTries = 5
	publishPause = 100 * time.Millisecond
)

// publish stores one message, with no expectation about the stream, and returns its
// sequence.
func (s *Store) publish(ctx context.Context, stream string, m *nats.Msg) (uint64, error) {
	if err := s.Room(); err != nil {
		return 0, fmt.Errorf("publish to %s: %w", stream, err)
	}
	publishing, cancel := context.WithTimeout(ctx, apiPatience)
	defer cancel()
	ack, err := s.nc.RequestMsgWithContext(publishing, m)
	// In a cluster a stream may exist before our server knows its subscription. Sending
	// again does no harm, because no stream has the message.
	for try := 0; errors.Is(err, nats.ErrNoResponders) && try < publishTries && sleep(publishing, publishPause) == nil; try++ {
		ack, err = s.nc.RequestMsgWithContext(publishing, m)
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return 0, fmt.Errorf("no stream takes %s: %w", m.Subject, err)
	}
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", stream, cause(ctx, err))
	}
	return parseAck(ack)
}
