package broker

import (
	"cmp"
	"context"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Releases that stored few results one by one left a fence with the number of results that
// may be stored behind its mark (docs/adr/0009). The leader that takes over from such a
// release looks for each of these under its subject, after it has rewritten the fence, so
// that none lands later.

// A doubt is about messages that may be stored already: the next of ones, behind the
// sequence since.
type doubt struct {
	of    int
	since uint64
}

// after is the doubt that remains when n more messages are known to be stored.
func (d doubt) after(n int) doubt {
	if n >= d.of {
		return doubt{}
	}
	return doubt{d.of - n, d.since}
}

// inheritEach records the doubt that the found fence f, of the revision rev, leaves.
func (c *Chain) inheritEach(f FenceRecord, rev uint64) {
	c.doubt = doubt{}
	if f.Each > 0 {
		c.doubt = doubt{f.Each, cmp.Or(f.Since, rev)}
	}
	c.fence.Each, c.fence.Since = c.doubt.of, c.doubt.since
}

// Inherited limits the doubt, after Fence, to the next n messages, because an earlier
// leader cannot have written more. A larger n does no harm.
func (c *Chain) Inherited(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubt.of = min(c.doubt.of, n)
}

// missing returns those of msgs that the stream does not have. No two messages are the
// same, because a result has its plan's incarnation, its number, its state and its end.
func (c *Chain) missing(ctx context.Context, msgs []*nats.Msg) ([]*nats.Msg, error) {
	doubtful := min(c.doubt.of, len(msgs))
	if doubtful == 0 {
		return msgs, nil
	}
	there := map[string]map[string]bool{} // the bodies of each subject
	missing := make([]*nats.Msg, 0, len(msgs))
	for _, m := range msgs[:doubtful] {
		bodies, ok := there[m.Subject]
		if !ok {
			err := c.store.persist(ctx, c.name, func() (err error) {
				bodies, err = c.bodies(ctx, m.Subject, c.doubt.since)
				return err
			})
			if err != nil {
				return nil, err
			}
			there[m.Subject] = bodies
		}
		if !bodies[string(m.Data)] {
			missing = append(missing, m)
		}
	}
	return append(missing, msgs[doubtful:]...), nil
}

// bodies returns the bodies that the stream has of a subject behind a sequence. It asks the
// stream's leader, because replicas may lag behind.
func (c *Chain) bodies(ctx context.Context, subject string, since uint64) (map[string]bool, error) {
	found := map[string]bool{}
	for {
		m, err := c.store.get(ctx, c.name, getRequest{Seq: since + 1, NextFor: subject})
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return found, nil
		case err != nil:
			return nil, err
		}
		found[string(m.Data)] = true
		since = m.Seq
	}
}
