package explain

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// remedy writes the change to make if the outcome was not intended; empty: none.
func (s *speaker) remedy() string {
	key, ob := s.remedyKey(), ""
	if key == "" || s.x.Leader == nil {
		return ""
	}
	if s.x.Because != nil {
		ob = s.other(s.x.Because)
	}
	return s.say(key, "ob", ob, "station", shown(s.x.Station), "secret", shown(s.x.NoSecret))
}

func (s *speaker) remedyKey() string {
	x := s.x
	if x.NoSecret != "" && x.Verdict != schema.VerdictRan && x.Verdict != schema.VerdictNever {
		return "remedy/secret" // nothing else would have a call of it made
	}
	switch x.Verdict {
	case schema.VerdictSkipped, schema.VerdictCancelled:
		return s.skipRemedy()
	case schema.VerdictFailed:
		if x.result != nil && x.Reason == schema.ReasonRetries {
			return s.has(failedRemedies[x.result.Cause], failedRemedies[x.Reason])
		}
		return s.has(failedRemedies[x.Reason])
	case schema.VerdictWaits:
		return s.waitRemedy()
	case schema.VerdictNever, schema.VerdictNotDue:
		return s.neverRemedy()
	case schema.VerdictUnknown:
		if x.plan.Log == schema.LogNone {
			return "remedy/log"
		}
	}
	return ""
}

var failedRemedies = map[schema.Reason]string{
	schema.ReasonExec: "remedy/exec", schema.ReasonStart: "remedy/start", schema.ReasonRetries: "remedy/retries", schema.ReasonUnknown: "remedy/unknown",
}

func (s *speaker) skipRemedy() string {
	x := s.x
	b := x.Because
	ranInto := b != nil && (b.Occurrence != 0 || b.N != 0)
	switch x.Reason {
	case schema.ReasonOverlap, schema.ReasonPast:
		switch {
		case x.Reason == schema.ReasonPast && b != nil && !b.Accepted.IsZero():
			return "remedy/no_keep"
		case x.plan.Overlap == schema.BusyQueue, !ranInto:
			return ""
		case x.Verdict == schema.VerdictCancelled:
			return "remedy/finish"
		case b.State == "":
			return "remedy/queue/both"
		}
		return "remedy/queue"
	case schema.ReasonFailure:
		return "remedy/run_new"
	case schema.ReasonConcurrency:
		return "remedy/concurrency"
	case schema.ReasonMissed:
		if x.Rule != nil {
			if policy, _ := x.Rule.Value.Text(); policy == string(schema.MissedCompact) {
				return "remedy/catch_up/all"
			}
		}
		return "remedy/catch_up"
	case schema.ReasonPaused:
		if x.Next == nil {
			return s.resumeRemedy()
		}
	case schema.ReasonManual:
		if b != nil && b.Left != nil && *b.Left != 0 {
			return "remedy/skip"
		}
	case schema.ReasonCalendar:
		return s.calendarRemedy()
	}
	return ""
}

// calendarRemedy is that of a time which calendars exclude. Where they leave no time at all, and
// where the plan moves such times, that cannot be moved.
func (s *speaker) calendarRemedy() string {
	moved := s.x.plan.Excluded == schema.ExcludedNext || s.x.plan.Excluded == schema.ExcludedPrevious
	if moved || s.x.Leader != nil && s.x.Leader.NoTime {
		return "remedy/calendar"
	}
	return "remedy/excluded"
}

func (s *speaker) waitRemedy() string {
	switch s.x.Waits.For {
	case schema.WaitWorker, schema.WaitClaim:
		return "remedy/worker"
	case schema.WaitRoom:
		return s.has("remedy/room" + roomKey(becauseOf(s.x)))
	case schema.WaitTurn:
		if b := s.x.Because; b != nil && b.Station == "" {
			return "remedy/allow"
		}
	case schema.WaitPerson:
		return "remedy/reset"
	case schema.WaitResume:
		return s.resumeRemedy()
	}
	return ""
}

// resumeRemedy ends the pause of a plan, which is refused for a periodic task that is not on line.
func (s *speaker) resumeRemedy() string {
	if s.x.plan.Command == schema.PeriodicCommand && s.x.plan.Labels[command.PeriodicMark] != "" {
		return "remedy/online"
	}
	return "remedy/resume"
}

func becauseOf(x *explaining) *schema.Because {
	if x.Because == nil {
		return &schema.Because{}
	}
	return x.Because
}

func (s *speaker) neverRemedy() string {
	x := s.x
	switch x.Reason {
	case schema.ReasonManual:
		return "remedy/skip"
	case schema.ReasonRepetitions:
		return "remedy/plan_repet"
	case schema.ReasonEndAt:
		if !x.plan.EndAt.IsZero() {
			return "remedy/end_at"
		}
	case schema.ReasonStartAt:
		return "remedy/start_at"
	case schema.ReasonGap:
		if x.plan.ClockChange.Gap == schema.GapSkip {
			return "remedy/gap"
		}
	case schema.ReasonCalendar:
		return s.calendarRemedy()
	}
	return ""
}
