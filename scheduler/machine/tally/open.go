package tally

import "github.com/stationmaster-io/stationmaster/schema"

// mayBeOpen has for each shape whether its plans may have open occurrences.
var mayBeOpen = func() (of [1 << (callsFrom + 1)]bool) {
	for i := range of {
		s := Shape(i) //nolint:gosec // 13 bits
		if s.status() <= len(statuses) && s.wait() <= len(waits) {
			of[i] = s.Status() != schema.StatusQueued || s.Wait() != ""
		}
	}
	return of
}()

// MayBeOpen reports that a plan that counts as s may have open occurrences. That of one that is paused,
// that stands still for a person, or has closed, does not tell.
func (s Shape) MayBeOpen() bool { return mayBeOpen[s] }
