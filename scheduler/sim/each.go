package sim

import "cmp"

// Few results are written one by one, and the fence follows (broker/each.go).

// eachMost is how many may be behind the fence. There are 64 in broker; so few that what
// comes of them comes often.
const eachMost = 6

// doubt is how many of the next messages may be stored already, and behind what.
type doubt struct {
	of    int
	since uint64
}

// after is what is left of it when n messages more are known to be stored.
func (d doubt) after(n int) doubt {
	if n >= d.of {
		return doubt{}
	}
	return doubt{d.of - n, d.since}
}

// inheritEach notes what the fence that was found leaves in doubt, also in the next one.
func (c *chain) inheritEach(next *fence, found fence, rev uint64) {
	if !c.each {
		return
	}
	c.loose, c.doubt = 0, doubt{}
	if found.each > 0 {
		c.doubt = doubt{found.each, cmp.Or(found.since, rev)}
	}
	next.each, next.since = max(eachMost, c.doubt.of), c.doubt.since
	if c.l.w.planted(LosesSince) {
		next.since = 0
	}
}

// inherited bounds the doubt by what earlier leaders have left to be stored.
func (c *chain) inherited(n int) {
	c.doubt.of = min(c.doubt.of, max(n, 1))
}

// writeEach stores a few messages one by one.
func (c *chain) writeEach(batch []message, upTo mark, then func()) {
	switch {
	case c.doubt.of > 0:
		c.write(batch, upTo, then)
		return
	case c.loose+len(batch) > eachMost && !c.l.w.planted(EachUnbounded):
		c.rewrite(nil, c.upTo, doubt{}, func() { c.writeEach(batch, upTo, then) })
		return
	}
	expected := c.rev
	c.l.call(func() error { return c.landEach(expected, batch) }, func(err error) {
		if err == nil {
			c.loose, c.upTo = c.loose+len(batch), upTo
			then()
			return
		}
		left := doubt{len(batch), c.rev}
		if c.l.w.planted(LooksFirst) {
			c.doubt = left
			c.write(batch, upTo, then)
			return
		}
		c.rewrite(nil, c.upTo, left, func() { c.write(batch, upTo, then) })
	})
}

// landEach stores a few messages, each as long as the fence has the expected revision. The
// connection may break between two.
func (c *chain) landEach(expected uint64, batch []message) (err error) {
	for _, m := range batch {
		switch {
		case c.l.w.fault(c.l.w.odds.lost, "connection broke"):
			return errRefused
		case c.takes(expected), c.l.w.planted(EachUnfenced):
			m.early = true
			c.put(m)
		default:
			err = errRefused
		}
	}
	return err
}

// missing hands over those of a batch that the stream does not have.
func (c *chain) missing(batch []message, then func([]message)) {
	doubtful := min(c.doubt.of, len(batch))
	if doubtful == 0 || c.l.w.planted(NobodyLooks) {
		then(batch)
		return
	}
	if c.l.w.planted(DoubtStored) {
		then(batch[doubtful:])
		return
	}
	there := map[resultID]bool{}
	c.l.retry(func() error {
		for _, k := range c.of.has {
			if k.seq > c.doubt.since {
				there[k.id] = true
			}
		}
		return nil
	}, func() {
		var missing []message
		for i, m := range batch {
			if i >= doubtful || !there[*m.id] {
				missing = append(missing, m)
			}
		}
		then(missing)
	})
}
