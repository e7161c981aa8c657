package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// answeredWithin bounds a request, because a leader that took it and died does not answer.
	answeredWithin = 5 * time.Second
	// probeTimeout bounds a probe.
	probeTimeout = 100 * time.Millisecond
)

var (
	// ErrElsewhere reports that the command was not carried out, because the node does not
	// lead: it may be sent again. A leader answers with it, too.
	ErrElsewhere = errors.New("the partition is not led where it was asked for")
	// ErrNoLeader is an ErrElsewhere: the leader's subject has no subscription.
	ErrNoLeader = fmt.Errorf("%w: no node has its lease", ErrElsewhere)
	// ErrTooLarge reports that the command exceeds the server's max_payload.
	ErrTooLarge = errors.New("the command is larger than the server's max_payload allows")
	// ErrUnanswered reports that it is unknown whether the command was carried out.
	ErrUnanswered = errors.New("the command was not answered")
)

// A Line leads to the leader of one partition, in whichever process it is. It is safe for
// concurrent use.
type Line struct {
	conn      *nats.Conn
	space     schema.Space
	partition int
	log       *slog.Logger
}

// NewLine returns the line to the leader of a partition. Its connection must have no reconnect
// buffer, because a command that was taken for lost would be carried out later.
func NewLine(conn *nats.Conn, space schema.Space, partition int, log *slog.Logger) *Line {
	return &Line{conn: conn, space: space, partition: partition, log: log}
}

// Ask has the leader carry out c, and returns the answer. It waits for five seconds at most,
// and no longer than ctx. A refusal of the leader is a *schema.Error; other errors are
// ErrElsewhere, ErrTooLarge, ErrUnanswered, and that c or its answer cannot be encoded or
// decoded.
func (l *Line) Ask(ctx context.Context, c command.Command) (answer any, err error) {
	body, err := encodeRequest(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answeredWithin)
	defer cancel()
	m, err := l.conn.RequestWithContext(ctx, subjectOf(l.space, l.partition), body)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, ErrNoLeader
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, ErrTooLarge
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return nil, ErrElsewhere // it never left
	case err != nil:
		return nil, ErrUnanswered
	}
	var t response
	if err := scanInto(m.Data, &t); err != nil {
		return nil, fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	switch {
	case t.Moved:
		return nil, ErrElsewhere
	case t.Error != nil:
		return nil, t.Error
	}
	bare, _ := command.Bare(c)
	answer, err = routesByType[reflect.TypeOf(bare)].open(t.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	return answer, nil
}

// A Sign is the result of a probe of the leader's subject.
type Sign int

const (
	Unclear    Sign = iota // no answer in time
	Vacant                 // no subscription; NATS reports that at once, also of a process that was killed
	NotLeading             // subscribed by a node that does not lead, or not yet
	Leads                  // it leads
	Stuck                  // it leads, but cannot write
)

// Probe probes the leader's subject, and waits for 100 milliseconds at most.
func (l *Line) Probe(ctx context.Context) Sign {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	m, err := l.conn.RequestWithContext(ctx, subjectOf(l.space, l.partition), nil)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return Vacant
	case err != nil:
		return Unclear
	}
	var t response
	switch err := scanInto(m.Data, &t); {
	case err != nil: // not a response: a presence
		return Leads
	case t.Moved:
		return NotLeading
	case t.Stuck:
		return Stuck
	}
	return Leads
}

// publish sends an answer. It may be lost, because a client that needs it asks again.
func (l *Line) publish(to string, body []byte) {
	if err := l.conn.Publish(to, body); err != nil {
		l.log.Debug("not published", "subject", to, "error", err)
	}
}

// subjectOf is where the leader of a partition takes commands from other nodes.
func subjectOf(s schema.Space, partition int) string {
	return s.Service("scheduler.lead", strconv.Itoa(partition))
}
