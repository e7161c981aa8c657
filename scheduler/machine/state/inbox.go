package state

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Inbox makes a plan a merge queue: it has the waiting items, and the time of their delivery.
// It takes the place of the plan's schedule: an occurrence of such a plan falls due at the
// inbox's time, delivers the first items and is retried like any other, with the same items,
// because it keeps its idempotency key. Only its ok removes items, those that it delivered and
// no others. The plan closes when no item is left.
//
//	push ──▶ at ──▶ due ──▶ occurrence, items [first, first+n) ──▶ ok: first += n
//	          ▲                   │ error, timeout                    │ items left: now
//	          └── a push while ───┘ (retried; or, when a push has     ▼
//	              the mark stands    set the time, the next        empty: closes
//	                                 occurrence takes its place)
//
// The content of the items never enters the machine, only their sizes.
type Inbox struct {
	Key         string // of the merge queue, for people
	Manner      schema.Manner
	First, Next int64             // the waiting items are those from first on, before next
	At          unit.Moment       // when the next occurrence falls due; none: a push will set it
	Wait        unit.Moment       // the delay from the decision until at; none: a user has named the time
	Asked       bool              // a push has set at since items were handed over
	Mark        bool              // the overwrite mark: any push sets at
	Taken       bool              // items were claimed since workers were last notified of them
	Errors      int64             // inherited by the next occurrence, because it is a retry of items
	Notified    int64             // notifications that ended ok since items were claimed last
	Failed      int64             // executions in a row that ended badly, without those of claims
	LastError   *schema.LastError // of the last of them; nil: none
	Abandon     unit.Moment       // time after which a queue that no worker takes is deleted; 0: never
	Waiting     unit.Moment       // since when due items have not been taken
	Data        wire.Value
	Sizes       Sizes // of the items

	// Effects of the step under way, until tidy.
	Follow  follow
	Dropped int64 // items before it are reported as gone
}

// follow is the time of the next delivery when items are left.
type follow uint8

const (
	Unchanged follow = iota
	AtOnce           // they are handed over now
	Later            // no worker claimed any: workers are notified again, after a delay
)

func (in *Inbox) Length() int64 { return in.Next - in.First }

func (in *Inbox) Empty() bool { return in.First >= in.Next }

// AwaitsPush reports that the retries of the first items are used up, so that they wait for the
// time of another push.
func (in *Inbox) AwaitsPush() bool { return in.Mark && in.At == 0 }

// Sizes are those of a plan's items, by number. An unknown size is zero.
type Sizes struct {
	from  int64
	List  []uint32
	Bytes int64
}

func (s *Sizes) Put(n int64, size int) {
	switch {
	case len(s.List) == 0:
		s.from = n
	case n < s.from:
		s.List = append(make([]uint32, s.from-n), s.List...)
		s.from = n
	}
	for n-s.from >= int64(len(s.List)) { // there may be no number behind n
		s.List = append(s.List, 0)
	}
	s.Bytes += int64(size) - int64(s.List[n-s.from])
	s.List[n-s.from] = uint32(size)
}

func (s *Sizes) Of(n int64) int64 {
	if n < s.from || n >= s.from+int64(len(s.List)) {
		return 0
	}
	return int64(s.List[n-s.from])
}

// Unknown is how many of the items from first on, before next, have an unknown size.
func (s *Sizes) Unknown(first, next int64) (n int64) {
	for i := first; i < next; i++ {
		if s.Of(i) == 0 {
			n++
		}
	}
	return n
}

// Trim forgets the items before first.
func (s *Sizes) Trim(first int64) {
	n := min(max(first-s.from, 0), int64(len(s.List)))
	for _, size := range s.List[:n] {
		s.Bytes -= int64(size)
	}
	s.List = s.List[n:]
	s.from += n
}

// itemOverhead is the room that an item takes in its stream beside its bytes and the name of its
// plan, with some more for a prefix.
const itemOverhead = 256

// ItemOverhead is the room that an item of p takes in its stream beside its bytes, because its
// subject has the name of p, which may be longer than the item. A plan that is not made yet, nil,
// has no name.
func (p *Plan) ItemOverhead() int64 {
	if p == nil {
		return itemOverhead
	}
	return itemOverhead + int64(len(p.Name.Station)+len(p.Name.PlanID))
}

func HasNoInbox(name schema.PlanName) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: fmt.Sprintf("%s has no inbox: it was made by plans.create; push to another plan_id", name),
	}
}

// MadeOf reports that executions repeat the same part of p's definition as they would of d.
func (p *Plan) MadeOf(d *schema.Definition) bool {
	if d.Plan.Station != p.Name.Station {
		return false
	}
	shared := d.Shared
	if d.Enc != p.Enc {
		shared, _ = wire.Members(wire.MapOf(d.Enc, shared, d.SharedCount).In(p.Enc))
	}
	is, _ := p.Shared()
	return string(shared) == string(is)
}

// InboxType reports that a plan has no times of its own that an inbox would hide.
func InboxType(p *schema.Plan) bool {
	return p.PlanType == schema.TypeNone || p.PlanType == schema.TypeTime
}

// InboxTakes refuses a plan with an inbox that has times or calendars of its own.
func InboxTakes(p *schema.Plan) error {
	switch {
	case !InboxType(p):
		return NotInboxType()
	case p.HasCalendars():
		field := "exclude"
		if len(p.Exclude) == 0 {
			field = "only"
		}
		return &schema.Error{
			Code: schema.CodeInvalidPlan, Field: field, Message: "a plan with an inbox is due when its pushes say, and takes no calendars; leave exclude and only out",
		}
	}
	return nil
}

func NotInboxType() error {
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "plan_type",
		Message: "a plan with an inbox is due when its pushes say; leave plan_type out, or say none or time",
	}
}

// Merge adds a push's data to the queue's; of each key the latest value counts.
func (in *Inbox) Merge(enc wire.Encoding, more wire.Value) error {
	if more.IsZero() || more.Kind() == wire.KindNull || more.Len() == 0 {
		return nil
	}
	w := wire.NewWriter(enc, nil)
	w.BeginMap()
	if !in.Data.IsZero() {
		for key, v := range in.Data.Map() {
			if more.Field(key).IsZero() {
				w.KeyText(key)
				w.Value(v)
			}
		}
	}
	for key, v := range more.Map() {
		w.KeyText(key)
		w.Value(v)
	}
	w.EndMap()
	if size := len(w.Bytes()); size > schema.MaxInboxData {
		return &schema.Error{
			Code: schema.CodeTooLarge, Field: "data",
			Message: fmt.Sprintf("the queue's data would have %d bytes; at most %d are kept", size, schema.MaxInboxData),
		}
	}
	in.Data = w.Whole()
	return nil
}

// A claim of items gets an execution that is not published: it delivers the first items, its
// deadline is the end of the lock, and the claim's random word takes the place of a nonce.
// Completing is its ok, releasing its error.

// Locked returns the occurrence whose items are claimed, nil when none is.
func (p *Plan) Locked() *Occurrence {
	for _, o := range p.Open {
		if len(o.Live) == 1 && o.Live[0].Lock != "" {
			return o
		}
	}
	return nil
}

// The delivery of the items of an inbox, and their removal.

// InboxTurn is when the next occurrence of p falls due; none while one is open, so that the
// order of items is kept.
func (p *Plan) InboxTurn() unit.Moment {
	in := p.Inbox
	if in.Empty() || in.Manner == schema.MannerHold || len(p.Open) > 0 || p.Closing || p.Suspension != nil {
		return 0
	}
	return in.At
}

// maxExecution leaves room beside items for the other members of an execution.
const maxExecution = 960 << 10

// Fits returns how many of the items from first on may be delivered at once: at least one.
func (p *Plan) Fits(first, most int64) int64 {
	most = min(most, p.Inbox.Next-first)
	room := min(schema.MaxHandedBytes, maxExecution-int64(p.SharedSize))
	count := int64(0)
	for count < most {
		if room -= p.Inbox.Sizes.Of(first + count); room < 0 && count > 0 {
			break
		}
		count++
	}
	return count
}

func (p *Plan) BatchOf() int64 {
	if b := p.Options().batch; b > 0 {
		return b
	}
	return command.DefaultHanded
}

// settled applies the end of o to the items that it delivered, if any.
func (in *Inbox) settled(o *Occurrence, ok bool) {
	if !ok {
		return
	}
	in.Failed, in.LastError = 0, nil
	switch {
	case o.Items > 0:
		in.First += o.Items
		in.Mark, in.Errors, in.Waiting = false, 0, 0
		in.Follow = AtOnce
	case in.Taken:
		in.Follow = AtOnce
	default:
		in.Notified++
		in.Follow = Later
	}
}

// Fails notes that x, which handed over items or told of them, ended badly. It outlives the occurrence
// of x, because the items do.
func (in *Inbox) Fails(x *Execution, e *schema.LastError) {
	if in == nil || x.Lock != "" {
		return
	}
	in.Failed++
	in.LastError = e
}

// HandOverAgain has the items of a cancelled occurrence delivered by the next one, as late as a
// retry would be, because the cancellation does not give up the items, and no other event would
// deliver them.
func (p *Plan) HandOverAgain(o *Occurrence) {
	if p.Inbox != nil && o.Items > 0 && p.Inbox.Manner == schema.MannerDeliver {
		p.Inbox.Follow = Later
	}
}

// Retime sets when the next items are delivered, because a push asks for it: at once if that has passed.
func (p *Plan) Retime(at, now unit.Moment) {
	if at > now {
		p.Inbox.Asked = p.PutOff(at, 0)
	} else {
		p.Inbox.Asked = p.PutOff(now, NoWait)
	}
}

// PutOff sets when the next items are delivered, and how long that is from now on; 0: a user has named
// the time. An occurrence that has fallen due and still waits to deliver them, because its station has
// no room, is put off with them; true: there is another one, which was tried and has a time of its own.
func (p *Plan) PutOff(at, wait unit.Moment) (tried bool) {
	p.Inbox.At, p.Inbox.Wait = at, wait
	for _, o := range p.Open {
		if o.Attempt > 0 {
			tried = true
			continue
		}
		o.At, o.Wait = at, wait // even before it fell due, by a clock that was ahead then
	}
	return tried
}

// Doubt notes whether the items that o delivered may have been taken without a reply. Later
// attempts do not change that.
func (o *Occurrence) Doubt(unsure bool) {
	if o.Items > 0 {
		o.Unsure = o.Unsure || unsure
	}
}

// AbandonedAt is when a queue that no worker takes is deleted; none: never.
func (in *Inbox) AbandonedAt() unit.Moment {
	if in.Abandon == 0 || in.Waiting == 0 {
		return 0
	}
	return in.Waiting + in.Abandon
}

// Answered notes that a worker has taken the due items, with any result.
func (in *Inbox) Answered() {
	if in != nil {
		in.Waiting = 0
	}
}

// AtWork reports that a worker has begun with the items that p delivered.
func (p *Plan) AtWork() bool {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.State != schema.StateDispatched {
				return true
			}
		}
	}
	return false
}
