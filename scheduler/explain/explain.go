package explain

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Near is how far a moment may be from the due time of the occurrence that it means.
const Near = time.Minute

// Facts are the input of an explanation.
type Facts struct {
	Ask schema.Explain // at most one of Occurrence, N and At is given
	// Leader has the facts of the plan's leader; nil: the plan is gone.
	Leader *command.Explained
	// Kept are the results of the plan that are kept, of one life of it, the oldest first.
	Kept []Kept
	// NoSecret is a secret that the plan's calls are made with, and that is not there; empty: none.
	NoSecret string
	Now      time.Time // that of the answer
}

// Explain answers f.Ask. The error has code not_found when the plan has had no such execution.
func Explain(f *Facts) (*schema.Explanation, error) {
	x := explaining{Facts: f}
	x.Station, x.PlanID = f.Ask.Station, f.Ask.PlanID
	if f.Leader != nil {
		x.Explanation = f.Leader.Known
		if err := wire.DecodeLoose(f.Leader.Plan, &x.plan); err != nil {
			return nil, fmt.Errorf("read the definition of %s/%s: %w", f.Ask.Station, f.Ask.PlanID, err)
		}
	}
	if err := x.settle(); err != nil {
		return nil, err
	}
	x.bounds()
	x.LastOK = f.lastOK()
	if f.Leader != nil {
		var err error
		if x.Rule, err = x.rule(); err != nil {
			return nil, fmt.Errorf("write the rule that decided about %s/%s: %w", f.Ask.Station, f.Ask.PlanID, err)
		}
	}
	x.speak()
	return &x.Explanation, nil
}

// An explaining is an explanation in the making.
type explaining struct {
	*Facts
	schema.Explanation
	plan   schema.Plan // zero: it is gone
	result *Kept       // that tells of it; nil: none does
	lost   *Kept       // the last occurrence of a plan that is gone, which was skipped; nil: it was not
}

// settle reads a verdict from the results where the leader has none.
func (x *explaining) settle() error {
	q := &x.Ask
	switch {
	case q.N != 0 && x.Verdict == "":
		return x.run(q.N)
	case q.Occurrence != 0 && x.Verdict == "":
		x.occurrence(q.Occurrence)
	case !q.At.IsZero() && (x.Verdict == "" || x.Occurrence == 0):
		x.moment()
	case x.Verdict == "":
		x.ended()
	}
	return nil
}

// ended is about a plan that is gone.
func (x *explaining) ended() {
	x.Verdict, x.Reason = schema.VerdictNever, schema.ReasonClosed
	last := x.newest()
	if last == nil {
		return
	}
	switch b := last.Because; {
	case b != nil && (b.Verb == "close" || b.Verb == "remove"):
		x.Because = b
	case (last.State == schema.StateSkipped || last.State == schema.StateCancelled) && last.Final && last.isOfOccurrence():
		x.Because, x.lost = b, last
	}
}

// run is about the execution n.
func (x *explaining) run(n int64) error {
	r := x.find(func(r *Kept) bool { return r.N == n })
	if r != nil {
		x.tell(r)
		x.Occurrence, x.PlanTime, x.MovedFrom = r.Occurrence, r.PlanTime, r.MovedFrom
		return nil
	}
	if newest := x.newest(); x.Leader == nil && newest != nil && n > newest.N {
		message := fmt.Sprintf("there is no run %d of %s/%s: its newest is %d", n, x.Ask.Station, x.Ask.PlanID, newest.N)
		return &schema.Error{Code: schema.CodeNotFound, Field: "n", Message: message}
	}
	x.N = n
	x.unknown()
	return nil
}

// occurrence is about the occurrence k, which is settled.
func (x *explaining) occurrence(k int64) {
	x.Occurrence = k
	r := x.find(func(r *Kept) bool { return r.Final && r.covers(k) })
	if r == nil { // its last result is that it is tried again
		r = x.find(func(r *Kept) bool { return r.covers(k) })
	}
	newest := x.last()
	switch {
	case r != nil:
		x.tell(r)
		if r.Occurrence == k {
			x.PlanTime, x.MovedFrom = r.PlanTime, r.MovedFrom
		}
	case x.Leader == nil && newest != nil && k > newest.Occurrence:
		x.ended()
	default:
		x.unknown()
	}
}

// moment is about the occurrence that was due nearest to a moment.
func (x *explaining) moment() {
	at := x.Ask.At
	if r := x.nearest(at); r != nil {
		x.Because = nil
		x.occurrence(r.Occurrence)
		return
	}
	if x.Verdict != "" { // the leader knows that nothing was due
		if x.Because == nil && x.Verdict == schema.VerdictNotDue {
			x.Because = x.beside(at)
		}
		return
	}
	if x.Leader != nil {
		x.occurrence(x.Occurrence)
		return
	}
	oldest, newest := x.keptSince(), x.newest()
	switch {
	case at.After(newest.EndTime):
		x.ended()
	case at.Before(oldest):
		x.unknown()
	default:
		x.Verdict, x.Because = schema.VerdictNotDue, x.beside(at)
	}
}

// tell takes the verdict from a result.
func (x *explaining) tell(r *Kept) {
	x.result = r
	x.N, x.Reason, x.Because, x.Late = r.N, r.Reason, r.Because, r.Late
	switch r.State {
	case schema.StateOK:
		x.Verdict = schema.VerdictRan
	case schema.StateSkipped:
		x.Verdict = schema.VerdictSkipped
	case schema.StateCancelled:
		x.Verdict = schema.VerdictCancelled
	default:
		x.Verdict = schema.VerdictFailed
	}
}

// unknown sets the verdict of an unknown occurrence, and since when results are kept, which is
// from now on if there is none.
func (x *explaining) unknown() {
	x.Verdict, x.KeptSince = schema.VerdictUnknown, x.keptSince()
	if x.KeptSince.IsZero() {
		x.KeptSince = x.Now.UTC().Truncate(time.Millisecond)
	}
}

// bounds sets the reason of a moment at which nothing is due, because it is outside of the plan's
// time.
func (x *explaining) bounds() {
	at := x.Ask.At
	if at.IsZero() || x.Occurrence != 0 || x.Verdict != schema.VerdictNotDue && x.Reason != schema.ReasonRepetitions {
		return
	}
	switch {
	case !x.plan.StartAt.IsZero() && at.Before(x.plan.StartAt):
		x.Verdict, x.Reason = schema.VerdictNever, schema.ReasonStartAt
	case !x.plan.EndAt.IsZero() && at.After(x.plan.EndAt):
		x.Verdict, x.Reason = schema.VerdictNever, schema.ReasonEndAt
	}
}
