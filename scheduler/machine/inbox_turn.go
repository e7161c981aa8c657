package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// How the items of an inbox are handed over, and what becomes of them.

// inboxTurn is when the next occurrence of p falls due; none while one is open, so that
// the order of items is kept.
func (p *plan) inboxTurn() unit.Moment {
	in := p.inbox
	if in.empty() || in.manner == schema.MannerHold || len(p.open) > 0 || p.closing || p.halt != served {
		return 0
	}
	return in.at
}

// inboxComes is when items are handed over next, as far as can be told: the end of the
// lock while they are.
func (p *plan) inboxComes() unit.Moment {
	in := p.inbox
	at := in.at
	for _, o := range p.open {
		if in.asked {
			break
		}
		switch {
		case o.executing() && o.live[0].deadline != 0:
			at = o.live[0].deadline
		case !o.executing() && o.at != 0:
			at = o.at
		}
	}
	if in.empty() || in.manner == schema.MannerHold && len(p.open) == 0 {
		return 0
	}
	return at
}

// callUp opens the occurrence that hands over what waits, when its time has come.
func (t *turn) callUp(p *plan) {
	at := p.inboxTurn()
	if at == 0 || at > t.now || !t.b.Room(p.cost()) {
		return
	}
	in := p.inbox
	t.open(p, calendar.Due{K: p.prev.K + 1, At: at.Time()})
	o := p.open[len(p.open)-1]
	o.errors, in.errors = in.errors, 0
}

// handOver fixes what the occurrence o of p hands over, at its first execution. Later
// ones hand over the same.
func (t *turn) handOver(p *plan, o *occurrence) {
	in := p.inbox
	if in.abandon != 0 && in.waiting == 0 {
		in.waiting = t.now
	}
	in.asked, in.at = false, 0
	if in.manner != schema.MannerDeliver {
		in.taken = false
		return
	}
	in.mark = true
	if o.items == 0 {
		o.items = p.fits(p.inbox.first, p.batchOf())
	}
}

// maxExecution leaves room beside items for what else an execution says.
const maxExecution = 960 << 10

// fits returns how many of the items from first on may be handed over at once: at least
// one.
func (p *plan) fits(first, most int64) int64 {
	most = min(most, p.inbox.next-first)
	room := min(schema.MaxHandedBytes, maxExecution-int64(p.sharedSize))
	count := int64(0)
	for count < most {
		if room -= p.inbox.sizes.of(first + count); room < 0 && count > 0 {
			break
		}
		count++
	}
	return count
}

func (p *plan) batchOf() int64 {
	if b := p.options().batch; b > 0 {
		return b
	}
	return schema.DefaultHanded
}

// settled is what the end of o means for the items that it handed over, if any.
func (in *inbox) settled(o *occurrence, ok bool) {
	if !ok {
		return
	}
	switch {
	case o.items > 0:
		in.first += o.items
		in.mark, in.errors, in.waiting = false, 0, 0
		in.follow = atOnce
	case in.taken:
		in.follow = atOnce
	default:
		in.follow = tellOff
	}
}

// handOverAgain has the items of an occurrence that somebody cancelled handed over by the next
// one, as late as a retry would be: nobody said that they are to be given up, and nothing else
// would have them go.
func (p *plan) handOverAgain(o *occurrence) {
	if p.inbox != nil && o.items > 0 && p.inbox.manner == schema.MannerDeliver {
		p.inbox.follow = tellOff
	}
}

// tidy draws the conclusions of a step for p's inbox, also for what else is open of p, and
// for a queue that nobody takes.
func (t *turn) tidy(p *plan) {
	in := p.inbox
	if in == nil {
		return
	}
	t.conclude(p)
	if in.empty() || in.asked {
		t.supersede(p)
	}
	if in.abandonedAt() != 0 && in.abandonedAt() <= t.now && !p.atWork() {
		t.abandonInbox(p)
	}
}

// conclude says what is gone of p's inbox, and when the next items are handed over. That
// belongs to the row of what has settled their delivery: a successor cannot tell it.
func (t *turn) conclude(p *plan) {
	in := p.inbox
	if in == nil {
		return
	}
	if in.first > in.dropped {
		t.forgetItems(p, in.first)
		t.b.effect(Drop{Name: p.name, Incarnation: p.incarnation, Before: in.first})
		in.dropped = in.first
	}
	switch {
	case in.follow == asItIs, in.asked, p.locked() != nil:
	case in.follow == atOnce:
		p.putOff(t.now)
	default:
		in.errors++
		delay, _ := t.termsOf(p).Retry.Delay(in.errors, t.share("retry/", p, p.n))
		p.putOff(max(t.now+1, t.now.After(delay)))
	}
	in.follow = asItIs
	if in.empty() {
		in.data, in.mark, in.asked, in.at, in.errors, in.waiting = wire.Value{}, false, false, 0, 0, 0
	}
}

// retime sets when the next items are handed over because a push asks for it.
func (p *plan) retime(at unit.Moment) { p.inbox.asked = p.putOff(at) }

// putOff sets when the next items are handed over. What has fallen due and still waits to
// hand them over, since its station has no room, is put off with them; true: there is
// something else, which was tried and has a time of its own.
func (p *plan) putOff(at unit.Moment) (tried bool) {
	p.inbox.at = at
	for _, o := range p.open {
		if o.attempt > 0 {
			tried = true
			continue
		}
		o.at = max(at, o.due)
	}
	return tried
}

// supersede skips what waits for its turn, or for a retry, in favour of what comes next,
// which inherits its errors; or of nothing, when no items are left, for which there was
// room in the step that took the last one. What may have been done, or be done yet, keeps
// its items, and its key, by which that can be told, and is tried again at the time that
// was asked for.
func (t *turn) supersede(p *plan) {
	in := p.inbox
	for _, o := range p.open {
		if o.executing() || o.stopped() {
			continue
		}
		if o.unsure && !in.empty() {
			if o.at != in.at {
				o.at = in.at
				t.touch(p)
			}
			return // in.asked stands: a late ok leaves what came since to that time
		}
		if in.empty() || t.b.Room(p.cost()) {
			in.errors = o.errors
			t.abandon(p, o, schema.ReasonOverlap)
			return // of those that wait there is but one
		}
	}
}

// doubt notes whether the items that o handed over may have been taken though nobody said
// so. That stays so, whatever becomes of later attempts.
func (o *occurrence) doubt(unsure bool) {
	if o.items > 0 {
		o.unsure = o.unsure || unsure
	}
}

// forgetItems takes the items before first off the books.
func (m *Machine) forgetItems(p *plan, first int64) {
	had, bytes := len(p.inbox.sizes.list), p.inbox.sizes.bytes
	p.inbox.sizes.trim(first)
	m.inboxBytes -= bytes - p.inbox.sizes.bytes + int64(had-len(p.inbox.sizes.list))*itemOverhead
}

// abandonedAt is when a queue that nobody takes is thrown away; none: never.
func (in *inbox) abandonedAt() unit.Moment {
	if in.abandon == 0 || in.waiting == 0 {
		return 0
	}
	return in.waiting + in.abandon
}

// answered notes that somebody has taken what was due, whatever came of it.
func (in *inbox) answered() {
	if in != nil {
		in.waiting = 0
	}
}

// atWork reports that a worker has begun with what p handed over.
func (p *plan) atWork() bool {
	for _, o := range p.open {
		for _, x := range o.live {
			if x.state != schema.StateDispatched {
				return true
			}
		}
	}
	return false
}

// abandonInbox throws away a queue that nobody took in time (seed 004, start).
func (t *turn) abandonInbox(p *plan) {
	left := p.inbox.length()
	for len(p.open) > 0 {
		t.abandon(p, p.open[0], schema.ReasonAbandoned)
	}
	t.skipItems(p, schema.ReasonAbandoned)
	t.leave(p, schema.NoticeRemoved, 0)
	t.b.effect(Abandoned{Name: p.name, Key: p.inbox.key, Items: left})
}

// skipItems records how many items leave with p that were handed to nobody, so that none
// disappears without a line.
func (t *turn) skipItems(p *plan, why schema.Reason) {
	if p.inbox == nil || p.inbox.empty() {
		return
	}
	p.n++
	t.publish(p, outcome{
		n: p.n, k: p.prev.K, state: schema.StateSkipped, reason: why, count: p.inbox.length(), final: true,
	})
}

// leaveInbox says that all items of a plan that leaves are gone.
func (t *turn) leaveInbox(p *plan) {
	if p.inbox == nil {
		return
	}
	t.forgetItems(p, p.inbox.next)
	t.b.effect(Drop{Name: p.name, Incarnation: p.incarnation, Before: AllItems})
}

// deliverNow makes what waits due at once, whatever its time: plans.trigger of a plan
// with an inbox.
func (t *turn) deliverNow(p *plan) (schema.Triggered, error) {
	switch {
	case p.halt == paused:
		return schema.Triggered{}, &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s is paused; resume it, and its items are handed over in their time", p.name),
		}
	case p.executing():
		return schema.Triggered{}, &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("items of %s are being handed over; it goes on by itself when that has ended", p.name),
		}
	case p.inbox.manner == schema.MannerHold:
		return schema.Triggered{}, &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s is delivered to nobody: workers claim its items when they like", p.name),
		}
	}
	p.inbox.at = t.now
	for _, o := range p.open {
		o.at = t.now
	}
	t.touch(p)
	t.look(p)
	return schema.Triggered{PlanID: p.name.PlanID, Station: p.name.Station, State: p.standing(t.now).State, N: p.n}, nil
}

// fill says in an execution of o what of the inbox goes with it.
func (m *Machine) fill(out *Outgoing, p *plan, o *occurrence) {
	in := p.inbox
	if o.items > 0 {
		out.FirstItem, out.Items = in.first, o.items
		out.Told = m.presently(p)
		return
	}
	w := wire.NewWriter(p.enc, nil)
	w.BeginList()
	w.BeginMap()
	w.Key("key")
	w.Text(in.key)
	w.Key("length")
	w.Int(in.length())
	w.EndMap()
	w.EndList()
	out.Told = w.Whole()
}
