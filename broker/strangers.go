package broker

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// This file finds foreign messages in a stream that only its chain writes.

// maxSpans bounds the record of foreign writes between two calls of Strangers.
const maxSpans = 256

// overwritten returns the fence before one that a foreign write replaced. It is the oldest
// fence that is left, because our writes roll up the earlier ones. The messages of its
// batch are not looked for.
func (c *Chain) overwritten(ctx context.Context) (FenceRecord, bool) {
	m, err := c.store.get(ctx, c.name, getRequest{Seq: 1, NextFor: c.subject})
	if err != nil {
		return FenceRecord{}, false
	}
	f, err := decodeFence(m.Data)
	if err != nil {
		return FenceRecord{}, false
	}
	f.Behind = 0
	c.store.log.Error("the fence of a stream was overwritten by another client; the one before it counts: check which users may write there",
		"stream", c.name, "subject", c.subject)
	return f, true
}

// Strangers returns the subjects of the foreign messages in the stream since the last call:
// all messages between those that this chain has written. At most most; the rest, also
// messages that cannot be read now, is left for the next call. There are none once another chain has
// taken the stream over, because these are its messages.
func (c *Chain) Strangers(ctx context.Context, most int) ([]string, error) {
	info, err := c.store.info(ctx, c.name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.owned && info.State.LastSeq > c.seen && c.seen > 0 {
		c.strange = append(c.strange, span{c.seen + 1, info.State.LastSeq})
		c.seen = info.State.LastSeq
	}
	spans, is := c.strange, c.fence
	c.strange = nil
	c.mu.Unlock()
	if len(spans) == 0 {
		return nil, nil
	}
	switch f, _, err := c.read(ctx); {
	case err != nil:
		c.put(spans)
		return nil, err
	case f.signature().By != is.signature().By:
		return nil, nil
	}
	var subjects []string
	for i, s := range spans {
		for seq := s.from; seq <= s.to; {
			m, err := c.store.get(ctx, c.name, getRequest{Seq: seq, NextFor: ">"})
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				break
			}
			if err != nil || m.Seq <= s.to && len(subjects) >= most {
				c.put(append([]span{{seq, s.to}}, spans[i+1:]...))
				return subjects, err
			}
			if m.Seq <= s.to {
				subjects = append(subjects, m.Subject)
			}
			seq = m.Seq + 1
		}
	}
	return subjects, nil
}

// put leaves spans for the next call.
func (c *Chain) put(spans []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.strange = append(spans, c.strange...)
}

// A span is a range of sequences of a stream.
type span struct{ from, to uint64 }
