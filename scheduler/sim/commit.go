package sim

import (
	"errors"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// underway is a sealed batch.
type underway struct {
	batch     *batch.Batch
	write     *protocol.Write // nil: it has no rows
	effects   []event.Effect
	body      []byte
	seq       uint64 // of the append; 0: it had no rows
	tight     bool   // its batch is not used again
	sent      time.Time
	published uint64 // the last append that was fully published when it was sealed
	checksum  string // of the plans behind it
}

// seal hands the batch to the appender.
func (l *leader) seal() {
	u := &underway{batch: l.batch, effects: slices.Clone(l.batch.Effects), tight: l.most < capacity, published: l.published, body: l.batch.Seal(), checksum: l.m.Checksum()}
	if len(u.body) > l.most {
		l.w.fail("a batch with room for %d bytes was sealed with %d", l.most, len(u.body))
	}
	traceAppend(l, u)
	prattle(l, u)
	l.flying = u
	if len(u.body) > 0 {
		l.number++
		u.write = protocol.NewWrite(l.writer(), l.number, l.base)
		l.act(u, u.write.Begin())
	} else {
		l.committed(u)
	}
	l.fresh()
}

// prattle performs, by a planted mistake, effects that are not durable yet.
func prattle(l *leader, u *underway) {
	for _, e := range u.effects {
		switch e := e.(type) {
		case event.Answer:
			if (l.w.planted(AnswerFirst) || l.w.planted(PushFirst) && isPush(e) || l.w.planted(ReportFirst) && isReport(e)) && len(u.body) > 0 {
				l.do(e, l.base+1)
			}
		case event.ItemsGranted:
			if l.w.planted(HandFirst) && len(u.body) > 0 {
				l.do(e, l.base+1)
			}
		case event.ClaimGranted:
			if l.w.planted(WorkFirst) && len(u.body) > 0 {
				l.do(e, l.base+1)
			}
		case event.Drop:
			if l.w.planted(SweepsEarly) {
				l.d.sweepNow(e)
			}
		case event.Dispatch:
			if l.w.planted(DispatchFirst) {
				l.do(e, 0)
			}
		case event.Publish:
			if l.w.planted(PublishFirst) {
				l.w.check.broadcast(e)
			}
		}
	}
}

func isPush(e event.Answer) bool {
	r, ok := e.To.(*request)
	if ok {
		_, ok = r.what.(command.PushItem)
	}
	return ok
}

func isReport(e event.Answer) bool {
	r, ok := e.To.(*request)
	if ok {
		_, ok = r.what.(command.ReportTask)
	}
	return ok
}

// act carries out the protocol's decision about the append in flight (broker.Appender.commit).
func (l *leader) act(u *underway, out protocol.WriteOut) {
	if out = mistakenAppend(l, u, out); out == nil {
		return
	}
	switch out := out.(type) {
	case protocol.Send:
		if l.w.planted(AppendsUntrusted) {
			l.send(u, out.Base)
			return
		}
		l.awaitTrust(func() { l.send(u, out.Base) }) // its effects would not be published
	case protocol.Seek:
		l.later(func() { l.seek(u, out.Base) })
	case protocol.Landed:
		l.wrote(u, out.Seq)
	case protocol.StandDown:
		l.end(out.Why.Error())
	}
}

// mistakenAppend is out, or its planted variant; nil: the mistake replaced it.
func mistakenAppend(l *leader, u *underway, out protocol.WriteOut) protocol.WriteOut {
	switch out := out.(type) {
	case protocol.Seek:
		switch {
		case l.w.planted(DoubtLanded):
			return protocol.Landed{Seq: out.Base + 1}
		case l.w.planted(DoubtFailed):
			u.effects = nil
			l.committed(u)
			return nil
		}
	case protocol.StandDown:
		switch {
		case l.w.planted(SendBehind) && errors.Is(out.Why, protocol.ErrWritten):
			u.write = protocol.NewWrite(l.writer(), l.number, l.d.last)
			return u.write.Begin()
		case l.w.planted(RefusedDone):
			for _, e := range u.effects {
				l.do(e, l.base+1)
			}
		}
	}
	return out
}

// writer identifies the leader in its appends.
func (l *leader) writer() protocol.Writer {
	return protocol.Writer{Holder: l.holder, Epoch: l.epoch}
}

// send sends the append in flight, once.
func (l *leader) send(u *underway, base uint64) {
	if !l.trusts() {
		l.w.fail("epoch %d appends without trust in its lease", l.epoch)
	}
	u.sent = l.w.now
	a := landed{epoch: l.epoch, holder: l.holder, number: l.number, body: u.body, published: u.published, checksum: u.checksum}
	var seq uint64
	l.call(func() (err error) {
		seq, err = l.d.append(a, base, u.effects)
		return err
	}, func(err error) {
		if err != nil {
			l.act(u, u.write.Step(protocol.Unanswered{}))
			return
		}
		l.act(u, u.write.Step(protocol.Acknowledged{Seq: seq}))
	})
}

// seek reads the journal behind the last acknowledged append.
func (l *leader) seek(u *underway, base uint64) {
	var a landed
	var there, gap bool
	l.call(func() error {
		a, there = l.d.at(base + 1)
		gap = l.d.first > base+1
		return nil
	}, func(err error) {
		var found protocol.WriteIn
		switch {
		case err != nil:
			found = protocol.Unseen{}
		case gap:
			found = protocol.Purged{}
		case !there:
			found = protocol.Absent{}
		default:
			found = protocol.Behind{Seq: a.seq, Number: a.number, By: a.by()}
		}
		l.act(u, u.write.Step(found))
	})
}

// wrote records that the append in flight is durable.
func (l *leader) wrote(u *underway, seq uint64) {
	l.appended(u.sent)
	l.base, l.seq, u.seq = seq, seq, seq
	l.core.Appended(seq)
	l.table.wrote(u.batch.Number, seq, len(u.body))
	l.committed(u)
}

func (l *leader) committed(u *underway) {
	l.flying = nil
	l.durable = append(l.durable, u)
	l.performSoon()
	l.turnSoon()
}

// performSoon schedules perform's next effect: one a step, so that any event can come between two.
func (l *leader) performSoon() {
	if l.speaking || len(l.durable) == 0 {
		return
	}
	l.speaking = true
	l.w.after(l.w.within(l.w.odds.pace), l.mine(func() {
		l.speaking = false
		l.perform()
	}))
}

// effectsOnTrust is how many effects follow a look at the lease.
const effectsOnTrust = 256

func (l *leader) perform() {
	u := l.durable[0]
	if l.effect < len(u.effects) {
		switch {
		case l.effect%effectsOnTrust > 0 || l.trusts():
			l.effect++
			l.begun = max(l.begun, u.seq)
			l.do(u.effects[l.effect-1], u.seq)
			if l.over {
				return
			}
		case l.w.planted(DropsEffects):
			l.effect = len(u.effects)
		default:
			l.speaking = true
			l.regain(func() {
				l.speaking = false
				l.performSoon()
			})
			return
		}
	}
	if l.effect == len(u.effects) {
		l.published = max(l.published, u.seq)
		l.results.progress.Performed(u.seq)
		l.items.progress.Performed(u.seq)
		l.hasPerformed(u.batch.Number)
		l.durable, l.effect = l.durable[1:], 0
		if !u.tight {
			l.free = append(l.free, u.batch)
		}
		l.turnSoon()
	}
	l.performSoon()
}

// do performs one effect of a batch that is append seq of the journal.
func (l *leader) do(e event.Effect, seq uint64) {
	l.w.trace(l, e)
	switch e := e.(type) {
	case event.Dispatch:
		dispatchItems(l, e.Execution)
	case event.Publish:
		l.w.check.broadcast(e)
		if e.Row > 0 {
			id := resultID{e.Name, e.N, string(e.Body)}
			storeResult(l, id, protocol.Mark{Seq: seq, Row: e.Row}, l.broadcast(id))
		}
	case event.Answer:
		l.answer(e, seq)
	case event.Cancel:
		l.w.workers.cancel(e.Cancel)
	case event.Write:
		l.table.write(e)
	case event.Keep:
		l.keep(e, seq)
	case event.Drop:
		l.itemCache.noting(func() { l.itemCache.Drop(e.Name, e.Incarnation, e.Before) })
	case event.ItemsGranted:
		l.hand(e, seq)
	case event.ClaimGranted:
		l.handOut(e, seq)
	case event.Fetch:
		l.definitions.fetch(e)
	case event.Missing:
		l.w.check.plans.missing(e)
	}
}

// dispatch publishes an execution with its items. The connection buffers nothing while it is away,
// so that once it has noticed that, the execution has reached no worker.
func (l *leader) dispatch(x *event.Outgoing, items []string) {
	if l.n.cut && l.w.chance(0.5) {
		l.w.check.sends.unpublished(x)
		l.notSent(x, event.NoResponders{About: aboutOf(x)})
		return
	}
	l.leaves(x)
	l.w.check.published(l, x)
	l.w.check.plans.delivered(x, items)
	l.w.workers.deliver(l, x)
	if x.Pub {
		l.after = append(l.after, event.Dispatched{Name: x.Name, Incarnation: x.Incarnation, N: x.N})
		l.turnSoon()
	}
}

// leaves gives the worker of x, which leaves now, its deadlines, and the machine, too.
func (l *leader) leaves(x *event.Outgoing) {
	l.w.check.times.leaves(x)
	if left, report := x.Leave(l.n.clock()); report {
		l.after = append(l.after, left)
		l.turnSoon()
	}
}

// notSent reports to the machine that x does not leave, together with other events about it.
func (l *leader) notSent(x *event.Outgoing, others ...event.Event) {
	l.w.check.times.leaves(x)
	l.after = append(append(l.after, x.NotSent()), others...)
	l.turnSoon()
}

// answer ends a request, or acknowledges a worker's reply.
func (l *leader) answer(e event.Answer, seq uint64) {
	switch to := e.To.(type) {
	case *request:
		l.w.check.answered(to, e, seq > 0)
		to.answer(e.Body, e.Err)
	case *asker:
		ack, _ := e.Body.(schema.Ack)
		l.w.check.acknowledged(to, ack)
		if !l.n.cut {
			to.receive(ack)
		}
	}
}
