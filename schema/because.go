package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Because is the cause of a skip or a cancellation, beside its reason. It has the obstacle, the
// requester, or the time without a leader. Unknown parts are left out; with a Count it is the
// cause of the last occurrence.
type Because struct {
	// Of overlap, failure, past and concurrency: the occurrence in the way, the oldest of
	// several, with its newest execution; of an occurrence that gave way, the later one.
	Occurrence int64     `json:"occurrence,omitempty"` // 0: a run by plans.trigger, or none
	N          int64     `json:"n,omitempty"`          // 0: it has no execution
	State      State     `json:"state,omitempty"`      // of that execution then
	WorkerID   string    `json:"worker_id,omitempty"`  // empty: none is known
	Since      time.Time `json:"since,omitzero"`       // since when that is so; of paused and manual, when it was asked for

	// Of concurrency: how many were under way, and how many may be; of a station's limit, that
	// of this partition.
	Station  string `json:"station,omitempty"`   // empty: the plan's own limit
	UnderWay int64  `json:"under_way,omitempty"` // 0: not because of a limit
	Limit    int64  `json:"limit,omitempty"`     // 0: not because of a limit

	From      time.Time `json:"from,omitzero"`       // of missed: since when no scheduler led
	Until     time.Time `json:"until,omitzero"`      // of missed: when a leader acted again
	Partition *int64    `json:"partition,omitempty"` // of missed
	Accepted  time.Time `json:"accepted,omitzero"`   // of past: when the plan was accepted, after that time

	Attribution        // of paused and manual
	Verb        string `json:"verb,omitempty"` // of manual: skip, close, remove or cancel
	Left        *int64 `json:"left,omitempty"` // of a skip: how many were left then; -1: all

	// Of calendar.
	Calendar string `json:"calendar,omitempty"` // the calendar's id
	Day      string `json:"day,omitempty"`      // its day, as 2026-12-25
	Name     string `json:"name,omitempty"`     // that day's name
	Window   string `json:"window,omitempty"`   // its window, as 22:00-06:00
	Only     bool   `json:"only,omitempty"`     // the plan runs only within the calendar

	// Of plans.explain about a moment at which nothing was due: the occurrences around it.
	Before *Next `json:"before,omitempty"` // nil: there is none
	After  *Next `json:"after,omitempty"`  // nil: there is none
}

// A Next is an occurrence by its due time.
type Next struct {
	PlanTime   time.Time `json:"plan_time"`  // when it is due
	Occurrence int64     `json:"occurrence"` // its number, from 1
}

// AppendTo writes b.
func (b *Because) AppendTo(w *wire.Writer) {
	w.BeginMap()
	writeCount(w, "occurrence", b.Occurrence)
	writeCount(w, "n", b.N)
	writeText(w, "state", string(b.State))
	writeText(w, "worker_id", b.WorkerID)
	writeTime(w, "since", b.Since)
	writeText(w, "station", b.Station)
	writeCount(w, "under_way", b.UnderWay)
	writeCount(w, "limit", b.Limit)
	writeTime(w, "from", b.From)
	writeTime(w, "until", b.Until)
	if b.Partition != nil {
		writeInt(w, "partition", *b.Partition)
	}
	writeTime(w, "accepted", b.Accepted)
	b.Attribution.appendMembers(w)
	writeText(w, "verb", b.Verb)
	if b.Left != nil {
		writeInt(w, "left", *b.Left)
	}
	writeText(w, "calendar", b.Calendar)
	writeText(w, "day", b.Day)
	writeText(w, "name", b.Name)
	writeText(w, "window", b.Window)
	if b.Only {
		w.Key("only")
		w.Bool(true)
	}
	b.Before.appendAs(w, "before")
	b.After.appendAs(w, "after")
	w.EndMap()
}

func (n *Next) appendAs(w *wire.Writer, name wire.Name) {
	if n == nil {
		return
	}
	w.Key(name)
	w.BeginMap()
	w.Key("plan_time")
	w.Time(n.PlanTime)
	writeInt(w, "occurrence", n.Occurrence)
	w.EndMap()
}

// writeCount leaves out 0.
func writeCount(w *wire.Writer, name wire.Name, n int64) {
	if n != 0 {
		writeInt(w, name, n)
	}
}
