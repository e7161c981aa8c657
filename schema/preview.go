package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Preview asks plans.preview. Count is 1 to 1,000.
type Preview struct {
	Plan  wire.Value `json:"plan"`                          // a plan; its schedule is enough
	From  time.Time  `json:"from,omitzero"`                 // due times from then on; zero: now
	Count int64      `json:"count,omitempty" wire:"1-1000"` // due times to compute; 0: 6
	Shown
}

// Upcoming asks plans.upcoming for the next occurrences of a plan that exists. Count is 1 to 1,000.
type Upcoming struct {
	Station string    `json:"station"`                       // the plan's station
	PlanID  string    `json:"plan_id" wire:"numeric"`        // the plan's id, unique at its station
	From    time.Time `json:"from,omitzero"`                 // due times from then on; zero: now, and those that wait their turn
	Count   int64     `json:"count,omitempty" wire:"1-1000"` // due times to compute; 0: 6, or 1,000 with an Until
	Until   time.Time `json:"until,omitzero"`                // no due time after it; zero: no bound
	Shown
}

// Shown configures how plans.preview and plans.upcoming show due times.
type Shown struct {
	Zone string `json:"zone,omitempty"` // IANA name of the zone of local times; empty: the plan's
	Lang Lang   `json:"lang,omitempty"` // of words and notes; empty: en
	// WithSkipped shows occurrences that will not run, too, in their place.
	WithSkipped bool `json:"with_skipped,omitempty"`
}

// Lang is a language of sentences.
type Lang string

const (
	LangEnglish Lang = "en" // the default
	LangChinese Lang = "zh" // in simplified characters
)

// Langs are the languages that there are.
func Langs() []Lang { return []Lang{LangEnglish, LangChinese} }

// Previewed answers plans.preview and plans.upcoming.
type Previewed struct {
	Occurrences []PreviewedOccurrence `json:"occurrences"` // the due times, in order
	// Words is the schedule as a sentence; empty from earlier releases.
	Words string `json:"words,omitempty"`
	// Reason is why none of plans.upcoming will run: paused, manual (a user has all skipped),
	// or one of those below; empty: some will, or there is none before Until.
	Reason Reason `json:"reason,omitempty"`
}

// Reasons why nothing of a plan runs, beside those of results.
const (
	ReasonPending     Reason = "pending"     // a person decides
	ReasonPlanError   Reason = "plan_error"  // it was stopped by a failure
	ReasonClosed      Reason = "closed"      // it has ended
	ReasonRepetitions Reason = "repetitions" // it has had the occurrences that plan_repet allows
	ReasonEndAt       Reason = "end_at"      // its schedule has ended
	ReasonInbox       Reason = "inbox"       // nothing is in its inbox, or is handed over on its own
)

// PreviewedOccurrence is one due time to come. The fields after PlanTime are absent from earlier
// releases.
type PreviewedOccurrence struct {
	Occurrence int64     `json:"occurrence"`        // its number, from 1
	PlanTime   time.Time `json:"plan_time"`         // when it is due
	Local      string    `json:"local,omitempty"`   // PlanTime in the plan's zone, or the one that was asked for, in RFC 3339
	Offset     string    `json:"offset,omitempty"`  // that zone's from UTC then, such as +01:00
	Notes      []Note    `json:"notes,omitzero"`    // its peculiarities; empty: none
	Skipped    bool      `json:"skipped,omitempty"` // it will not run, as things stand
	Reason     Reason    `json:"reason,omitempty"`  // why it will not: paused, calendar, pending, plan_error or manual; empty: it will
}

// A Note is something unusual about a due time.
type Note struct {
	Kind     NoteKind  `json:"kind"`               // its peculiarity
	Text     string    `json:"text"`               // in a sentence
	From     time.Time `json:"from,omitzero"`      // of moved: when it would be due without calendars; of merged by one: the first
	Calendar string    `json:"calendar,omitempty"` // of moved, excluded and merged by one: its calendar_id
}

// NoteKind is the kind of a note.
type NoteKind string

const (
	NoteGap     NoteKind = "gap"     // the schedule's local time does not exist on that day
	NoteOverlap NoteKind = "overlap" // it exists twice on that day
	NoteClamped NoteKind = "clamped" // the month has no such day
	NoteJitter  NoteKind = "jitter"  // it begins later, at random

	NoteMoved    NoteKind = "moved"    // a calendar moved it here
	NoteMerged   NoteKind = "merged"   // others come to the same moment, by a calendar or a change of clocks, and are one with it
	NoteExcluded NoteKind = "excluded" // a calendar excludes it
)
