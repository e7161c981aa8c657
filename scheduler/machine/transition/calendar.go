package transition

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The occurrences of a schedule that calendars exclude are skipped in runs, each with the reason
// of its own, independently of those around them.

// SkipExcluded skips the occurrences of p that fell due before a moment, which come next and which
// calendars exclude.
func SkipExcluded(t *Turn, p *state.Plan, before time.Time) {
	if run := p.Schedule.Run(p.Prev, before); run.Excluded {
		t.skipDue(p, run.N, run.Last, schema.ReasonCalendar, admission.ExcludedBy(p, run.Last))
	}
}

// SkipMoved skips p's next occurrence, which calendars have moved into the past.
func SkipMoved(t *Turn, p *state.Plan) {
	t.skipDue(p, 1, p.Next, schema.ReasonCalendar, admission.ExcludedBy(p, p.Next))
}

// dueRun is the occurrences of p that come next, fell due before a moment, and are all not
// excluded; more is the first that fell due by then, too, and runs, behind others that are excluded;
// K 0: there is none.
func dueRun(p *state.Plan, before unit.Moment) (run calendar.Run, more calendar.Due) {
	run = p.Schedule.Run(p.Prev, before.Time())
	if p.Schedule.Exclusion() != nil {
		more, _ = p.Schedule.NextRun(run.Last, time.Time{}, before.Time().Add(-time.Nanosecond))
	}
	return run, more
}

// mostRuns bounds the runs that one look skips, each as a result of its own. The rest is one
// result.
const mostRuns = 32

// skipRuns skips the occurrences of p that fell due before a moment, those that calendars exclude
// with their reason, but for the last ones, all of which are excluded or none.
func skipRuns(t *Turn, p *state.Plan, before unit.Moment, why schema.Reason, cause func() *schema.Because) {
	if p.Schedule.Exclusion() == nil {
		return
	}
	for range mostRuns {
		run := p.Schedule.Run(p.Prev, before.Time())
		if run.N == 0 {
			return
		}
		if run.Excluded {
			t.skipDue(p, run.N, run.Last, schema.ReasonCalendar, admission.ExcludedBy(p, run.Last))
		} else {
			t.skipDue(p, run.N, run.Last, why, cause())
		}
	}
}

// SkipAllAsked skips the due occurrences of p that a user asked to skip, and those among them that
// calendars exclude.
func SkipAllAsked(t *Turn, p *state.Plan) {
	for p.Skip != nil && p.Next.K != 0 && unit.DueMoment(p.Next.At) <= t.Now {
		if p.ExcludesNext() {
			SkipExcluded(t, p, (t.Now + 1).Time())
		} else {
			t.SkipAsked(p)
		}
	}
}
