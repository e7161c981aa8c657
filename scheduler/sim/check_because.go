package sim

import (
	"github.com/stationmaster-io/stationmaster/schema"
)

// because checks the cause of a result: a run that it names exists, and its occurrence was open
// then, or failed; what it gives way to is later; and who asked is known from its cause.
func (l *life) because(r *schema.Result) {
	b := r.Because
	if b == nil {
		return
	}
	if r.Reason == schema.ReasonManual && (r.By != b.By || r.Note != b.Note) {
		l.w.fail("%s: result %d is by %q, because of %q", l.name, r.N, r.By, b.By)
	}
	switch {
	case l.restored:
	case b.N == 0 && b.Occurrence != 0 && r.Occurrence > 0 && r.Reason == schema.ReasonOverlap:
		if b.State == "" && b.Occurrence <= r.Occurrence {
			l.w.fail("%s: occurrence %d gives way to occurrence %d", l.name, r.Occurrence, b.Occurrence)
		}
	case b.N == 0:
	case r.Reason == schema.ReasonFailure:
		if was, ended := l.results[b.N]; !ended || was.State == schema.StateOK || was.Occurrence != b.Occurrence {
			l.w.fail("%s: occurrence %d is skipped because run %d failed, which is %q", l.name, r.Occurrence, b.N, was.State)
		}
	default:
		l.wasOpen(r, b)
	}
}

// wasOpen checks that the occurrence of a run that was in the way is open, or was settled in this
// very moment.
func (l *life) wasOpen(r *schema.Result, b *schema.Because) {
	of, exists := l.executions[b.N]
	if !exists {
		if b.Occurrence != 0 { // a triggered run may wait for its first execution
			l.w.fail("%s: result %d (%s) is because of run %d, which does not exist", l.name, r.N, r.Reason, b.N)
		}
		return
	}
	if max(of[0], 0) != b.Occurrence {
		l.w.fail("%s: result %d (%s) is because of run %d of occurrence %d, which is of %d", l.name, r.N, r.Reason, b.N, b.Occurrence, of[0])
	}
	if !l.final[of[0]] {
		return
	}
	for _, was := range l.results {
		if was.Occurrence == of[0] && was.Final && !was.EndTime.Equal(r.EndTime) {
			l.w.fail("%s: result %d (%s) is because of occurrence %d, which was settled before, at %v", l.name, r.N, r.Reason, of[0], was.EndTime)
		}
	}
}
