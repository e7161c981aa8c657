package transition

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// callUp opens the occurrence that hands over the waiting items when its time has come.
func (t *Turn) callUp(p *state.Plan) {
	at := p.InboxTurn()
	if at == 0 || at > t.Now || !t.GoesOn() {
		return
	}
	in := p.Inbox
	t.Open(p, calendar.Due{K: p.Prev.K + 1, At: at.Time()})
	o := p.Open[len(p.Open)-1]
	o.Errors, in.Errors = in.Errors, 0
}

// handOver fixes the items that the occurrence o of p hands over, at its first execution. Later
// executions hand over the same items.
func (t *Turn) handOver(p *state.Plan, o *state.Occurrence) {
	in := p.Inbox
	if in.Abandon != 0 && in.Waiting == 0 {
		in.Waiting = t.Now
	}
	in.Asked, in.At, in.Wait = false, 0, 0
	if in.Manner != schema.MannerDeliver {
		in.Taken = false
		return
	}
	in.Mark = true
	if o.Items == 0 {
		o.Items = p.Fits(p.Inbox.First, p.BatchOf())
	}
}

// tidy brings p's inbox up to date after a step, together with the other open occurrences of p,
// and removes a queue that was abandoned.
func (t *Turn) tidy(p *state.Plan) {
	in := p.Inbox
	if in == nil {
		return
	}
	t.conclude(p)
	if in.Empty() || in.Asked {
		t.supersede(p)
	}
	if in.AbandonedAt() != 0 && in.AbandonedAt() <= t.Now && !p.AtWork() {
		t.abandonInbox(p)
	}
}

// conclude drops the settled items of p's inbox and sets the time of the next delivery. Both
// belong to the row that settled their delivery, because a new leader could not derive them.
func (t *Turn) conclude(p *state.Plan) {
	in := p.Inbox
	if in == nil {
		return
	}
	if in.First > in.Dropped {
		t.ForgetItems(p, in.First)
		t.Batch.Effect(event.Drop{Name: p.Name, Incarnation: p.Incarnation, Before: in.First})
		in.Dropped = in.First
	}
	switch {
	case in.Follow == state.Unchanged, in.Asked, p.Locked() != nil:
	case in.Follow == state.AtOnce:
		p.PutOff(t.Now, state.NoWait)
	default:
		in.Errors++
		wait := max(state.NoWait, unit.Moment(0).After(t.deliverAgain(p)))
		p.PutOff(t.Now+wait, wait)
	}
	in.Follow = state.Unchanged
	if in.Empty() {
		in.Data, in.Mark, in.Asked, in.At, in.Wait, in.Errors, in.Notified, in.Waiting = wire.Value{}, false, false, 0, 0, 0, 0, 0
	}
}

// leastReminder is the least time between two notifications of items that no worker claims. No worker
// has to answer a notification at a pub station, so that with a retry delay of 0 they would follow
// each other as fast as they are appended.
const leastReminder = time.Second

// deliverAgain is how long the next delivery of p's items waits: as long as a retry, or as the last one
// that the policy allows, because deliveries have no limit. A notification after which no worker
// claimed counts as an error does, because workers that claim nothing would be notified each second.
func (t *Turn) deliverAgain(p *state.Plan) time.Duration {
	retry, errors := t.TermsOf(p).Retry, max(p.Inbox.Errors, p.Inbox.Notified)
	if retry.MaxErrors >= 0 {
		errors = min(errors, retry.MaxErrors)
	}
	delay, _ := retry.Delay(errors, t.Share("retry/", p, p.N))
	if p.Inbox.Manner == schema.MannerTell {
		return max(delay, leastReminder)
	}
	return delay
}

// supersede skips the occurrence that waits for its turn or for a retry in favour of the next
// one, which inherits its errors; if no items are left, it is only skipped. An occurrence whose
// work may have been done, or may yet be done, keeps its items and its key, because a worker
// recognizes the duplicate by that key; it is retried at the requested time.
func (t *Turn) supersede(p *state.Plan) {
	in := p.Inbox
	for _, o := range p.Open {
		if o.Executing() || o.AwaitsPerson() {
			continue
		}
		if o.Unsure && !in.Empty() {
			if o.At != in.At {
				o.At, o.Wait = in.At, in.Wait
				t.Touch(p)
			}
			return // in.Asked stays set, so that a late ok leaves the newer items to that time
		}
		in.Errors = o.Errors
		t.Abandon(p, o, schema.ReasonOverlap, nil)
		return // because at most one occurrence waits
	}
}

// abandonInbox removes a queue whose items were not taken in time.
func (t *Turn) abandonInbox(p *state.Plan) {
	left := p.Inbox.Length()
	for len(p.Open) > 0 {
		t.Abandon(p, p.Open[0], schema.ReasonAbandoned, nil)
	}
	t.SkipItems(p, schema.ReasonAbandoned)
	t.Leave(p, schema.NoticeRemoved, 0)
	t.Batch.Effect(event.Abandoned{Name: p.Name, Key: p.Inbox.Key, Items: left})
}

// SkipItems publishes one skipped result with the count of the items that leave with p
// undelivered, so that none disappears without a record.
func (t *Turn) SkipItems(p *state.Plan, why schema.Reason) {
	if p.Inbox == nil || p.Inbox.Empty() {
		return
	}
	p.N++
	t.Publish(p, Outcome{
		N: p.N, K: p.Prev.K, State: schema.StateSkipped, Reason: why, Because: Because(t, p, why), count: p.Inbox.Length(), Final: true,
	})
}

// leaveInbox drops all items of a plan that leaves.
func (t *Turn) leaveInbox(p *state.Plan) {
	if p.Inbox == nil {
		return
	}
	t.ForgetItems(p, p.Inbox.Next)
	t.Batch.Effect(event.Drop{Name: p.Name, Incarnation: p.Incarnation, Before: event.AllItems})
}

// fill adds to an execution of o the part of the inbox that goes with it.
func fill(m *partition.Partition, out *event.Outgoing, p *state.Plan, o *state.Occurrence) {
	in := p.Inbox
	if o.Items > 0 {
		out.FirstItem, out.Items = in.First, o.Items
		out.ItemsNotice = m.Presently(p)
		return
	}
	w := wire.NewWriter(p.Enc, nil)
	w.BeginList()
	w.BeginMap()
	w.Key("key")
	w.Text(in.Key)
	w.Key("length")
	w.Int(in.Length())
	w.EndMap()
	w.EndList()
	out.ItemsNotice = w.Whole()
}
