package explain

import (
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A speaker writes the sentence of an explanation.
type speaker struct {
	words
	x    *explaining
	zone *time.Location
	name string // of the zone
}

// speak writes the sentence and the remedy.
func (x *explaining) speak() {
	s := &speaker{words: wordsOf(x.Ask.Lang), x: x, zone: time.UTC, name: cmp.Or(x.plan.Timezone, "UTC")}
	if zone, err := schema.LoadZone(s.name); err == nil {
		s.zone = zone
	} else { // no plan that was checked has such a zone
		s.name = "UTC"
	}
	x.Sentence = s.sentence() + s.late() + s.failing() + s.errors()
	x.Remedy = s.remedy()
}

func (s *speaker) sentence() string {
	x := s.x
	switch x.Verdict {
	case schema.VerdictRan:
		return s.ran()
	case schema.VerdictFailed, schema.VerdictCancelled, schema.VerdictSkipped:
		return s.say(string(x.Verdict), "it", s.it(), "at", s.ranAt(), "end", s.end(), "cause", s.cause())
	case schema.VerdictRuns:
		return s.runs()
	case schema.VerdictWaits:
		return s.waits()
	case schema.VerdictNotDue:
		return s.notDue()
	case schema.VerdictNever:
		return s.never()
	default:
		return s.unknown()
	}
}

// it names the occurrence, or the execution that was asked for.
func (s *speaker) it() string {
	x := s.x
	values := []string{
		"k", decimal(x.Occurrence), "n", decimal(x.N), "time", s.moment(x.PlanTime), "zone", s.name, "moved", s.part("moved", x.MovedFrom),
	}
	key := "Occurrence"
	switch {
	case x.Occurrence == 0 && x.N != 0 && !x.PlanTime.IsZero():
		return s.say("Occurrence/trigger", values...)
	case x.Occurrence == 0 && x.N != 0:
		return s.say("Run", values...)
	case x.Occurrence == 0:
		return s.say("Plan")
	case x.Ask.N != 0 && x.Verdict != schema.VerdictSkipped:
		key = "Execution"
	}
	if x.PlanTime.IsZero() {
		key += "/bare"
	}
	return s.say(key, values...)
}

// moment writes a date and a time.
func (s *speaker) moment(t time.Time) string {
	t = t.In(s.zone)
	return t.Format(time.DateOnly) + " " + clock(t)
}

// time writes a time: with its date, unless that is the date of the occurrence.
func (s *speaker) time(t time.Time) string {
	if due := s.x.PlanTime; !due.IsZero() && t.In(s.zone).Format(time.DateOnly) == due.In(s.zone).Format(time.DateOnly) {
		return clock(t.In(s.zone))
	}
	return s.moment(t)
}

// part writes a part of a sentence with a time, empty where that is not known.
func (s *speaker) part(key string, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return s.say(key, "t", s.time(t))
}

func (s *speaker) at(worker string) string {
	if worker == "" {
		return ""
	}
	return s.say("at", "worker", shown(worker))
}

// asker writes who asked for something, and why.
func (s *speaker) asker(a schema.Attribution) (by, note string) {
	if a.By != "" {
		by = s.say("by", "by", shown(a.By))
	}
	if a.Note != "" {
		note = s.say("note", "note", shown(a.Note))
	}
	return by, note
}

// ranAt is where an execution that has ended ran.
func (s *speaker) ranAt() string {
	if s.x.result == nil {
		return ""
	}
	return s.at(s.x.result.WorkerID)
}

// end is when it ended.
func (s *speaker) end() string {
	if s.x.result == nil {
		return ""
	}
	return s.part("on", s.x.result.EndTime)
}

func (s *speaker) ran() string {
	r, span := s.x.result, ""
	if !r.ExecTime.IsZero() && !r.EndTime.IsZero() {
		span = s.say("span", "from", s.time(r.ExecTime), "to", s.time(r.EndTime))
	}
	by, note := s.asker(r.Attribution)
	key := s.has("ran/"+r.Trigger, "ran")
	return s.say(key, "it", s.it(), "at", s.ranAt(), "span", span, "by", by, "note", note)
}

func (s *speaker) runs() string {
	x := s.x
	return s.say(s.has("runs/"+string(x.State), "runs"), "it", s.it(), "at", s.at(x.WorkerID), "n", decimal(x.N),
		"since", s.part("since", x.Since), "on", s.part("on", x.Since), "deadline", s.part("deadline", x.Deadline),
		"attempt", s.say("nth", "attempt", decimal(x.Attempt)))
}

// late writes where the time went before an execution began.
func (s *speaker) late() string {
	l := s.x.Late
	if l == nil {
		return ""
	}
	parts, sum := "", 0.0
	for _, c := range [...]struct {
		cause   string
		seconds float64
	}{
		{"worker", l.Worker}, {"claim", l.Claim}, {"room", l.Room}, {"turn", l.Turn}, {"retry", l.Retry}, {"jitter", l.Jitter},
		{"lock", l.Lock}, {"person", l.Person}, {"resume", l.Resume}, {"journal", l.Journal}, {"absent", l.Absent},
	} {
		if number(c.seconds) == "0" { // such as the moment that a timer is late
			continue
		}
		if parts != "" {
			parts += s.words["and"]
		}
		parts += s.say("spent", "seconds", number(c.seconds), "cause", s.words["late/"+c.cause])
		sum += c.seconds
	}
	if parts == "" {
		return ""
	}
	return s.say("late", "seconds", number(sum), "parts", parts)
}

func (s *speaker) unknown() string {
	x := s.x
	it := s.say("execution/it", "n", decimal(x.N))
	switch {
	case x.Ask.N != 0:
	case x.PlanTime.IsZero():
		it = s.say("occurrence", "k", decimal(x.Occurrence))
	default:
		it = s.say("occurrence/it", "k", decimal(x.Occurrence), "time", s.moment(x.PlanTime), "zone", s.name)
	}
	key := "unknown"
	switch {
	case x.plan.Log == schema.LogNone:
		key = "unknown/log"
	case x.keptSince().IsZero():
		key = "unknown/none"
	}
	return s.say(key, "it", it, "t", s.moment(x.KeptSince))
}

// attempts counts attempts.
func (s *speaker) attempts(n int64) string {
	key := "attempts"
	if n == 1 {
		key = "attempt"
	}
	return s.say(key, "count", decimal(n))
}
