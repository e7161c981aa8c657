package schema

import "time"

// A UsedStation is a station that was put or has plans, as stations.list shows it on request.
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

// StationStats answers stations.stats: the counters of a station, all of them 0 where it was never
// used.
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
	// Shared says that results and waits are counted with those of other stations, because
	// there are more than 2,000, and are not here.
	Shared bool `json:"shared,omitempty"`
}

// ResultCounts counts the results of some time.
type ResultCounts struct {
	States  map[State]int64  `json:"states"`  // results by state
	Reasons map[Reason]int64 `json:"reasons"` // skipped occurrences by reason
}
