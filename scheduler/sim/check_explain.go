package sim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/schema"
)

// explains checks that a leader that is idle can explain the newest occurrences of each plan and the
// next one, with the results that are kept by then.
func (c *checker) explains(l *leader) {
	for _, name := range c.plans.names() {
		book := c.plans.current[name]
		kept := book.kept()
		if c.w.planted(ReadsFirst) {
			book.shown, kept = kept, book.shown
		}
		last := book.record.Occurrence
		for k := max(1, last-2); k <= last+1; k++ {
			known, err := l.m.Explain(command.ExplainPlan{Name: name, Occurrence: k}, l.n.clock())
			if err != nil {
				c.w.fail("%s: occurrence %d is not explained: %v", name, k, err)
			}
			if b := known.Known.Because; b != nil && b.N > 0 && c.w.planted(NamesAnother) {
				other := *b
				other.N++
				known.Known.Because = &other
			}
			book.isExplained(k, &known, kept)
		}
	}
}

// isExplained checks the explanation of the occurrence k, which is the leader's or that of a
// result, names the occurrence, and names as its obstacle only an open one.
func (l *life) isExplained(k int64, known *command.Explained, kept []explain.Kept) {
	e := l.explanation(k, known, kept)
	settled := known.Known.Verdict == ""
	switch {
	case settled != l.final[k] && !l.restored && l.inbox == nil:
		l.w.fail("%s: occurrence %d is explained as %s, and it is settled: %t", l.name, k, e.Verdict, l.final[k])
	case settled || l.restored:
		return
	case e.Verdict != schema.VerdictWaits && e.Verdict != schema.VerdictSkipped:
		return
	}
	b := e.Because
	if b == nil || b.N == 0 || e.Reason == schema.ReasonFailure {
		return
	}
	open := slices.ContainsFunc(l.record.Open, func(o openRecord) bool {
		return o.Occurrence == b.Occurrence && (b.State == schema.StateWaiting || slices.ContainsFunc(o.Executions, func(x executionRecord) bool { return x.N == b.N }))
	})
	if !open {
		l.w.fail("%s: occurrence %d is explained (%s) with run %d of occurrence %d, which is not open", l.name, k, e.Verdict, b.N, b.Occurrence)
	}
}

// explanation explains the occurrence k, which fell due or comes next.
func (l *life) explanation(k int64, known *command.Explained, kept []explain.Kept) *schema.Explanation {
	e, err := explain.Explain(&explain.Facts{
		Ask:    schema.Explain{Station: l.name.Station, PlanID: l.name.PlanID, Occurrence: k},
		Leader: known, Kept: kept, Now: l.w.now,
	})
	switch {
	case err != nil:
		l.w.fail("%s: occurrence %d is not explained: %v", l.name, k, err)
	case e.Verdict == schema.VerdictUnknown && l.keepsAll():
		l.w.fail("%s: it is unknown what became of occurrence %d, and its results are kept", l.name, k)
	case !strings.Contains(e.Sentence, strconv.FormatInt(k, 10)):
		l.w.fail("%s: occurrence %d is explained without its number: %s", l.name, k, e.Sentence)
	}
	return e
}

// keepsAll reports that all results of the plan are kept.
func (l *life) keepsAll() bool {
	_, calls := schema.CalledBack(l.name.Station)
	return !calls && !l.restored && !l.logsNone && l.plan.Log != schema.LogNone
}

// kept are the results of the plan, in the order of their numbers.
func (l *life) kept() []explain.Kept {
	all := make([]explain.Kept, 0, len(l.results))
	for _, r := range l.results {
		all = append(all, explain.Kept{
			Occurrence: max(r.Occurrence, 0), Attempt: r.Attempt, N: r.N, PlanTime: r.PlanTime, MovedFrom: r.MovedFrom, ExecTime: r.ExecTime,
			EndTime: r.EndTime, State: r.State, Reason: r.Reason, Cause: r.Cause, Because: r.Because, Count: r.Count, Trigger: r.Trigger,
			WorkerID: r.WorkerID, Final: r.Final, Late: r.Late, Attribution: r.Attribution,
		})
	}
	slices.SortFunc(all, func(a, b explain.Kept) int { return cmp.Compare(a.N, b.N) })
	return all
}

// endExplained checks that each occurrence of a plan that is gone is explained by its results.
func (l *life) endExplained() {
	if !l.keepsAll() {
		return
	}
	kept := l.kept()
	for _, r := range kept {
		if r.Occurrence > 0 && !r.PlanTime.IsZero() { // else it is of a triggered run, or of items
			l.explanation(r.Occurrence, nil, kept)
			l.explanation(r.Occurrence-max(r.Count, 1)+1, nil, kept)
		}
	}
}
