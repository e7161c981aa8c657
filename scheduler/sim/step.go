package sim

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// step steps one event; false if the batch has no room for it. Now and then the
// batch has little room.
func (l *leader) step(ev event.Event) bool {
	if refusesPush(l, ev) || l.n.ignores(ev) {
		return true
	}
	if l.batch.Empty() && l.w.rng.IntN(20) == 0 && l.stepTight(ev) {
		return true
	}
	switch p, _ := l.check(ev); p {
	case machine.Full:
		return false
	case machine.TooLarge:
		l.w.fail("an empty batch has no room for %T", ev)
	}
	return true
}

// stepTight steps ev into a small batch; false: which has no room for it.
func (l *leader) stepTight(ev event.Event) bool {
	usual := l.batch
	l.most = one(l.w, 256, 1<<10, l.w.rng.IntN(64<<10))
	l.batch = batch.New(l.most)
	l.batch.Reset(usual.Number)
	p, _ := l.check(ev)
	if l.failing {
		return true
	}
	if l.batch.Empty() {
		l.batch, l.most = usual, capacity
		return p == machine.Done
	}
	l.free = append([]*batch.Batch{usual}, l.free...)
	return true
}

// check runs the checker on the decisions of one step; false: the machine panicked.
func (l *leader) check(ev event.Event) (p machine.Progress, ok bool) {
	from := len(l.batch.Effects)
	p, ok = l.stepped(ev, l.clock())
	if l.failing {
		return p, ok
	}
	if l.m.Happened() {
		l.inBatch = append(l.inBatch, ev)
	}
	decided := l.batch.Effects[from:]
	if l.m.Happened() || len(decided) > 0 {
		l.w.check.decided(l, ev, decided)
	}
	if auditCounts(l, ev, decided); ok {
		audit(l, ev)
	}
	return p, ok
}
