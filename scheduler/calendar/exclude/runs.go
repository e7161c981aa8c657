package exclude

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Runs refuses a plan whose calendars let none of its occurrences behind prev run within five
// years of the first one to come. One whose occurrences have all passed is left to others.
func Runs(s calendar.Schedule, p *schema.Plan, prev calendar.Due, now time.Time) error {
	r := RuleIn(s)
	if r == nil {
		return nil
	}
	next, any := s.Next(prev, now)
	end := calendar.Horizon(now)
	if next.At.After(now) { // which may be far away because of start_at
		end = calendar.Horizon(next.At)
	}
	if _, runs := s.NextRunAt(prev, now, end); runs || !any {
		return nil
	}
	field := "exclude"
	if len(p.Exclude) == 0 {
		field = "only"
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: field,
		Message: fmt.Sprintf("calendars leave the plan no time to run within five years: its next time, %s, %s, and so on",
			next.At.Format(time.RFC3339), r.Content().Cause(next.At)),
	}
}

// LeavesTime reports that the rule excludes not all of the five years from a moment on.
func (r *Rule) LeavesTime(from time.Time) bool {
	_, free := r.Content().firstFree(from.Unix(), calendar.Horizon(from).Unix())
	return free
}

// String continues a sentence that begins with a moment: is on de-holidays (2026-12-25, Christmas).
func (c Cause) String() string {
	switch {
	case c.Only:
		return "is not on " + c.Calendar
	case c.Window != "":
		return "is in " + c.Window + " of " + c.Calendar
	case c.Name != "":
		return fmt.Sprintf("is on %s (%s, %s)", c.Calendar, c.Day, c.Name)
	default:
		return fmt.Sprintf("is on %s (%s)", c.Calendar, c.Day)
	}
}
