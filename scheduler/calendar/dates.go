package calendar

import (
	"fmt"
	"strings"
	"time"
)

// Dates are the days that the three day fields of a cron expression select: day of month, month
// and day of week.
type Dates struct{ pattern pattern }

// ParseDates reads the three fields.
func ParseDates(expression string) (Dates, error) {
	words := strings.Fields(expression)
	if len(words) != 3 {
		return Dates{}, fmt.Errorf("has %d fields; write three (day of month, month, day of week)", len(words))
	}
	r, err := parseFields(append([]string{"0", "0", "0"}, words...), -2)
	if err != nil {
		return Dates{}, err
	}
	return Dates{r.pattern}, nil
}

// In returns the selected days of a month: bit n is day n.
func (d *Dates) In(year int, month time.Month) uint64 {
	return uint64(d.pattern.daysIn(year, month))
}
