package schema

// ClockChange is the rule of a schedule of plan_type week, month or cron for the nights in which
// its zone changes its clocks. It concerns schedules that name their hours: week, month, and a
// cron expression whose hour field is a list of plain values. All others follow real time, and
// so does an absent choice of an expression whose minute field is an interval; the zero value
// changes nothing.
type ClockChange struct {
	// Gap is for a local time that does not exist on that day. Empty: after; nothing if the
	// minute field of the expression holds a *, a range or a step.
	Gap WhenGap `json:"gap,omitempty"`
	// Overlap is for a local time that exists twice on that day. Empty: first; both if the
	// minute field of the expression holds a *, a range or a step.
	Overlap WhenOverlap `json:"overlap,omitempty"`
}

// IsZero reports that nothing is chosen.
func (c ClockChange) IsZero() bool { return c == ClockChange{} }

// WhenGap is `clock_change.gap`: a clock that is set forward skips the local time.
type WhenGap string

const (
	GapAfter  WhenGap = "after"  // the default: at the first moment after the gap, all times of one gap as one
	GapBefore WhenGap = "before" // at the last second before the gap, all times of one gap as one
	GapShift  WhenGap = "shift"  // later by the length of the gap, as in iCalendar (RFC 5545)
	GapSkip   WhenGap = "skip"   // there is no such occurrence, and no number for it
)

// WhenOverlap is `clock_change.overlap`: a clock that is set back shows the local time twice.
type WhenOverlap string

const (
	OverlapFirst  WhenOverlap = "first"  // the default
	OverlapSecond WhenOverlap = "second" // the later one
	OverlapBoth   WhenOverlap = "both"   // two occurrences
)
