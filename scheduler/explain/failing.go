package explain

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A reader asks about a plan whose runs fail because of the failures, so an explanation names
// them beside the next occurrence, or the end of the plan.

// failures returns the number of the newest runs that failed, without a success since, and the
// last of them. There is none where a run or a time was asked for.
func (x *explaining) failures() (count int64, last *Kept) {
	if x.Ask.N != 0 || x.Ask.Occurrence != 0 || !x.Ask.At.IsZero() {
		return 0, nil
	}
	for i := range slices.Backward(x.Kept) {
		r := &x.Kept[i]
		switch {
		case !r.Final, r.State == schema.StateSkipped, r.State == schema.StateCancelled:
			continue
		case r.State == schema.StateOK:
			return count, last
		}
		if count++; last == nil {
			last = r
		}
	}
	return count, last
}

// errors writes how often the occurrence under way has failed so far, and its last error.
func (s *speaker) errors() string {
	of := s.x.Leader
	if of == nil || of.LastError == nil || s.x.Verdict != schema.VerdictWaits && s.x.Verdict != schema.VerdictRuns {
		return ""
	}
	key := "errors"
	if of.Errors <= 1 {
		key = "errors/one"
	}
	text := shown(of.LastError.Info)
	if of.LastError.Cut {
		text += "…"
	}
	return s.say(key, "count", decimal(max(of.Errors, 1)), "on", s.part("on", of.LastError.EndTime), "text", text)
}

// failing writes that the last runs failed, and the reason of the newest.
func (s *speaker) failing() string {
	count, last := s.x.failures()
	if last == nil {
		return ""
	}
	key := "failing"
	if count == 1 {
		key = "failing/one"
	}
	as := *s.x
	as.result, as.PlanTime = last, time.Time{}
	of := *s
	of.x = &as
	return s.say(key, "count", decimal(count), "at", s.at(last.WorkerID), "end", of.part("on", last.EndTime), "cause", of.failure())
}
