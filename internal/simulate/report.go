package simulate

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Report is the outcome of a simulation. Its JSON is the output of `stationmaster simulate`.
type Report struct {
	From time.Time `json:"from"`
	// Until is the end of the time; if Cut, when the simulation stopped.
	Until time.Time `json:"until"`
	Seed  uint64    `json:"seed"`
	// Cut reports that it stopped at the limit of executions, or of results of skips, with some
	// under way.
	Cut        bool                    `json:"cut,omitempty"`
	Limit      int64                   `json:"limit,omitempty"`    // that it stopped at; 0: at none
	Expected   int64                   `json:"expected,omitempty"` // if Cut, the occurrences until the end of the time, those that it did not reach, too
	Executions int64                   `json:"executions"`         // that have ended
	States     map[schema.State]int64  `json:"states"`             // of these executions
	Skipped    map[schema.Reason]int64 `json:"skipped"`            // occurrences by reason
	Stations   []StationLoad           `json:"stations"`           // by name
	Plans      []*PlanCounts           `json:"plans"`              // by station, then id
	Hours      []Hour                  `json:"-"`                  // those in which executions began
	Busiest    []Minute                `json:"-"`                  // minutes, the busiest first
	Meeting    *Meeting                `json:"-"`                  // of most plans; nil: none met
	Effects    []*Effect               `json:"effects"`            // the most important first
	Notes      []*Note                 `json:"notes"`
	Outages    []OutageReport          `json:"outages"`
	Compare    *Comparison             `json:"compare,omitempty"` // nil: nothing was compared

	digests map[schema.PlanName]uint64
}

// A StationLoad is the load of a station.
type StationLoad struct {
	Station      string `json:"station"`
	MostUnderWay int    `json:"most_under_way"` // executions that workers had at once
	// LongestWait is the longest wait in seconds for a worker, for room (a limit) and for a turn
	// (an earlier occurrence); a cause without a wait is left out.
	LongestWait map[string]float64 `json:"longest_wait"`
}

// PlanCounts are the results of a plan.
type PlanCounts struct {
	Station string                  `json:"station"`
	PlanID  string                  `json:"plan_id"`
	States  map[schema.State]int64  `json:"states"`  // of its executions
	Skipped map[schema.Reason]int64 `json:"skipped"` // its occurrences by reason
}

// An Hour is one hour of UTC.
type Hour struct {
	At         time.Time `json:"at"`
	Executions int64     `json:"executions"` // that began in it
}

// A Minute is one minute of UTC.
type Minute struct {
	At         time.Time `json:"at"`
	Executions int64     `json:"executions"` // that began in it
}

// A Note is an effect of a change of clocks or of a calendar on a plan, or that the plan has stopped
// until a person acts (kind pending or plan_error).
type Note struct {
	Station    string          `json:"station"`
	PlanID     string          `json:"plan_id"`
	Kind       schema.NoteKind `json:"kind"`
	Count      int64           `json:"count"`      // occurrences that it holds for
	Occurrence int64           `json:"occurrence"` // the first of them; 0: it does not exist
	PlanTime   time.Time       `json:"plan_time"`  // its own
	Text       string          `json:"text"`       // about it
}

// An OutageReport is the cost of an outage, as the plans are and if all had one catch_up.
type OutageReport struct {
	From    time.Time  `json:"from"`
	Until   time.Time  `json:"until"`
	AsIs    OutageCost `json:"as_is"`
	CatchUp struct {
		None    OutageCost `json:"none"`
		Compact OutageCost `json:"compact"`
		Full    OutageCost `json:"full"`
	} `json:"catch_up"`
}

// An OutageCost is the effect of an outage on the occurrences that fell due in it.
type OutageCost struct {
	Late         int64   `json:"late"`          // that ran after it
	Skipped      int64   `json:"skipped"`       // that did not run
	LongestDelay float64 `json:"longest_delay"` // seconds from plan_time to the execution
	CaughtUp     float64 `json:"caught_up"`     // seconds from its end to the last late execution
}

// report makes the report of a world whose time has passed.
func (w *world) report() *Report {
	t := w.tally
	t.endMinute()
	r := &Report{
		From: microTime(w.from), Until: microTime(w.until), Seed: w.options.Seed, Cut: w.cut,
		Executions: t.executions, States: t.states, Skipped: t.skipped,
		Stations: []StationLoad{}, Plans: []*PlanCounts{}, Busiest: t.busiest, Notes: []*Note{}, Outages: []OutageReport{},
		Meeting: t.meetings.busiest(), Effects: w.effects.list(w),
		digests: map[schema.PlanName]uint64{},
	}
	if w.cut {
		r.Until, r.Limit, r.Expected = w.shown(w.now), max(w.options.Limit, w.skips), w.expected()
		if w.executed >= w.options.Limit {
			r.Limit = w.options.Limit
		}
	}
	slices.Sort(w.names)
	for _, name := range w.names {
		s := w.stations[name]
		load := StationLoad{Station: name, MostUnderWay: s.most, LongestWait: map[string]float64{}}
		for cause, micros := range s.waits {
			load.LongestWait[cause] = float64(micros/1000) / 1000
		}
		r.Stations = append(r.Stations, load)
	}
	for _, p := range w.inOrder() {
		r.Plans = append(r.Plans, p.counts)
		r.digests[p.name] = p.digest
		for _, kind := range slices.Sorted(maps.Keys(p.notes)) {
			r.Notes = append(r.Notes, p.notes[kind])
		}
	}
	for i, n := range t.hours {
		if n > 0 {
			r.Hours = append(r.Hours, Hour{microTime(t.from + int64(i)*hourMicros), n})
		}
	}
	for _, o := range t.outages {
		r.Outages = append(r.Outages, OutageReport{From: microTime(o.from), Until: microTime(o.until), AsIs: o.cost})
	}
	return r
}

// expected is how many occurrences there were, with those to come until the end of the time.
func (w *world) expected() int64 {
	n := total(w.tally.skipped) + w.tally.executions + int64(w.inFlight)
	for _, p := range w.plans {
		if !p.schedule.Continuous() {
			left, _ := p.schedule.Passed(p.last, microTime(w.until))
			n += left
		}
	}
	return n
}

// WriteJSON writes the report as one JSON document.
func (r *Report) WriteJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
