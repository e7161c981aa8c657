package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The verbs that a manual result may be because of, beside skip.
const (
	verbClose  = admission.VerbClose
	verbRemove = "remove"
	verbCancel = "cancel"
)

// Because is the cause of a skip or cancellation that the state of p, or the request of the turn,
// explains; nil: unknown.
func Because(t *Turn, p *state.Plan, why schema.Reason) *schema.Because {
	switch why {
	case schema.ReasonPast, schema.ReasonOverlap:
		return admission.Oldest(p).Because()
	case schema.ReasonConcurrency:
		return admission.RanIntoLimit(t.Partition, p).Because()
	case schema.ReasonPaused:
		return admission.PausedBy(p)
	case schema.ReasonMissed:
		at := int64(t.Config.Partition)
		b := &schema.Because{Until: t.ActsOn(p).Time(), Partition: &at}
		if _, restored := t.Restored[p]; !restored {
			b.From = t.LedUntil.Time()
		}
		return b
	case schema.ReasonManual, schema.ReasonProcessed:
		return manual(t, p)
	default:
		return nil
	}
}

// manual is the request because of which something of p ends: that of the turn, else the one that
// closed p.
func manual(t *Turn, p *state.Plan) *schema.Because {
	switch {
	case t.Verb != "":
		return &schema.Because{Since: t.Now.Time(), Attribution: t.Asked, Verb: t.Verb}
	default:
		return admission.ClosedBy(p)
	}
}

// given is a reference to the occurrence or triggered run that takes the place of another
// occurrence.
func given(k, n int64) *schema.Because { return admission.Ref{Occurrence: k, N: n}.Because() }

// VerbOf is the verb that the results of a command name as their cause; empty: none.
func VerbOf(name string) string {
	switch name {
	case "close", "remove", "cancel":
		return name
	case "end_task":
		return verbCancel
	case "drop":
		return verbRemove
	default:
		return ""
	}
}

// SkipAccepted skips the occurrences of p that had passed when it was accepted.
func SkipAccepted(t *Turn, p *state.Plan) {
	skipPassed(t, p, p.Accepted, schema.ReasonPast, func() *schema.Because {
		return &schema.Because{Accepted: p.Accepted.Time()}
	})
}

// skipPassed skips all occurrences that fell due before a moment. It asks for the cause where there
// are some, because it is called at the end of each execution, and mostly there are none.
func skipPassed(t *Turn, p *state.Plan, before unit.Moment, why schema.Reason, cause func() *schema.Because) {
	if p.Inbox != nil {
		return
	}
	if why != schema.ReasonPaused && before > p.Accepted {
		skipRuns(t, p, before, why, cause)
	}
	if n, last := p.Schedule.Passed(p.Prev, before.Time()); n > 0 {
		t.skipDue(p, n, last, why, cause())
	}
}

// explain adds the requester and the cause to r. A terse result leaves out the notes.
func explain(t *Turn, p *state.Plan, res *Outcome, r *schema.Result) {
	r.Because = res.Because
	switch {
	case res.Reason == schema.ReasonManual || res.Reason == schema.ReasonProcessed:
		if res.Because == nil {
			r.Because = manual(t, p)
		}
		if r.Because != nil {
			r.Attribution = r.Because.Attribution
		}
	case res.asked != nil:
		r.Attribution = *res.asked
	}
	if res.terse {
		r.Note = ""
		if r.Because != nil && r.Because.Note != "" {
			short := *r.Because
			short.Note = ""
			r.Because = &short
		}
	}
}
