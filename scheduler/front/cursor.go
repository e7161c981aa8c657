package front

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A cursor names the name or the run behind which the next page begins. It is made of names
// alone, so any node can read it at any time, and it keeps its meaning when plans come and go. It
// is opaque to users, because its form may change.

// sealCursor makes a cursor of a noun's first letter and the place.
func sealCursor(noun byte, place string) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{noun}, place...))
}

// openCursor is the inverse of sealCursor; false for a cursor of another noun, or a forged
// one. An empty cursor is the beginning.
func openCursor(noun byte, cursor string) (place string, ok bool) {
	if cursor == "" {
		return "", true
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < 2 || b[0] != noun {
		return "", false
	}
	return string(b[1:]), true
}

func planCursor(n schema.PlanName) string { return sealCursor('p', n.String()) }

func parsePlanCursor(cursor string) (schema.PlanName, bool) {
	place, ok := openCursor('p', cursor)
	if !ok || place == "" {
		return schema.PlanName{}, ok
	}
	n, err := schema.ParsePlanName(place)
	return n, err == nil
}

// parsePosition reads a cursor of the list by name.
func parsePosition(cursor string) (position, bool) {
	name, ok := parsePlanCursor(cursor)
	return position{name: name}, ok
}

// dueCursor is that of the list by due time: the moment, the partition and the handle; or, behind
// all that are due, a name. A handle is the leader's, so that behind a take-over some of those
// that are due at that very moment may be repeated or left out.
func dueCursor(at position) string {
	if at.due.Rest {
		return sealCursor('d', at.name.String())
	}
	return sealCursor('d', fmt.Sprintf("%d %d %d", at.due.At, at.partition, at.due.Handle))
}

func parseDuePlace(cursor string) (at position, ok bool) {
	text, ok := openCursor('d', cursor)
	if !ok || text == "" {
		return position{}, ok
	}
	parts := strings.Split(text, " ")
	if len(parts) == 1 {
		at.due.Rest = true
		if text == "/" { // before the first one
			return at, true
		}
		name, err := schema.ParsePlanName(text)
		at.name = name
		return at, err == nil
	}
	if len(parts) != 3 {
		return position{}, false
	}
	var err1, err2, err3 error
	at.due.At, err1 = strconv.ParseInt(parts[0], 10, 64)
	at.partition, err2 = strconv.Atoi(parts[1])
	at.due.Handle, err3 = strconv.ParseInt(parts[2], 10, 64)
	ok = err1 == nil && err2 == nil && err3 == nil && at.due.At > 0 && at.partition >= 0 && at.due.Handle >= -1
	return at, ok
}

func stationCursor(station string) string { return sealCursor('s', station) }

func parseStationCursor(cursor string) (station string, ok bool) {
	place, ok := openCursor('s', cursor)
	if !ok || place == "" {
		return "", ok
	}
	return place, schema.CheckStation(place) == nil
}

func calendarCursor(id string) string { return sealCursor('k', id) }

func parseCalendarCursor(cursor string) (id string, ok bool) {
	place, ok := openCursor('k', cursor)
	if !ok || place == "" {
		return "", ok
	}
	return place, schema.CheckID(place) == nil
}

func workerCursor(id string) string { return sealCursor('w', id) }

func parseWorkerCursor(cursor string) (id string, ok bool) {
	place, ok := openCursor('w', cursor)
	if !ok || place == "" {
		return "", ok
	}
	return place, schema.CheckID(place) == nil
}

func secretCursor(name string) string { return sealCursor('n', name) }

func parseSecretCursor(cursor string) (name string, ok bool) {
	place, ok := openCursor('n', cursor)
	if !ok || place == "" {
		return "", ok
	}
	return place, schema.CheckID(place) == nil
}

// A runID distinguishes the runs of one plan id and orders them. The incarnation is part of it
// because an id may be used again when its plan has closed, and numbers then begin anew.
type runID struct{ incarnation, n int64 }

func (a runID) compare(b runID) int {
	return cmp.Or(cmp.Compare(a.incarnation, b.incarnation), cmp.Compare(a.n, b.n))
}

func runCursor(id runID) string {
	return sealCursor('r', strconv.FormatInt(id.incarnation, 10)+"/"+strconv.FormatInt(id.n, 10))
}

// historyCursor makes a cursor: the next page has results below seq of the stream.
func historyCursor(seq uint64) string { return sealCursor('h', strconv.FormatUint(seq, 10)) }

// parseHistoryCursor returns 0 for the beginning, which is the newest.
func parseHistoryCursor(cursor string) (uint64, bool) {
	place, ok := openCursor('h', cursor)
	if !ok || place == "" {
		return 0, ok
	}
	seq, err := strconv.ParseUint(place, 10, 64)
	return seq, err == nil && seq > 0
}

// parseRunCursor reads the run behind which a page begins; the beginning is before
// all runs, which are listed from the highest to the lowest.
func parseRunCursor(cursor string) (runID, bool) {
	place, ok := openCursor('r', cursor)
	if !ok || place == "" {
		return runID{math.MaxInt64, math.MaxInt64}, ok
	}
	incarnation, n, _ := strings.Cut(place, "/")
	var id runID
	var err1, err2 error
	id.incarnation, err1 = strconv.ParseInt(incarnation, 10, 64)
	id.n, err2 = strconv.ParseInt(n, 10, 64)
	return id, err1 == nil && err2 == nil
}
