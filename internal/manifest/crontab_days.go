package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// sameDays refuses a schedule of a crontab whose days a plan would take for others. Cron
// runs a line on the days that both day fields name when one of the fields begins with *,
// else on the days of either. A plan runs on the days of either unless one field holds all
// days: to it, */2 is a restriction like any other.
func sameDays(schedule string) error {
	fields := strings.Fields(schedule)
	if len(fields) != 5 { // a macro
		return nil
	}
	date, weekday := fields[2], fields[4]
	byCron := beginsWithAll(date) || beginsWithAll(weekday)
	byPlan := holdsAll(date) || holdsAll(weekday)
	switch {
	case byCron && !byPlan:
		return fmt.Errorf("to cron, day fields of which one begins with * (%s and %s) mean the days that are in both, and a plan would run on the days of either: make one field *, or ask for the day in the command; the first Sunday of a month is %s %s * %s SUN#1 in a plan",
			date, weekday, fields[0], fields[1], fields[3])
	case byPlan && !byCron:
		return fmt.Errorf("to cron, day fields of which none begins with * (%s and %s) mean the days of either, which are all here, and a plan would run on fewer: make both fields *", date, weekday)
	}
	return nil
}

// beginsWithAll reports whether a day field is, to cron, one that joins with the other.
func beginsWithAll(field string) bool { return strings.HasPrefix(field, "*") || field == "?" }

// holdsAll reports whether a day field restricts nothing, to a plan.
func holdsAll(field string) bool {
	return slices.ContainsFunc(strings.Split(field, ","), func(item string) bool {
		return item == "*" || item == "*/1" || item == "?"
	})
}
