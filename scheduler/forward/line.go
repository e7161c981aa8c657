package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// answeredWithin bounds an errand: a leader that took it and died says nothing.
	answeredWithin = 5 * time.Second
	// lookWithin bounds the question whether a leader is there.
	lookWithin = 100 * time.Millisecond
)

var (
	// ErrElsewhere says that nothing was done, since whoever was asked does not lead: the
	// command may be sent again. A leader answers with it, too.
	ErrElsewhere = errors.New("the partition is not led where it was asked for")
	// ErrNobody is an ErrElsewhere: nobody keeps the post of the partition's leader.
	ErrNobody = fmt.Errorf("%w: nobody has its lease", ErrElsewhere)
	// ErrTooLarge says that the server's max_payload keeps the command from being sent.
	ErrTooLarge = errors.New("the command is larger than the server's max_payload allows")
	// ErrUnanswered says that nobody knows whether the command was carried out.
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

// NewLine returns the line to the leader of a partition. Its connection must keep no
// reconnect buffer, or a command that was taken for lost would be carried out later.
func NewLine(conn *nats.Conn, space schema.Space, partition int, log *slog.Logger) *Line {
	return &Line{conn: conn, space: space, partition: partition, log: log}
}

// Ask has the leader carry out c, and returns what it answers. It waits for five seconds at
// most, and no longer than ctx. What the leader refuses it with is a *schema.Error; other
// errors are ErrElsewhere, ErrTooLarge, ErrUnanswered, and that c or its answer cannot be
// written or read.
func (l *Line) Ask(ctx context.Context, c schema.Command) (answer any, err error) {
	body, err := encodeErrand(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answeredWithin)
	defer cancel()
	m, err := l.conn.RequestWithContext(ctx, l.space.Lead(l.partition), body)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, ErrNobody
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, ErrTooLarge
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return nil, ErrElsewhere // it never left
	case err != nil:
		return nil, ErrUnanswered
	}
	var t tidings
	if err := scanInto(m.Data, &t); err != nil {
		return nil, fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	switch {
	case t.Moved:
		return nil, ErrElsewhere
	case t.Error != nil:
		return nil, t.Error
	}
	bare, _ := schema.Bare(c)
	answer, err = routesByType[reflect.TypeOf(bare)].open(t.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer to a %T: %w", c, err)
	}
	return answer, nil
}

// A Sign is what a look at the leader's post tells.
type Sign int

const (
	Unclear Sign = iota // nothing was said in time
	Nobody              // nobody keeps the post: a process that was killed is known that fast
	Manned              // who keeps it does not lead, or not yet
	Leads               // it leads
	Stuck               // it leads, and cannot write
)

// Look asks whether a leader is there, and waits for 100 milliseconds at most.
func (l *Line) Look(ctx context.Context) Sign {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	m, err := l.conn.RequestWithContext(ctx, l.space.Lead(l.partition), nil)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return Nobody
	case err != nil:
		return Unclear
	}
	var t tidings
	switch err := scanInto(m.Data, &t); {
	case err != nil: // no tidings: a presence
		return Leads
	case t.Moved:
		return Manned
	case t.Stuck:
		return Stuck
	}
	return Leads
}

// publish sends an answer. It may be lost: who needs it asks again.
func (l *Line) publish(to string, body []byte) {
	if err := l.conn.Publish(to, body); err != nil {
		l.log.Debug("not published", "subject", to, "error", err)
	}
}
