package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// askedText returns the requester of a change, with the time and the reason.
func askedText(since time.Time, a schema.Attribution) string {
	var parts []string
	if !since.IsZero() {
		parts = append(parts, "since "+when(since))
	}
	if a.By != "" {
		parts = append(parts, "by "+a.By)
	}
	text := strings.Join(parts, " ")
	if a.Note != "" {
		return cmp.Or(text, "note") + ": " + a.Note
	}
	return text
}

// skipsText returns the requester, the time and the reason of the skips that are left.
func skipsText(s *schema.Skips) string {
	if s == nil {
		return ""
	}
	if text := askedText(s.Since, s.Attribution); text != "" {
		return ", " + text
	}
	return ""
}

// waitsText names the cause for which the oldest due occurrence of a plan waits.
func waitsText(w *schema.Waits) string {
	return "for " + waitNoun(w.For) + waitDetails(w)
}

// waitDetails are the details of a wait beside its cause, each behind a comma.
func waitDetails(w *schema.Waits) (text string) {
	if w.Occurrence != 0 {
		text += fmt.Sprintf(", occurrence %d", w.Occurrence)
	}
	if !w.Since.IsZero() {
		text += ", since " + when(w.Since)
	}
	if w.Place > 0 {
		text += fmt.Sprintf(", place %d", w.Place)
	}
	if w.Tries > 0 {
		text += fmt.Sprintf(", %s so far", counted64(w.Tries, "attempt"))
	}
	if !w.Next.IsZero() {
		text += ", next at " + when(w.Next)
	}
	return text
}

// waitNoun names the cause for which an occurrence waits; one of a newer scheduler by its word.
func waitNoun(cause schema.WaitFor) string { return cmp.Or(waitNouns[cause], string(cause)) }

// waitNounOf is waitNoun of so many plans.
func waitNounOf(plans int, cause schema.WaitFor) string {
	noun := waitNoun(cause)
	if own, is := strings.CutPrefix(noun, "its "); is && plans != 1 {
		return "their " + own
	}
	return noun
}

// waitNouns name the causes for which an occurrence waits.
var waitNouns = map[schema.WaitFor]string{
	schema.WaitWorker: "a worker", schema.WaitClaim: "a worker that claims it", schema.WaitRoom: "a place within a limit",
	schema.WaitTurn: "an earlier occurrence", schema.WaitRetry: "its retry", schema.WaitJitter: "its jitter",
	schema.WaitLock: "an inbox that is handed over", schema.WaitPerson: "a person", schema.WaitResume: "the end of the pause",
}

// becauseText is the cause of a skip or a cancellation on a line; empty: none is known.
func becauseText(reason schema.Reason, b *schema.Because) string {
	switch {
	case b == nil:
		return ""
	case b.Calendar != "":
		return calendarText(b)
	case b.Limit > 0:
		return fmt.Sprintf("%d of %d were under way%s", b.UnderWay, b.Limit, atStation(b.Station))
	case b.Partition != nil:
		return fmt.Sprintf("no scheduler led partition %d from %s until %s", *b.Partition, when(b.From), when(b.Until))
	case !b.Accepted.IsZero():
		return "the plan was accepted at " + when(b.Accepted) + ", after that time"
	case reason == schema.ReasonPaused:
		return strings.TrimSpace("paused " + askedText(b.Since, b.Attribution))
	case b.Verb != "":
		return strings.TrimSpace(b.Verb + " " + askedText(b.Since, b.Attribution))
	case b.Occurrence != 0 || b.N != 0:
		return ranInto(b)
	default:
		return ""
	}
}

func atStation(name string) string {
	if name == "" {
		return ""
	}
	return " at station " + name
}

// ranInto names the occurrence in the way.
func ranInto(b *schema.Because) string {
	text := fmt.Sprintf("occurrence %d", b.Occurrence)
	if b.Occurrence == 0 {
		text = fmt.Sprintf("the run %d by a trigger", b.N)
	}
	if b.State != "" {
		text += " was " + string(b.State)
	} else {
		text += " was in the way"
	}
	text += at(b.WorkerID)
	if !b.Since.IsZero() {
		text += " since " + when(b.Since)
	}
	return text
}

func calendarText(b *schema.Because) string {
	switch {
	case b.Only:
		return "not in calendar " + b.Calendar
	case b.Window != "":
		return "calendar " + b.Calendar + ", window " + b.Window
	case b.Name != "":
		return "calendar " + b.Calendar + ", " + b.Day + ", " + b.Name
	default:
		return "calendar " + b.Calendar + ", " + b.Day
	}
}
