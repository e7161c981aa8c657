package sim

import "github.com/stationmaster-io/stationmaster/scheduler/protocol"

// A chain writes one stream behind the journal (broker.Chain).
type chain struct {
	l        *leader
	of       *chainState
	fence    fence
	rev      uint64
	unfenced Plant
}

// take rewrites the fence with the leader's epoch, and hands over how far the
// journal had been taken.
func (c *chain) take(then func(upTo protocol.Mark)) {
	var found fence
	var rev uint64
	l := c.l
	l.call(func() error { found, rev = c.of.fence, c.of.rev; return nil }, func(err error) {
		again := func() { l.later(func() { c.take(then) }) }
		switch {
		case err != nil:
			again()
			return
		case found.epoch > l.epoch, found.epoch == l.epoch && found.holder != l.holder:
			l.end("fenced")
			return
		case found.epoch == l.epoch: // the attempt before this one landed
			c.fence, c.rev = found, rev
			then(found.upTo)
			return
		}
		f := fence{epoch: l.epoch, holder: l.holder, upTo: found.upTo}
		var landed uint64
		l.call(func() (err error) { landed, err = c.land(f, rev, nil); return err }, func(err error) {
			if err != nil {
				again()
				return
			}
			c.fence, c.rev = f, landed
			then(found.upTo)
		})
	})
}

// A message is what is stored in a stream.
type message struct {
	store func(seq uint64)
	id    *resultID // of a result: which one
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

// write stores a batch, and that the journal has been taken up to upTo.
func (c *chain) write(batch []message, upTo protocol.Mark, then func()) {
	f := c.fence
	f.number++
	f.upTo = upTo
	c.commit(f, batch, func() {
		c.fence = f
		then()
	})
}

// commit sends the batch until it is durable or can never be.
func (c *chain) commit(f fence, batch []message, then func()) {
	l, expected := c.l, c.rev
	var landed uint64
	l.call(func() (err error) { landed, err = c.land(f, expected, batch); return err }, func(err error) {
		if err == nil {
			c.rev = landed
			then()
			return
		}
		l.later(func() { c.look(f, batch, then) })
	})
}

// look finds out what became of a batch: the fence tells.
func (c *chain) look(f fence, batch []message, then func()) {
	var is fence
	var rev uint64
	c.l.call(func() error { is, rev = c.of.fence, c.of.rev; return nil }, func(err error) {
		switch {
		case err != nil:
			c.l.later(func() { c.look(f, batch, then) })
		case is.epoch == f.epoch && is.holder == f.holder && is.number == f.number:
			c.rev = rev
			then()
		case rev != c.rev && !c.l.w.planted(c.unfenced):
			c.l.end("fenced")
		default:
			c.commit(f, batch, then)
		}
	})
}
