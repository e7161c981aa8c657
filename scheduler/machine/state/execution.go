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
	StartBy    unit.Moment // a first word must come by then; none: no limit
	Deadline   unit.Moment // the end must come by then; none: no limit
	Worker     string
	Lock       string  // what the claim of its items said; empty: it was no such claim
	Claimed    bool    // by its worker, at a pull station
	Pub        bool    // nobody is asked for a reply
	Ballot     *Ballot // of a vote: many are asked for one
	Tries              // at its place, where there are several; see Occurrence.TriesOf

	// What a leader knows of the delivery and a successor learns anew: nobody
	// subscribed, so many times; next try.
	Misses int
	Retry  unit.Moment
	Others []string // the named workers that are tried when this one is not there

	// Adopted says that a leader before this one decided it, and nobody has said a word of
	// it: that one alone knew whether it was sent.
	Adopted bool

	// What a leader knows of its worker: by when it must ping, none when it need not,
	// and whether it has said anything.
	PingBy unit.Moment
	Heard  bool
	Cut    bool // what it says once it has ended changes nothing

	// Unheard is when its time was up while what was said by then was not heard, or it had
	// not left; none: it does not wait for that.
	Unheard unit.Moment
	// Ordered is the batch with which it leaves; untilLeft: a Left tells that it did; 0: an
	// earlier leader ordered it.
	Ordered uint64
}

// Unserved reports that x reached nobody and waits to be published again.
func (x *Execution) Unserved() bool { return x.Misses > 0 && x.Retry != 0 }

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

// Overdue says which of its times x, whose time is up, has let pass.
func (x *Execution) Overdue(now unit.Moment) schema.Reason {
	switch {
	case x.PingBy != 0 && x.PingBy <= now && (x.Deadline == 0 || x.Deadline > now):
		return schema.ReasonPing
	case x.State == schema.StateDispatched:
		return schema.ReasonStart
	default:
		return schema.ReasonExec
	}
}

// MissDelay is the backoff after so many deliveries that reached nobody: 1
// second, doubling, at most 30.
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
		o.Remember(-x.N) // a late vote settles nothing, nor does who was cut off, nor one of many
		return
	}
	o.Remember(x.N)
}

// What the kind of its station makes of an execution. It is decided when it is made and
// kept in its record: a kind that changes later counts for the next one.
//
//	kind   goes to                      voices         it ends
//	api    one worker of the station,   1              with its word
//	       or the first of worker_ids
//	       that is there
//	vote   every worker                 voters         when all have voted, or at the deadline
//	pub    every worker                 0              when it is published
//	pull   the worker that claims it,   1              with its word; its occurrence, when as
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

// Within is how long x has from when it is sent until its first time is up; 0: for ever.
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

// IsUnheard reports that x waits for a word.
func (x *Execution) IsUnheard() bool {
	return x.Unheard != 0 && x.Retry == 0 && x.Unheard == x.NextCheck()
}

// EndsAt is the next moment at which x wants attention; none while it waits for a word.
func (x *Execution) EndsAt() unit.Moment {
	if x.IsUnheard() {
		return 0
	}
	return x.NextCheck()
}

// Newest returns the number of o's newest execution, or the one that was promised to it;
// 0: none yet.
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
