package state

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Execution is one dispatch that has not ended.
type Execution struct {
	N, Attempt int64
	State      schema.State
	Sent       unit.Moment
	StartBy    unit.Moment // deadline of the first reply; none: no limit
	Deadline   unit.Moment // deadline of the end; none: no limit
	Worker     string
	Lock       string  // the random word of the claim of its items; empty: it was no such claim
	Ballot     *Ballot // of a vote: many are asked for one
	Tries              // of its slot, where there are several; see Occurrence.TriesOf

	// A leader's knowledge of the delivery, which a successor learns anew: the deliveries without a
	// subscriber, and the time of the next try.
	Misses int
	Retry  unit.Moment
	Others []string // the named workers that are tried when this one is not there

	// Progress is the share of the work that is done, in per cent, by the last reply to this
	// leader; nil: unknown.
	Progress *float64

	Late *Spent // why it began late; nil: it did not

	Claimed bool // by its worker, at a pull station
	Pub     bool // no worker is asked for a reply
	// Adopted: an earlier leader decided it, and no reply to it has come. It may be unsent, because
	// only that leader knew.
	Adopted       bool
	ReplyReceived bool // its worker has replied, as this leader knows
	Cut           bool // its reply after its end changes nothing

	// PingBy is, as this leader knows, the deadline of its worker's next ping; none when it
	// need not ping.
	PingBy unit.Moment

	// HeldDeadline is the deadline that passed before earlier replies were read, or before its dispatch
	// was confirmed; none: it waits for neither.
	HeldDeadline unit.Moment
	// Ordered is the batch with which it leaves; untilLeft: an event Left reports that it did;
	// 0: an earlier leader ordered it.
	Ordered uint64
}

// Undelivered reports that x had no responders and waits to be published again.
func (x *Execution) Undelivered() bool { return x.Misses > 0 && x.Retry != 0 }

// NextCheck is the next moment at which x wants attention.
func (x *Execution) NextCheck() unit.Moment {
	switch {
	case x.Retry != 0:
		return x.Retry
	case x.State == schema.StateDispatched:
		return unit.Sooner(unit.Sooner(x.StartBy, x.Deadline), x.PingBy)
	default:
		return unit.Sooner(x.Deadline, x.PingBy)
	}
}

// Overdue names the deadline that x, whose time is up, has missed: the first one, even where a later
// one has passed by now, because only the replies of before the first are known to have been read.
func (x *Execution) Overdue() schema.Reason {
	switch {
	case x.PingBy != 0 && x.PingBy == x.NextCheck() && x.PingBy != x.Deadline:
		return schema.ReasonPing
	case x.State == schema.StateDispatched:
		return schema.ReasonStart
	default:
		return schema.ReasonExec
	}
}

// MissDelay is the backoff after so many deliveries without a responder: 1 second, doubling, at
// most 30.
func MissDelay(misses int) time.Duration {
	return min(time.Second<<min(misses-1, 5), 30*time.Second)
}

// Remove takes x out of the live executions of o.
func (o *Occurrence) Remove(x *Execution) {
	for i, other := range o.Live {
		if other == x {
			o.Live = append(o.Live[:i], o.Live[i+1:]...)
			break
		}
	}
	if x.Ballot != nil || x.Cut || o.IsShared() {
		o.Remember(-x.N) // a late vote settles nothing, nor does a cut execution, nor one of several
		return
	}
	o.Remember(x.N)
}

// The kind of its station determines how an execution runs. It is decided when the execution is
// made and kept in its record, so that a kind that changes later counts for the next one. An
// execution that perhaps no worker has is not sent again then, because all workers of a vote station
// would get it, and the first to answer would settle it.
//
//	kind   goes to                      voices         it ends
//	api    one worker of the station,   1              with its reply
//	       or the first of worker_ids
//	       that is there
//	vote   every worker                 voters         when all have voted, or at the deadline
//	pub    every worker                 0              when it is published
//	pull   the worker that claims it,   1              with its reply; its occurrence, when as
//	       made then (claim.go)                        many as worker_count says are ok (slots.go)

// Become gives a new execution its kind.
func (x *Execution) Become(k schema.Kind) {
	switch k {
	case schema.KindPub:
		x.Pub = true
	case schema.KindVote:
		x.Ballot = &Ballot{}
	}
}

// CanResend reports that x may be sent again as it is: the station of p has the kind that x was made
// for, or x is done when it is published.
func (p *Plan) CanResend(x *Execution) bool {
	switch kind := p.Station.Kind(); {
	case kind == schema.KindPull:
		return false
	case x.Pub:
		return true
	case x.Ballot != nil:
		return kind == schema.KindVote
	default:
		return kind != schema.KindVote && kind != schema.KindPub
	}
}

// Within is how long x has from its dispatch until its first deadline; 0: for ever.
func (x *Execution) Within() time.Duration {
	at := x.NextCheck()
	if at == 0 {
		return 0
	}
	return at.Time().Sub(x.Sent.Time())
}

// MayClaim reports that worker_ids do not keep a worker from p.
func (p *Plan) MayClaim(worker string) bool {
	return p.Opts == nil || len(p.Opts.Workers) == 0 || slices.Contains(p.Opts.Workers, worker)
}

// AwaitsReplies reports that x waits for earlier replies to be read.
func (x *Execution) AwaitsReplies() bool {
	return x.HeldDeadline != 0 && x.Retry == 0 && x.HeldDeadline == x.NextCheck()
}

// EndsAt is the next moment at which x wants attention; none while it waits for earlier replies.
func (x *Execution) EndsAt() unit.Moment {
	if x.AwaitsReplies() {
		return 0
	}
	return x.NextCheck()
}

// Newest returns the number of o's newest execution, or the one that was promised to it; 0: none
// yet.
func (o *Occurrence) Newest() int64 {
	switch {
	case o.Executing():
		return o.Live[len(o.Live)-1].N
	case len(o.Ended) > 0:
		n := o.Ended[len(o.Ended)-1]
		return max(n, -n) // below zero: the numbers of votes
	default:
		return o.Trigger
	}
}
