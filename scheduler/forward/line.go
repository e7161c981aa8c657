package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// answeredWithin bounds a request, because a leader that took it and died does not answer.
	answeredWithin = 5 * time.Second
	// probeTimeout bounds a probe.
	probeTimeout = 100 * time.Millisecond
)

var (
	// ErrElsewhere reports that the command was not carried out, because the node does not
	// lead, so that it may be sent again. A leader answers with it, too.
	ErrElsewhere = errors.New("the partition is not led where it was asked for")
	// ErrNoLeader is an ErrElsewhere for a leader's subject without a subscription.
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
	replies   *replies
	run       atomic.Int64
}

// NewLine returns the line to the leader of a partition. Its connection must have no reconnect
// buffer, because a command that was taken for lost would be carried out later.
func NewLine(conn *nats.Conn, space schema.Space, partition int, log *slog.Logger) *Line {
	l := &Line{conn: conn, space: space, partition: partition, log: log, replies: newReplies(conn)}
	l.run.Store(1)
	return l
}

// Close ends the line, so that no command is sent any more, and sent ones are not answered.
func (l *Line) Close() {
	if err := l.replies.close(); err != nil {
		l.log.Debug("unsubscribe from answers", "error", err)
	}
}

// Resume begins another run of commands. A node that answers one of a run with ErrElsewhere and
// leads a moment later does so for all of that run, because they would pass the one that comes
// again. Call it when a probe has found a leader after an ErrElsewhere.
func (l *Line) Resume() { l.run.Add(1) }

// Sent is a command on its way to the leader.
type Sent struct {
	command command.Command
	reply   *reply
}

// Send sends c behind all that was sent before it, and does not wait for the answer. Errors are
// ErrElsewhere, when it has not left, ErrTooLarge, and that c cannot be encoded. Otherwise the
// answer has to be taken.
func (l *Line) Send(c command.Command) (*Sent, error) {
	body, err := encodeRequest(c, l.run.Load())
	if err != nil {
		return nil, err
	}
	reply, err := l.replies.await()
	if err != nil {
		return nil, ErrElsewhere
	}
	switch err := l.conn.PublishRequest(subjectOf(l.space, l.partition), reply.subject, body); {
	case errors.Is(err, nats.ErrMaxPayload):
		reply.forget()
		return nil, ErrTooLarge
	case err != nil: // disconnected, or closed
		reply.forget()
		return nil, ErrElsewhere
	}
	return &Sent{c, reply}, nil
}

// Answer waits for the answer, for five seconds at most, and no longer than ctx. A refusal of the
// leader is a *schema.Error; other errors are ErrElsewhere, ErrUnanswered, and that the answer
// cannot be decoded.
func (s *Sent) Answer(ctx context.Context) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, answeredWithin)
	defer cancel()
	defer s.reply.forget()
	select {
	case m := <-s.reply.came:
		if len(m.Data) == 0 && m.Header.Get("Status") == noResponders {
			return nil, ErrNoLeader
		}
		return s.read(m.Data)
	case <-ctx.Done():
		return nil, ErrUnanswered
	}
}

// noResponders is the status with which a server answers a request that has no subscription.
const noResponders = "503"

func (s *Sent) read(body []byte) (any, error) {
	var t response
	if err := scanInto(body, &t); err != nil {
		return nil, fmt.Errorf("read the answer to a %T: %w", s.command, err)
	}
	switch {
	case t.Moved:
		return nil, ErrElsewhere
	case t.Error != nil:
		return nil, t.Error
	}
	if command.IsDry(s.command) && !command.AnswersItself(s.command) {
		var dry schema.DryRun
		if err := wire.Unmarshal(t.Body, &dry); err != nil {
			return nil, fmt.Errorf("read the answer to a dry run: %w", err)
		}
		return dry, nil
	}
	bare, _ := command.Bare(s.command)
	answer, err := routesByType[reflect.TypeOf(bare)].open(t.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer to a %T: %w", s.command, err)
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
