package sim

// A leader's published results are in flight for a moment, and may be lost with the connection, and
// with the process (scheduler/storing/broadcast.go).

// A link is the connection on which a leader publishes results.
type link struct {
	generation int        // counts connections, from 1 on
	sent       []resultID // on it, and not read by the server
}

// lose breaks the connection, and loses the messages that the server has not read.
func (k *link) lose() { k.sent, k.generation = nil, k.generation+1 }

// read has the server read all that was sent on the connection, if that is still the one of
// a generation.
func (l *leader) read(generation int) {
	if l.link.generation != generation {
		return
	}
	for _, id := range l.link.sent {
		l.w.check.results.received(id)
	}
	l.link.sent = nil
}

// broadcast publishes a result and returns the generation of its connection; 0: there is none.
func (l *leader) broadcast(id resultID) int {
	if l.n.cut && l.w.chance(0.5) {
		l.link.lose() // the leader notices
		return 0
	}
	if l.w.fault(l.w.odds.lost, "connection broke") {
		l.link.lose()
	}
	is := l.link.generation
	l.link.sent = append(l.link.sent, id)
	l.w.after(l.w.network(), func() {
		if !l.n.cut && !l.over {
			l.read(is)
		}
	})
	return is
}

// ensure calls then when the server has read all of batch.
func (l *leader) ensure(batch []queued, then func()) {
	is := l.link.generation
	again := func() { l.later(func() { l.ensure(batch, then) }) }
	for i := range batch {
		m := &batch[i]
		if m.sentIn == is || m.sentIn > 0 && l.w.planted(OldConnection) {
			continue
		}
		if m.sentIn = l.broadcast(*m.id); m.sentIn == 0 {
			again()
			return
		}
	}
	if l.w.planted(StoresUnpublished) {
		then()
		return
	}
	l.call(func() error { l.read(is); return nil }, func(err error) {
		if err != nil && l.n.cut {
			l.link.lose()
		}
		if err == nil && (is == l.link.generation || l.w.planted(OldConnection)) {
			then()
			return
		}
		again()
	})
}
