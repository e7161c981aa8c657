package storage

import (
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// CheckpointKey is the fence of a partition's bucket.
const CheckpointKey = "checkpoint"

// A KeyKind is the kind of object that a key of a bucket names.
type KeyKind byte

const (
	KeyPlan     KeyKind = iota + 1 // plan.<station>.<id>: a definition
	KeyState                       // state.<station>.<id>: the scheduler's record of a plan
	KeyStation                     // station.<station>: in bucket stations
	KeyCalendar                    // calendar.<id>
	KeyClosed                      // closed.<number>: some plans that closed a short while ago
)

// PlanKey is the key of the definition of a plan in its bucket.
func PlanKey(station, id string) string { return "plan." + station + "." + id }

// StateKey is the key of the state of a plan in its bucket.
func StateKey(station, id string) string { return "state." + station + "." + id }

// StationKey is the key of the record of a station in its bucket.
func StationKey(station string) string { return "station." + station }

// CalendarKey is the key of a calendar in its bucket.
func CalendarKey(id string) string { return "calendar." + id }

// ClosedKey is the key of some plans that closed a short while ago, by the number of the row.
func ClosedKey(number uint64) string { return "closed." + strconv.FormatUint(number, 10) }

// ParseKey is the inverse of [PlanKey], [StateKey], [StationKey], [CalendarKey] and [ClosedKey],
// whose number is the id, in decimal. It reports false for keys of other makings.
func ParseKey(key string) (kind KeyKind, station, id string, ok bool) {
	word, rest, _ := strings.Cut(key, ".")
	switch word {
	case "plan":
		kind = KeyPlan
	case "state":
		kind = KeyState
	case "station":
		return KeyStation, rest, "", schema.CheckStation(rest) == nil
	case "calendar":
		return KeyCalendar, "", rest, schema.CheckID(rest) == nil
	case "closed":
		number, err := strconv.ParseUint(rest, 10, 64)
		return KeyClosed, "", rest, err == nil && ClosedKey(number) == key
	default:
		return 0, "", "", false
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return 0, "", "", false
	}
	station, id = rest[:dot], rest[dot+1:]
	return kind, station, id, schema.CheckStation(station) == nil && schema.CheckID(id) == nil
}

// HeaderItem is the header of a stored item: <incarnation>-<number>.
const HeaderItem = "Plan-Item"
