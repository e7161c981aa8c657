package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A single server stages every atomic batch in files and deletes them, which takes ten
// milliseconds and holds up every other write on a disk that is slow to delete
// (docs/performance.md). A message by itself deletes nothing. So a few messages are
// written one by one, under the condition that the fence is still this chain's, and the
// fence follows when they have become many. Who comes next cannot tell from the fence
// which of them are stored, so it looks for each under its subject, after it has rewritten
// the fence, so that none lands later (docs/adr/0009).

// eachMost is how many messages may be written one by one before the fence is rewritten:
// so many have to be looked for after a crash.
const eachMost = 64

// headerLastSubject names the subject that headerLastSubjectSeq is about.
const headerLastSubject = "Nats-Expected-Last-Subject-Sequence-Subject"

// A doubt is that some messages may be stored already: of the next ones as many as it
// says, behind the sequence since. Once the fence is rewritten no more of them land.
type doubt struct {
	of    int
	since uint64
}

// after is the doubt that is left when n messages more are known to be stored.
func (d doubt) after(n int) doubt {
	if n >= d.of {
		return doubt{}
	}
	return doubt{d.of - n, d.since}
}

// inheritEach notes how many messages may be written one by one, and what the found fence
// f, of the revision rev, leaves in doubt.
func (c *Chain) inheritEach(ctx context.Context, f FenceRecord, rev uint64) error {
	c.most, c.upTo, c.loose, c.doubt = 0, c.fence.UpTo, 0, doubt{}
	if !c.each {
		return nil
	}
	info, err := c.store.info(ctx, c.name)
	if err != nil {
		return err
	}
	// A replicated stream refuses a message whose condition is about a subject that a
	// message before it is still asking for; it stages batches in memory.
	if info.Config.Replicas <= 1 {
		c.most = eachMost
	}
	// What a limit has thrown away cannot be looked for.
	if kept := info.Config.MaxMsgsPerSubject; kept > 0 {
		c.most = min(c.most, int(kept))
	}
	if f.Each > 0 {
		c.doubt = doubt{f.Each, cmp.Or(f.Since, rev)}
	}
	c.fence.Each, c.fence.Since = max(c.most, c.doubt.of), c.doubt.since
	return nil
}

// MaxEach is how many messages WriteEach takes; 0 when the stream is better written in
// batches.
func (c *Chain) MaxEach() int { return c.most }

// Inherited says, after Fence, that no more than the next n messages may have been written
// by an earlier leader. Too many do no harm. Even with none, the first write is a batch
// then: it moves the mark past what earlier leaders have written one by one. Otherwise ever
// more of it could be behind the mark, and come again with a checkpoint that goes back,
// since a disk lost the end of the bucket.
func (c *Chain) Inherited(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubt.of = min(c.doubt.of, max(n, 1))
}

// WriteEach does what Write does, message by message: they are stored in their order, but
// not all at one moment. After an error some of them may be stored. None, or more than
// MaxEach, are written as a batch.
func (c *Chain) WriteEach(ctx context.Context, msgs []*nats.Msg, upTo Mark) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.takes(msgs); err != nil {
		return err
	}
	if c.doubt.of > 0 || len(msgs) == 0 || len(msgs) > c.most {
		return c.write(ctx, msgs, upTo)
	}
	if c.loose+len(msgs) > c.most {
		if err := c.settle(ctx); err != nil {
			return err
		}
	}
	first, last, err := c.line.publishEach(ctx, patience, c.condition(), msgs)
	switch {
	case err == nil && first <= c.end.Load():
		c.owned = false
		return &ChangedError{c.name, fmt.Sprintf("it went on at %d, which is not above %d", first, c.end.Load())}
	case err == nil:
		c.end.Store(last)
		c.loose, c.upTo = c.loose+len(msgs), upTo
		return nil
	}
	// With another fence, none of them lands later.
	if err := c.rewrite(ctx, nil, c.upTo, doubt{len(msgs), c.rev.Load()}); err != nil {
		return fmt.Errorf("write %d messages to %s one by one: %w", len(msgs), c.name, err)
	}
	return c.write(ctx, msgs, upTo)
}

// Settle moves the fence behind what was written one by one. Then there is less to look for,
// and no limit of the stream can throw away what is to be found.
func (c *Chain) Settle(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.owned || c.loose == 0 {
		return nil
	}
	return c.settle(ctx)
}

func (c *Chain) settle(ctx context.Context) error {
	if err := c.rewrite(ctx, nil, c.upTo, doubt{}); err != nil {
		return fmt.Errorf("move the fence of %s: %w", c.name, err)
	}
	return nil
}

// condition is that the fence is as this chain wrote it.
func (c *Chain) condition() nats.Header {
	return nats.Header{
		headerStream:         {c.name},
		headerLastSubject:    {c.subject},
		headerLastSubjectSeq: {strconv.FormatUint(c.rev.Load(), 10)},
	}
}

// missing returns those of msgs that the stream does not have. No two are the same: a
// result tells its plan's incarnation, its n, its state and when it ended.
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

// bodies is what the stream has of a subject behind a sequence. It asks the stream's
// leader: others may not have it yet.
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
