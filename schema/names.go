package schema

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// MaxName is the length of the longest id and of the longest station.
const MaxName = 128

var errNoName = errors.New("is empty")

// CheckID returns an error when a plan id or a worker id is not 1 to 128 of A-Z a-z 0-9 _
// -. The error continues a sentence that begins with the field: "holds '.'; …".
func CheckID(id string) error {
	if err := checkLength(id); err != nil {
		return err
	}
	for i := range len(id) {
		if !isNameByte(id[i]) {
			return badNameByte(id, i, "letters, digits, _ and - are allowed")
		}
	}
	return nil
}

// CheckStation is [CheckID] for a station: tokens like ids, joined by single
// dots, 128 bytes at most.
func CheckStation(name string) error {
	if err := checkLength(name); err != nil {
		return err
	}
	afterDot := true
	for i := range len(name) {
		switch c := name[i]; {
		case isNameByte(c):
			afterDot = false
		case c != '.':
			return badNameByte(name, i, "letters, digits, _ and - joined by single dots are allowed")
		case afterDot:
			return errDots
		default:
			afterDot = true
		}
	}
	if afterDot {
		return errDots
	}
	return nil
}

var errDots = errors.New("has a dot at an end or two in a row; single dots join its parts")

func checkLength(s string) error {
	if s == "" {
		return errNoName
	}
	if len(s) > MaxName {
		return fmt.Errorf("has %d bytes; at most %d are allowed", len(s), MaxName)
	}
	return nil
}

func badNameByte(s string, i int, allowed string) error {
	r := []rune(s[i:])[0]
	return fmt.Errorf("holds %q; %s", r, allowed)
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// NewID makes a plan id: a ULID, which sorts by the time it was made.
func NewID() string { return NewIDAt(time.Now(), rand.Reader) }

// NewIDAt is [NewID] at a given moment; entropy gives ten bytes that look random
// and does not fail.
func NewIDAt(now time.Time, entropy io.Reader) string {
	return ulid.MustNew(ulid.Timestamp(now), entropy).String()
}

// ParsePlanName reads STATION/ID, as verbs of the command line take it.
func ParsePlanName(s string) (PlanName, error) {
	station, id, ok := strings.Cut(s, "/")
	if !ok {
		return PlanName{}, fmt.Errorf("%q has no slash", s)
	}
	n := PlanName{Station: station, PlanID: id}
	if err := n.Check(); err != nil {
		return PlanName{}, fmt.Errorf("%q: %w", s, err)
	}
	return n, nil
}

// String returns STATION/ID.
func (n PlanName) String() string { return n.Station + "/" + n.PlanID }

// Check returns an *[Error] with the field at fault when n is not valid.
func (n PlanName) Check() error {
	if err := CheckStation(n.Station); err != nil {
		return &Error{Code: CodeInvalidRequest, Field: "station", Message: "station " + err.Error()}
	}
	if err := CheckID(n.PlanID); err != nil {
		return &Error{Code: CodeInvalidRequest, Field: "plan_id", Message: "plan_id " + err.Error()}
	}
	return nil
}

// HeaderText makes s fit for a header value: control characters, CR and LF among
// them, become spaces.
func HeaderText(s string) string {
	for i := range len(s) {
		if isControl(rune(s[i])) {
			return strings.Map(func(r rune) rune {
				if isControl(r) {
					return ' '
				}
				return r
			}, s)
		}
	}
	return s
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// AtStation reports that a station is the wanted one, or below it where that ends in ".>".
// An empty wanted matches all. A subject cannot decide it, because a plan of station a.b
// has the same subject as a plan b of station a.
func AtStation(station, wanted string) bool {
	if above, many := strings.CutSuffix(wanted, ">"); many {
		return strings.HasPrefix(station, above)
	}
	return wanted == "" || station == wanted
}
