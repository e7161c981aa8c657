package schema

import "time"

// PlanCalendar asks plans.calendar how many occurrences fall due when, of the plans that the
// filters take. From and Until are at most 31 days apart.
type PlanCalendar struct {
	From  time.Time `json:"from,omitzero"`  // of the first cell; zero: now
	Until time.Time `json:"until,omitzero"` // of the last cell; zero: 7 days behind From, or of days 31
	Step  string    `json:"step,omitempty"` // 1h or 1d; empty: 1h
	Cell  time.Time `json:"cell,omitzero"`  // the cell that holds it alone, and its plans, in place of From and Until; zero: no plans
	Zone  string    `json:"zone,omitempty"` // IANA name of the zone whose hours and days are counted; empty: UTC
	Lang  Lang      `json:"lang,omitempty"` // of notes; empty: en
	// WithinMS is how long plans are looked at, 1 to 2,000 milliseconds, where an estimate from a sample of
	// them will do; 0: all are.
	WithinMS int64 `json:"within_ms,omitempty" wire:"1-2000"`

	// The filters choose plans, as those of [ListPlans] do.
	Station   string            `json:"station,omitempty"`                  // empty: all
	Status    OneOrMany         `json:"status,omitempty" wire:"set"`        // any of these; empty: all
	Waits     OneOrMany         `json:"waits,omitempty" wire:"set"`         // any of these; empty: all
	PlanType  PlanType          `json:"plan_type,omitempty"`                // empty: all
	Caller    string            `json:"caller,omitempty" wire:"numeric"`    // empty: all
	TenantID  string            `json:"tenant_id,omitempty" wire:"numeric"` // empty: all
	Category  string            `json:"category,omitempty" wire:"numeric"`  // empty: all
	Creator   string            `json:"creator,omitempty" wire:"numeric"`   // empty: all
	Labels    map[string]string `json:"labels,omitempty"`                   // all of these; empty: all plans
	Text      string            `json:"text,omitempty"`                     // empty: any
	DueFrom   time.Time         `json:"due_from,omitzero"`                  // zero: no bound
	DueBefore time.Time         `json:"due_before,omitzero"`                // zero: no bound
	Prefix    string            `json:"prefix,omitempty"`                   // empty: any
}

// DueCalendar answers plans.calendar.
type DueCalendar struct {
	Zone    string    `json:"zone"`    // whose hours and days the cells are
	Step    string    `json:"step"`    // 1h or 1d
	AsOf    time.Time `json:"as_of"`   // when the plans stood so
	Plans   int64     `json:"plans"`   // that were looked at; of a sample about how many there are
	Sampled bool      `json:"sampled"` // counts are estimates from a part of the plans
	Cells   []DueCell `json:"cells"`   // in order

	Items   []DueItem `json:"items,omitempty"`    // of a cell that was asked for: its plans, 100 at most, the first to run first
	LeftOut int64     `json:"left_out,omitempty"` // plans that Items has no room for
}

// A DueItem is a plan with occurrences in a cell.
type DueItem struct {
	Station string    `json:"station"` // of its name
	PlanID  string    `json:"plan_id"` // of its name
	Count   int64     `json:"count"`   // occurrences that will run
	First   time.Time `json:"first"`   // of them, to the second
}

// A DueCell is an hour or a day, and its occurrences.
type DueCell struct {
	From  string       `json:"from"`  // its first moment, in RFC 3339 with the zone's offset
	Count int64        `json:"count"` // occurrences that will run
	Top   []DueStation `json:"top"`   // the stations with most of them, 5 at most
	Notes []DueNote    `json:"notes"` // on occurrences that a change of clocks concerns, 5 at most
}

// A DueStation is how many occurrences fall due at a station.
type DueStation struct {
	Station string `json:"station"` // its name
	Count   int64  `json:"count"`   // of its occurrences
}

// A DueNote is a note that is the same for some plans.
type DueNote struct {
	Note
	Plans int64 `json:"plans"` // that it is about
}
