package broker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Headers by which a stream checks and groups publications, and error codes of its
// refusals.
const (
	headerStream         = "Nats-Expected-Stream"
	headerLastSeq        = "Nats-Expected-Last-Sequence"
	headerLastSubjectSeq = "Nats-Expected-Last-Subject-Sequence"
	headerTTL            = "Nats-TTL"
	headerRollup         = "Nats-Rollup"
	headerBatch          = "Nats-Batch-Id"
	headerBatchSeq       = "Nats-Batch-Sequence"
	headerBatchCommit    = "Nats-Batch-Commit"
	headerKVOperation    = "KV-Operation"
	headerContentType    = "Content-Type"
	headerPublished      = "Plan-Said" // of an append; see Append.Published
	headerChecksum       = "Plan-Checksum"
	contentTypeJSON      = "application/json"
	statusNoResponders   = "503"
	headerStatus         = "Status"
	errCodeInFlight      = 10164 // wrong last sequence, because another write is in flight
	errCodeNoStorage     = 10047 // insufficient storage resources
	errCodeNoMemory      = 10028 // insufficient memory resources
	errCodeNoResources   = 10023 // insufficient resources
	errCodeNoPeers       = 10005 // no suitable peers for placement
	errCodeNotLeader     = 10009 // the cluster can not handle the request
	errCodeNoReplicas    = 10074 // more than one replica on a server without a cluster
)

// patience is how long a publication may stay unanswered before its writer looks whether it
// landed. Longer than any synced write, shorter than the 4 to 7 s in which a replicated
// stream has no leader.
const patience = 2 * time.Second

// errSilent means that no acknowledgement came, so that the message may have landed, may still
// land, or was lost.
var errSilent = errors.New("no acknowledgement in time")

// A line publishes to streams and awaits the acknowledgements, one publication at a time,
// on a subscription of its own. It does the work of jetstream's Publish, without an
// allocation for each of its options, and for batches too. One goroutine uses it.
type line struct {
	nc    *nats.Conn
	room  func() error // as of Store.Room
	sub   *nats.Subscription
	acks  chan *nats.Msg
	down  chan nats.Status // the connection was lost or closed
	inbox string           // ends with a dot
	sent  uint64
	timer *time.Timer
}

func newLine(s *Store) (*line, error) {
	nc := s.nc
	l := &line{
		nc:    nc,
		room:  s.Room,
		inbox: nc.NewInbox() + ".",
		// Acknowledgements of abandoned publications arrive late and are dropped; there are
		// never more than a few of them.
		acks:  make(chan *nats.Msg, 64),
		down:  nc.StatusChanged(nats.RECONNECTING, nats.CLOSED),
		timer: time.NewTimer(time.Hour),
	}
	var err error
	if l.sub, err = nc.ChanSubscribe(l.inbox+"*", l.acks); err != nil {
		nc.RemoveStatusListener(l.down)
		return nil, fmt.Errorf("subscribe to acknowledgements: %w", err)
	}
	return l, nil
}

// close ends the subscription. An error means that the connection is closed.
func (l *line) close() {
	l.timer.Stop()
	l.nc.RemoveStatusListener(l.down)
	_ = l.sub.Unsubscribe()
}

// publish sends m, if there is room, and returns its sequence. A *jetstream.APIError is a
// refusal by the stream. After errSilent and all others the outcome is unknown, except
// nats.ErrConnectionClosed, after which nothing will be stored.
func (l *line) publish(ctx context.Context, patience time.Duration, m *nats.Msg) (uint64, error) {
	reply, err := l.begin()
	if err != nil {
		return 0, err
	}
	m.Reply = reply
	if err := l.nc.PublishMsg(m); err != nil {
		return 0, err
	}
	return l.await(ctx, patience, m.Reply)
}

// publishBatch sends fence and msgs as one atomic batch, each of msgs on the subject that
// as makes of its own, and returns the sequence of the last one. It does not change msgs.
// One header serves for all, because the connection copies each message before the next is
// made.
func (l *line) publishBatch(ctx context.Context, patience time.Duration, fence *nats.Msg, msgs []*nats.Msg, as func(string) string) (uint64, error) {
	reply, err := l.begin()
	if err != nil {
		return 0, err
	}
	number, end := []string{"1"}, []string{"1"}
	id := []string{rand.Text()}
	fence.Header[headerBatch], fence.Header[headerBatchSeq] = id, number
	if err := l.nc.PublishMsg(fence); err != nil {
		return 0, err
	}
	one := nats.Msg{Header: make(nats.Header, 8)}
	for i, m := range msgs {
		clear(one.Header)
		maps.Copy(one.Header, m.Header)
		number[0] = strconv.Itoa(i + 2)
		one.Header[headerBatch], one.Header[headerBatchSeq] = id, number
		if i == len(msgs)-1 {
			one.Header[headerBatchCommit] = end
			one.Reply = reply
		}
		one.Subject, one.Data = as(m.Subject), m.Data
		if err := l.nc.PublishMsg(&one); err != nil {
			return 0, err
		}
	}
	return l.await(ctx, patience, reply)
}

// begin returns the reply subject for the acknowledgement of the next publication, if there
// is room for one.
func (l *line) begin() (reply string, err error) {
	if err := l.room(); err != nil {
		return "", err
	}
	for len(l.down) > 0 {
		<-l.down // an earlier change of the status
	}
	l.sent++
	return l.inbox + strconv.FormatUint(l.sent, 36), nil
}

// await waits for the acknowledgement on reply.
func (l *line) await(ctx context.Context, patience time.Duration, reply string) (uint64, error) {
	l.timer.Reset(patience)
	for {
		ack, err := l.receive(ctx)
		if err != nil {
			return 0, err
		}
		if ack.Subject == reply {
			return parseAck(ack)
		}
	}
}

// offer publishes m without waiting, and returns the reply subject under which answer finds
// the acknowledgement.
func (l *line) offer(m *nats.Msg) (reply string, err error) {
	if reply, err = l.begin(); err != nil {
		return "", err
	}
	m.Reply = reply
	return reply, l.nc.PublishMsg(m)
}

// answer returns the parsed acknowledgement on reply, if it has arrived.
func (l *line) answer(reply string) (seq uint64, refusal error, answered bool) {
	for {
		select {
		case ack := <-l.acks:
			if ack.Subject == reply {
				seq, err := parseAck(ack)
				return seq, err, true
			}
		default:
			return 0, nil, false
		}
	}
}

// receive waits for the next acknowledgement, until the timer fires.
func (l *line) receive(ctx context.Context) (*nats.Msg, error) {
	select {
	case ack := <-l.acks:
		return ack, nil
	case status := <-l.down:
		// Look now, not in two seconds, because the acknowledgement was lost with the connection.
		if status == nats.CLOSED {
			return nil, nats.ErrConnectionClosed
		}
		return nil, errSilent
	case <-l.timer.C:
		return nil, errSilent
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// parseAck reads a stream's answer to a publication. There is one for every append, and
// encoding/json takes three times as long as wire.
func parseAck(m *nats.Msg) (uint64, error) {
	if len(m.Data) == 0 && m.Header.Get(headerStatus) == statusNoResponders {
		return 0, nats.ErrNoResponders
	}
	ack, err := wire.ScanAs(wire.JSON, m.Data, wire.Limits{})
	if err != nil {
		return 0, fmt.Errorf("acknowledgement %q: %w", m.Data, err)
	}
	if is := ack.Field("error"); !is.IsZero() {
		refusal := new(jetstream.APIError)
		if err := json.Unmarshal(is.Raw(), refusal); err != nil {
			return 0, fmt.Errorf("acknowledgement %q: %w", m.Data, err)
		}
		return 0, refusal
	}
	seq, ok := ack.Field("seq").Uint()
	if !ok {
		return 0, fmt.Errorf("acknowledgement %q: it has no sequence", m.Data)
	}
	return seq, nil
}

// refused reports whether err is a stream's refusal with that error code.
func refused(err error, code jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == code
}
