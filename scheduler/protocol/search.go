package protocol

import "time"

const (
	// missingFor is how long what is not where it was stored is looked for: a replica may be
	// behind.
	missingFor = 5 * time.Second
	// leastLooks is how often it is looked for at least: a process that was stopped between two
	// looks knows no more than two looks tell.
	leastLooks = 10
)

// A Search bounds how long something is looked for that was stored: items, or a definition.
type Search struct {
	since  time.Time // its first look, or the last one that was of another kind
	failed bool      // the last look could not read
	looks  int       // since then
}

// NewSearch is one that begins at a moment.
func NewSearch(now time.Time) Search { return Search{since: now} }

// Since is since when looks are of the kind that the last one was: that something is missing, or
// that nothing can be read.
func (s *Search) Since() time.Time { return s.since }

// Over takes in a look at now, which failed, or left something to be found, and reports
// whether it is the last one. What could not be read is not missing: only a stream that
// can be read, and lacks items for so long, has lost them.
func (s *Search) Over(now time.Time, left, failed bool) bool {
	if failed != s.failed {
		s.failed, s.since, s.looks = failed, now, 0
	}
	s.looks++
	return !left && !failed || now.Sub(s.since) > missingFor && s.looks >= leastLooks
}
