package protocol

import "time"

const (
	// missingFor is how long an item is searched for that is missing where it was stored, because a
	// replica may be behind. It is below the five seconds for which a client waits by default, so
	// that a claim of lost items, and a page of a backup with some, is answered.
	missingFor = 4 * time.Second
	// leastLooks is the least number of looks, because a process that was stopped between two looks
	// knows no more than those two show.
	leastLooks = 10
)

// A Search bounds the search for stored data: items, or a definition.
type Search struct {
	since  time.Time // its first look, or the first after the kind of failure changed
	failed bool      // the last look could not read the stream
	looks  int       // since then
}

// NewSearch returns a search that begins at a moment.
func NewSearch(now time.Time) Search { return Search{since: now} }

// Since is the moment from which on all looks were of the kind of the last one: data is missing, or
// the stream cannot be read.
func (s *Search) Since() time.Time { return s.since }

// Over takes in a look at now, which failed, or left data to be found, and reports whether it is
// the last one. Unreadable data is not missing, because only a stream that can be read, and lacks
// items for so long, has lost them.
func (s *Search) Over(now time.Time, left, failed bool) bool {
	if failed != s.failed {
		s.failed, s.since, s.looks = failed, now, 0
	}
	s.looks++
	return !left && !failed || now.Sub(s.since) > missingFor && s.looks >= leastLooks
}
