package ical

import "github.com/stationmaster-io/stationmaster/schema"

// MostSearched and MostOfOneRule bound the work for a file, and for the last rule of it.
const (
	MostSearched  = mostSearched
	MostOfOneRule = (mostYears + cycle) * 366 * mostRule / 2
)

// ReadCounted reads a file, and returns the work for its repetitions, too.
func ReadCounted(file []byte) (days, except []schema.CalendarDay, left []Left, steps int, err error) {
	all, err := read(file)
	return all.days, all.except, all.reported(), all.searched, err
}
