package sim

import "github.com/stationmaster-io/stationmaster/scheduler/protocol"

// A chain writes one stream behind the journal, by the rules of protocol.Chain.
type chain struct {
	*protocol.Chain
	l        *leader
	of       *chainState
	unfenced Plant
}

func newChain(l *leader, of *chainState, lack protocol.Lack, unfenced Plant) *chain {
	return &chain{Chain: protocol.NewChain(l.writer(), lack), l: l, of: of, unfenced: unfenced}
}

// take takes the stream over, and passes on the mark up to which the journal was stored.
func (c *chain) take(then func(upTo protocol.Mark)) {
	var found fence
	var rev, begins uint64
	l := c.l
	again := func() { l.later(func() { c.take(then) }) }
	l.call(func() error { found, rev, begins = c.of.fence, c.of.rev, l.d.first; return nil }, func(err error) {
		if err != nil {
			again()
			return
		}
		c.act(c.Take(found.by, rev, begins), found.upTo, nil, again, func() { then(found.upTo) })
	})
}

// act carries out the protocol's decision about a batch: again sends it anew after no answer.
func (c *chain) act(out protocol.ChainOut, upTo protocol.Mark, batch []message, again, then func()) {
	switch out := out.(type) {
	case protocol.StandDown:
		c.l.end("fenced")
	case protocol.Landed:
		then()
	case protocol.Rewrite:
		var landed uint64
		c.l.call(func() (err error) {
			landed, err = c.land(fence{out.By, upTo}, out.Expect, batch)
			return err
		}, func(err error) {
			if err != nil {
				again()
				return
			}
			c.act(c.Landed(landed), upTo, batch, again, then)
		})
	}
}

// A message is one message of a stream.
type message struct {
	store func(seq uint64)
	id    *resultID // of a result; nil: it is none
}

// land stores a batch under the fence's expected revision, or nothing of it, and
// returns the fence's new one. The batch's messages have the sequences behind it.
func (c *chain) land(f fence, expected uint64, batch []message) (uint64, error) {
	if c.of.rev != expected && !c.l.w.planted(c.unfenced) || c.l.w.fault(c.l.w.odds.refused, "message refused") {
		return 0, errRefused
	}
	c.of.last++
	c.of.rev = c.of.last
	c.of.fence = f
	for _, m := range batch {
		c.put(m)
	}
	return c.of.rev, nil
}

func (c *chain) put(m message) {
	c.of.last++
	if m.id != nil {
		c.l.w.check.results.stored(*m.id)
		return
	}
	m.store(c.of.last)
}

// write stores a batch, together with the mark upTo that the journal has reached.
func (c *chain) write(batch []message, upTo protocol.Mark, then func()) {
	first := c.Next()
	var find func()
	again := func() { c.l.later(find) }
	find = func() {
		var is fence
		var rev uint64
		c.l.call(func() error { is, rev = c.of.fence, c.of.rev; return nil }, func(err error) {
			if err != nil {
				again()
				return
			}
			c.act(c.mistaken(c.Doubt(is.by, rev), first), upTo, batch, again, then)
		})
	}
	c.act(first, upTo, batch, again, then)
}

// mistaken is out, or its planted variant, in which an unanswered batch is sent again.
func (c *chain) mistaken(out protocol.ChainOut, first protocol.Rewrite) protocol.ChainOut {
	if _, ends := out.(protocol.StandDown); ends && c.l.w.planted(c.unfenced) {
		return first
	}
	return out
}
