package explain

import (
	"github.com/stationmaster-io/stationmaster/schema"
)

// cause writes the reason why an occurrence was skipped, was cancelled, or failed.
func (s *speaker) cause() string {
	x := s.x
	if x.Verdict == schema.VerdictFailed {
		return s.failure()
	}
	b := x.Because
	if b == nil {
		return s.say(s.has("cause/"+string(x.Reason)+"/unknown", "cause/"+string(x.Reason), "cause/other"),
			"reason", shown(string(x.Reason)), "by", "", "note", "", "on", "", "since", "")
	}
	by, note := s.asker(b.Attribution)
	values := append(s.obstacle(b),
		"by", by, "note", note, "on", s.part("on", b.Since), "left", s.left(b.Left),
		"from", s.part("from", b.From), "until", s.part("until", b.Until), "partition", s.partition(b), "t", s.moment(b.Accepted),
		"calendar", shown(b.Calendar), "day", shown(b.Day), "window", shown(b.Window), "name", s.named(b.Name),
		"reason", shown(string(x.Reason)))
	return s.say(s.causeKey(b), values...)
}

// causeKey is the key of the text about a cause.
func (s *speaker) causeKey(b *schema.Because) string {
	why := string(s.x.Reason)
	known := b.Occurrence != 0 || b.N != 0
	switch s.x.Reason {
	case schema.ReasonOverlap:
		switch {
		case known && b.State == "":
			return "cause/overlap/gave_way"
		case known:
			return "cause/overlap"
		}
		return "cause/overlap/unknown"
	case schema.ReasonPast:
		switch {
		case !b.Accepted.IsZero():
			return "cause/past/accepted"
		case known:
			return "cause/past"
		}
		return "cause/past/unknown"
	case schema.ReasonFailure:
		if known {
			return "cause/failure"
		}
		return "cause/failure/unknown"
	case schema.ReasonConcurrency:
		switch {
		case b.Station != "":
			return "cause/concurrency/station"
		case known:
			return "cause/concurrency"
		}
		return "cause/concurrency/few"
	case schema.ReasonManual:
		return s.has("cause/manual/"+b.Verb, "cause/manual")
	case schema.ReasonCalendar:
		switch {
		case b.Only:
			return "cause/calendar/only"
		case b.Window != "":
			return "cause/calendar/window"
		}
		return "cause/calendar"
	default:
		return s.has("cause/"+why, "cause/other")
	}
}

// obstacle returns the values that name the cause of a wait or a skip.
func (s *speaker) obstacle(b *schema.Because) []string {
	state := s.words[s.has("state/"+string(b.State), "state")]
	return []string{
		"ob", s.other(b), "state", state, "at", s.at(b.WorkerID), "since", s.part("since", b.Since), "station", shown(b.Station),
		"under", decimal(b.UnderWay), "limit", decimal(b.Limit),
	}
}

// other names the occurrence, or the run, that a cause refers to.
func (s *speaker) other(b *schema.Because) string {
	if b.Occurrence == 0 {
		return s.say("run", "n", decimal(b.N))
	}
	return s.say("occurrence", "k", decimal(b.Occurrence))
}

func (s *speaker) left(n *int64) string {
	switch {
	case n == nil || *n == 0:
		return ""
	case *n < 0:
		return s.words["left/all"]
	}
	return s.say("left", "left", s.say("more", "count", decimal(*n)))
}

func (s *speaker) named(name string) string {
	if name == "" {
		return ""
	}
	return s.say("name", "name", shown(name))
}

func (s *speaker) partition(b *schema.Because) string {
	if b.Partition == nil {
		return "0"
	}
	return decimal(*b.Partition)
}

// failure writes the reason why an execution failed.
func (s *speaker) failure() string {
	r := s.x.result
	reason := string(r.Reason)
	key := s.has("cause/failed/"+reason+"/"+string(r.Cause), "cause/failed/"+reason)
	if key == "" {
		key = "cause/other"
	}
	if reason == "" {
		key = "cause/failed"
	}
	return s.say(key, "tries", s.attempts(max(r.Attempt, 1)), "reason", shown(reason))
}
