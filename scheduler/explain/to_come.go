package explain

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// waits writes the cause for which an occurrence waits.
func (s *speaker) waits() string {
	x := s.x
	w, b := x.Waits, x.Because
	values := []string{"it", s.it(), "station", shown(x.Station), "reason", shown(string(x.Reason))}
	since := s.part("since", w.Since)
	next, tries, place := s.part("next", w.Next), "", ""
	if w.Tries > 0 {
		tries = s.say("tries", "tries", s.attempts(w.Tries))
	}
	if w.Place > 0 {
		place = s.say("place", "place", decimal(w.Place))
	}
	if b == nil {
		b = &schema.Because{}
	}
	by, note := s.asker(b.Attribution)
	key := "waits/" + string(w.For)
	switch w.For {
	case schema.WaitRoom:
		key += roomKey(b)
	case schema.WaitTurn:
		switch {
		case b.Station != "":
			key += "/limit"
		case b.Occurrence == 0 && b.N == 0:
			key += "/unknown"
		}
	case schema.WaitResume:
		since = s.part("since", b.Since)
	case schema.WaitPerson:
		values = append(values, "cause", s.say(s.has("stopped/"+string(x.Reason), "stopped"), "reason", shown(string(x.Reason))))
	}
	values = append(values, "since", since, "next", next, "tries", tries, "place", place, "by", by, "note", note,
		"t", s.time(w.Next), "from", s.part("since", b.Since))
	if w.For == schema.WaitRoom || w.For == schema.WaitTurn || w.For == schema.WaitLock {
		values = append(s.waitsFor(b), values...)
	}
	return s.say(key, values...)
}

func roomKey(b *schema.Because) string {
	switch {
	case b.Station != "":
		return "/station"
	case b.Occurrence == 0 && b.N == 0:
		return "/few"
	}
	return ""
}

// waitsFor returns the values that name the cause of a wait, without the beginning of the wait.
func (s *speaker) waitsFor(b *schema.Because) []string {
	state := s.words[s.has("state/"+string(b.State), "state")]
	values := []string{
		"ob", s.other(b), "state", state, "at", s.at(b.WorkerID), "under", decimal(b.UnderWay), "limit", decimal(b.Limit),
	}
	if b.Station != "" {
		values = append(values, "station", shown(b.Station))
	}
	return values
}

// notDue writes that an occurrence is to come, or that nothing was due.
func (s *speaker) notDue() string {
	x := s.x
	switch {
	case x.Occurrence == 0 && !x.Ask.At.IsZero():
		key := "not_due/at"
		if x.Ask.At.After(x.Now) {
			key = "not_due/at/ahead"
		}
		return s.say(key, "moment", s.say("moment", "time", s.moment(x.Ask.At), "zone", s.name), "beside", s.beside())
	case x.Reason == schema.ReasonInbox && x.Occurrence != 0:
		return s.say("not_due/inbox/occurrence", "it", s.it())
	case x.Reason == schema.ReasonInbox:
		return s.say("not_due/inbox")
	case x.Reason == schema.ReasonManual:
		return s.say("not_due/manual", "it", s.it(), "cause", s.cause())
	case x.PlanTime.IsZero() && x.plan.PlanType != "" && x.plan.PlanValue != nil && *x.plan.PlanValue == 0:
		return s.say("not_due/behind", "it", s.it())
	case !x.PlanTime.IsZero() && !x.PlanTime.After(x.Now):
		return s.say("not_due/now", "it", s.it())
	}
	return s.say("not_due", "it", s.it())
}

// beside names the occurrences around a moment.
func (s *speaker) beside() string {
	b := s.x.Because
	switch {
	case b == nil || b.Before == nil && b.After == nil:
		return ""
	case b.After == nil:
		return s.say("beside/before", "before", s.neighbour(b.Before))
	case b.Before == nil:
		return s.say("beside/after", "after", s.neighbour(b.After))
	}
	return s.say("beside", "before", s.neighbour(b.Before), "after", s.neighbour(b.After))
}

func (s *speaker) neighbour(n *schema.Next) string {
	return s.say("neighbour", "k", decimal(n.Occurrence), "time", s.moment(n.PlanTime))
}

// never writes the reason why an occurrence will not come.
func (s *speaker) never() string {
	x := s.x
	if x.Reason == schema.ReasonCalendar && x.Occurrence != 0 {
		return s.say("never/calendar", "it", s.it(), "cause", s.cause())
	}
	if x.Reason == schema.ReasonGap {
		return s.say("never/gap", "moment", s.say("moment", "time", s.unseen(x.Ask.At), "zone", s.name), "beside", s.beside())
	}
	cause := s.why()
	switch {
	case !x.Ask.At.IsZero() && x.Occurrence == 0:
		return s.say("never/at", "moment", s.say("moment", "time", s.moment(x.Ask.At), "zone", s.name), "cause", cause)
	case x.Occurrence == 0:
		return s.say("never/plan", "cause", cause)
	case x.PlanTime.IsZero():
		return s.say("never", "it", s.say("occurrence", "k", decimal(x.Occurrence)), "cause", cause)
	}
	return s.say("never/calendar", "it", s.it(), "cause", cause)
}

// why is the cause of a never.
func (s *speaker) why() string {
	x := s.x
	b := x.Because
	if b == nil {
		b = &schema.Because{}
	}
	by, note := s.asker(b.Attribution)
	values := []string{"by", by, "note", note, "on", s.part("on", b.Since)}
	switch x.Reason {
	case schema.ReasonClosed:
		switch {
		case x.lost != nil: // because of a skip, a pause or a cancel, which closed nothing
			return s.lost(x.lost)
		case b.Verb == "":
			return s.say("cause/ended")
		case b.Verb == "remove":
			return s.say("cause/removed", values...)
		}
		return s.say("cause/closed", values...)
	case schema.ReasonManual:
		return s.say("cause/skip_all", values...)
	case schema.ReasonRepetitions:
		return s.say("cause/repetitions", "value", s.repeats())
	case schema.ReasonStartAt:
		return s.say("cause/start_at", "value", s.moment(x.plan.StartAt))
	case schema.ReasonCalendar:
		return s.cause()
	}
	if x.plan.EndAt.IsZero() {
		return s.say("cause/no_more")
	}
	return s.say("cause/end_at", "value", s.moment(x.plan.EndAt))
}

// lost writes that a plan has ended with an occurrence that was skipped or cancelled, and the reason.
func (s *speaker) lost(r *Kept) string {
	as := *s.x
	as.Verdict, as.Reason, as.Because, as.PlanTime = schema.Verdict(r.State), r.Reason, r.Because, r.PlanTime
	of := *s
	of.x = &as
	return s.say("cause/ended/"+string(r.State), "k", decimal(r.Occurrence), "time", s.moment(r.PlanTime), "zone", s.name, "cause", of.cause())
}

// repeats is the number of occurrences that plan_repet allows.
func (s *speaker) repeats() string {
	n := int64(1)
	if given := s.x.plan.PlanRepet; given != nil && *given > 1 {
		n = *given
	}
	if n == 1 {
		return s.say("repeat")
	}
	return s.say("repeats", "count", decimal(n))
}

// unseen writes the local time that a moment stands for, which the clocks of the zone skip.
func (s *speaker) unseen(at time.Time) string {
	for _, beside := range [...]time.Duration{-widest, widest} {
		_, offset := at.Add(beside).In(s.zone).Zone()
		shown := at.UTC().Add(time.Duration(offset) * time.Second)
		is := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, s.zone)
		if is.Hour() != shown.Hour() || is.Minute() != shown.Minute() {
			return shown.Format(time.DateOnly) + " " + clock(shown)
		}
	}
	return s.moment(at)
}

// widest is more than clocks are set forward by, but for days that are skipped whole.
const widest = 3 * time.Hour
