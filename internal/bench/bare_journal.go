package bench

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// maxRows closes an append. Rows of 256 B then make 256 KB, well below the
// server's largest message; larger appends gained nothing.
const maxRows = 1000

// A journal commits in groups: one append is one message, and while one is in flight
// the next ones gather. E is the effect of a row, which its owner performs once the
// row is durable. A journal is owned by one goroutine.
type journal[E any] struct {
	nc      *nats.Conn
	subject string
	inbox   string // the subject of the acknowledgements; its owner subscribes to it

	inFlight *group[E]   // nil: none
	waiting  []*group[E] // oldest first; only the last one still gathers
	spare    []*group[E] // released, to use their memory again

	last uint64 // sequence of the last append that is durable
	rows int64  // rows in durable appends
}

// A group is the rows of one append, and the effect of each.
type group[E any] struct {
	body    []byte
	effects []E
}

// add puts a row into the next append that has room.
func (j *journal[E]) add(row []byte, effect E) {
	if n := len(j.waiting); n == 0 || len(j.waiting[n-1].effects) >= maxRows {
		j.waiting = append(j.waiting, j.takeSpare())
	}
	g := j.waiting[len(j.waiting)-1]
	g.body = append(g.body, row...)
	g.effects = append(g.effects, effect)
}

func (j *journal[E]) takeSpare() *group[E] {
	n := len(j.spare)
	if n == 0 {
		return new(group[E])
	}
	g := j.spare[n-1]
	j.spare = j.spare[:n-1]
	g.body, g.effects = g.body[:0], g.effects[:0]
	return g
}

// send publishes the next append, unless there is none or one is in flight.
func (j *journal[E]) send() error {
	if j.inFlight != nil || len(j.waiting) == 0 {
		return nil
	}
	j.inFlight = j.waiting[0]
	j.waiting = append(j.waiting[:0], j.waiting[1:]...)
	msg := &nats.Msg{
		Subject: j.subject,
		Reply:   j.inbox,
		Header:  nats.Header{"Nats-Expected-Last-Sequence": {strconv.FormatUint(j.last, 10)}},
		Data:    j.inFlight.body,
	}
	if err := j.nc.PublishMsg(msg); err != nil {
		return fmt.Errorf("publish append: %w", err)
	}
	return nil
}

// acknowledged handles the acknowledgement of the append in flight and returns its
// group, which is durable from now on; give it back by release.
func (j *journal[E]) acknowledged(msg *nats.Msg) (*group[E], error) {
	seq, err := storedAt(msg)
	if err != nil {
		return nil, fmt.Errorf("append %d: %w", j.last+1, err)
	}
	if j.inFlight == nil || seq != j.last+1 {
		return nil, fmt.Errorf("append %d: acknowledged as %d", j.last+1, seq)
	}
	g := j.inFlight
	j.inFlight, j.last = nil, seq
	j.rows += int64(len(g.effects))
	return g, nil
}

// release gives a group back once its effects are performed.
func (j *journal[E]) release(g *group[E]) { j.spare = append(j.spare, g) }

// idle reports whether all added rows are durable.
func (j *journal[E]) idle() bool { return j.inFlight == nil && len(j.waiting) == 0 }

// rowsPerAppend returns the mean number of rows of a durable append.
func (j *journal[E]) rowsPerAppend() float64 {
	if j.last == 0 {
		return 0
	}
	return float64(j.rows) / float64(j.last)
}

// storedAt returns the sequence in the acknowledgement of a stored message.
func storedAt(msg *nats.Msg) (uint64, error) {
	// Parsed without encoding/json, because one arrives for each result:
	// {"stream":"BARE_RESULTS","seq":12}. Any other form is refused.
	_, rest, ok := bytes.Cut(msg.Data, []byte(`"seq":`))
	if !ok || bytes.HasPrefix(msg.Data, []byte(`{"error"`)) {
		return 0, fmt.Errorf("refused: %s%s", msg.Header.Get("Status"), msg.Data)
	}
	digits := rest[:max(bytes.IndexAny(rest, ",}"), 0)] // because a batch's has more members
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read acknowledgement %q: %w", msg.Data, err)
	}
	return seq, nil
}
