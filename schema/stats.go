package schema

import "time"

// A UsedStation is a station that was put or has plans, as stations.list and get show it on request.
type UsedStation struct {
	Station
	StationUse
}

// StationUse is how a station is used.
type StationUse struct {
	Put   bool         `json:"put"`   // it has a record
	Stats StationStats `json:"stats"` // its counters
}

// UsedStationPage answers a stations.list that asks for the stations in use.
type UsedStationPage struct {
	Stations []UsedStation `json:"stations"`       // one page of stations
	Next     string        `json:"next,omitempty"` // the cursor of the next page; empty: this is the last
}

// StationStats answers stations.stats with the counters of a station, all of them 0 where it was
// never used.
type StationStats struct {
	Station  string `json:"station"`   // its name
	Plans    int64  `json:"plans"`     // that it has
	Workers  int64  `json:"workers"`   // that are there, 1,000 at most
	UnderWay int64  `json:"under_way"` // executions that have not ended
	// Waiting counts plans by the cause for which the oldest of their due occurrences waits.
	Waiting map[WaitFor]int64 `json:"waiting"`
	// OldestWait is since when an execution waits for a worker, a claim or room; zero: none does.
	OldestWait time.Time `json:"oldest_wait,omitzero"`
	// Results are those of the last hour, as "1h".
	Results map[string]ResultCounts `json:"results"`
	// Shared reports that results and waits are counted with those of other stations, because
	// there are more than 2,000, and are not here.
	Shared bool `json:"shared,omitempty"`
}

// Overview asks plans.overview.
type Overview struct {
	Lang Lang `json:"lang,omitempty"` // of the texts; empty: en
}

// Overviewed answers plans.overview with the counters of all plans.
type Overviewed struct {
	AsOf       time.Time       `json:"as_of"`      // when they were read
	Plans      PlanCounts      `json:"plans"`      // those that have not closed
	Executions ExecutionCounts `json:"executions"` // and plans that wait
	// Results are those of the last minute, hour and day, as "1m", "1h" and "24h".
	Results map[string]ResultCounts `json:"results"`
	// Lateness is that of executions that ended in the last minute and hour, as "1m" and "1h".
	Lateness map[string]LatenessCounts `json:"lateness"`
	NextDue  []DuePlan                 `json:"next_due"` // the next 20 plans that are due
	Trouble  []Trouble                 `json:"trouble"`  // 20 at most, some of each kind
}

// PlanCounts counts plans.
type PlanCounts struct {
	Total    int64              `json:"total"`     // all of them
	ByStatus map[Status]int64   `json:"by_status"` // by status
	ByType   map[PlanType]int64 `json:"by_type"`   // by type
}

// ExecutionCounts counts executions.
type ExecutionCounts struct {
	UnderWay int64 `json:"under_way"` // that have not ended
	// Waiting counts plans by the cause for which the oldest of their due occurrences waits.
	Waiting map[WaitFor]int64 `json:"waiting"`
}

// LatenessCounts are how late executions began because of the scheduler. Buckets counts those that
// were less than 1, 2, 4 and so on up to 32,768 milliseconds late, each without those before it, and
// last all others.
type LatenessCounts struct {
	Count   int64   `json:"count"`   // executions
	P50MS   int64   `json:"p50_ms"`  // half of them were less late, about, in milliseconds
	P99MS   int64   `json:"p99_ms"`  // 99 of 100 were less late, about
	MaxMS   int64   `json:"max_ms"`  // the latest
	Buckets []int64 `json:"buckets"` // 17 classes
}

// A DuePlan is a plan and when it is due.
type DuePlan struct {
	Station  string    `json:"station"`   // the plan's station
	PlanID   string    `json:"plan_id"`   // the plan's id, unique at its station
	PlanTime time.Time `json:"plan_time"` // when it is due
	// KnownAs is the name of its HTTP job or merge queue; empty: it is neither, or its definition is
	// large and was put away.
	KnownAs string `json:"known_as,omitempty"`
}

// TroubleKind is a kind of trouble.
type TroubleKind string

// The kinds of trouble.
const (
	TroubleStopped  TroubleKind = "stopped"   // a plan is pending or in plan_error
	TroubleNoWorker TroubleKind = "no_worker" // a station has no worker
	TroubleOverdue  TroubleKind = "overdue"   // a plan is due, and its leader has not looked at it
	TroubleLate     TroubleKind = "late"      // an execution began late because of the scheduler
	TroubleCallback TroubleKind = "callback"  // callbacks are not taken
)

// Trouble is a thing that a person may have to look at.
type Trouble struct {
	Kind    TroubleKind `json:"kind"`              // one of the kinds
	Station string      `json:"station,omitempty"` // whose trouble it is
	PlanID  string      `json:"plan_id,omitempty"` // of one plan; empty: of the station
	Since   time.Time   `json:"since,omitzero"`    // since when; of late: when it was due; zero: unknown
	Count   int64       `json:"count"`             // plans, or callbacks; of late: milliseconds
	Text    string      `json:"text"`              // a sentence
}

// A StatsSeries asks plans.series for counts at each of the last times.
type StatsSeries struct {
	Of      string    `json:"of"`                // results, skips or lateness
	Step    string    `json:"step"`              // 1s, 1m or 1h: 60, 60 or 168 points
	Station string    `json:"station,omitempty"` // empty: all
	From    time.Time `json:"from,omitzero"`     // leaves out earlier points; zero: none
	Lang    Lang      `json:"lang,omitempty"`    // of the texts; empty: en
}

// StatsPoints answers plans.series. All columns of Series are as long as T.
type StatsPoints struct {
	Of     string             `json:"of"`     // as asked
	Step   string             `json:"step"`   // as asked
	From   time.Time          `json:"from"`   // the first point
	T      []int64            `json:"t"`      // Unix seconds
	Series map[string][]int64 `json:"series"` // by state, by reason, or count, p50_ms, p99_ms and max_ms
	Marks  []Mark             `json:"marks"`  // of events beside
}

// A Mark is something else that happened then.
type Mark struct {
	T    int64  `json:"t"`    // Unix seconds
	Kind string `json:"kind"` // leader: a partition has another leader since; version: workers have another
	Text string `json:"text"` // a sentence
}

// ResultCounts counts the results of some time.
type ResultCounts struct {
	States  map[State]int64  `json:"states"`  // results by state
	Reasons map[Reason]int64 `json:"reasons"` // skipped occurrences by reason
}
