package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

var macros = map[string]string{
	"@YEARLY":   "0 0 1 1 *",
	"@ANNUALLY": "0 0 1 1 *",
	"@MONTHLY":  "0 0 1 * *",
	"@WEEKLY":   "0 0 * * 0",
	"@DAILY":    "0 0 * * *",
	"@MIDNIGHT": "0 0 * * *",
	"@HOURLY":   "0 * * * *",
}

// parseCron reads a cron expression, as doc.go describes it, into a rule that still lacks its
// zone. An error names the wrong field as the user counts: from 1, seconds being a field only
// when they were written.
func parseCron(expression string) (rule, error) {
	if len(expression) > schema.MaxCron {
		return rule{}, fmt.Errorf("the expression has %d bytes; %d are allowed", len(expression), schema.MaxCron)
	}
	words := strings.Fields(expression)
	if len(words) == 0 {
		return rule{}, errors.New("the expression is empty")
	}
	if strings.HasPrefix(words[0], "@") {
		if strings.EqualFold(words[0], "@every") {
			return parseEvery(words[1:])
		}
		standard, known := macros[strings.ToUpper(words[0])]
		if !known || len(words) > 1 {
			return rule{}, errors.New("the expression " + schema.NotAmong(expression, []string{"@yearly", "@monthly", "@weekly", "@daily", "@hourly", "@every"}))
		}
		words = strings.Fields(standard)
	}
	if name, _, set := strings.Cut(words[0], "="); set && (name == "TZ" || name == "CRON_TZ") {
		return rule{}, fmt.Errorf("%q stands in the expression; a time zone goes into the field timezone", words[0])
	}
	switch len(words) {
	case 5:
		return parseFields(append([]string{"0"}, words...), 0)
	case 6:
		return parseFields(words, 1)
	default:
		return rule{}, fmt.Errorf("%d fields; write five (minute, hour, day of month, month, day of week), or six with seconds first", len(words))
	}
}

// parseEvery reads the words after @every: a duration, the step of a grid.
func parseEvery(words []string) (rule, error) {
	if len(words) != 1 {
		return rule{}, errors.New("@every takes one duration, such as 1h30m")
	}
	step, err := time.ParseDuration(words[0])
	if err != nil {
		return rule{}, fmt.Errorf("@every: %q is no duration; write one such as 90s or 1h30m", words[0])
	}
	if step < time.Second || step%time.Second != 0 {
		return rule{}, fmt.Errorf("@every: %s is not a whole number of seconds, one or more", words[0])
	}
	return rule{every: int64(step / time.Second)}, nil
}

// parseFields reads six fields. Field i is number i+first to the user.
func parseFields(words []string, first int) (rule, error) {
	var (
		r      rule
		parsed [len(cronFields)]values
	)
	p, d := &r.pattern, &r.pattern.days
	for i := range cronFields {
		var err error
		if parsed[i], err = cronFields[i].parse(words[i], d); err != nil {
			return rule{}, fmt.Errorf("field %d (%s): %w", i+first, cronFields[i].name, err)
		}
	}
	second, minute, hour, date, month, weekday := parsed[0], parsed[1], parsed[2], parsed[3], parsed[4], parsed[5]

	p.seconds, p.minutes, p.hours, p.months = second.set, minute.set, hour.set, month.set
	d.dates, d.anyDate = date.set, date.any
	d.weekdays, d.anyWeekday = weekday.set, weekday.any
	// Seconds do not make an interval, because the minute 02:30 comes once a day, however many
	// of its seconds match, and must not be lost on a day on which it is skipped.
	r.change, r.realTime = fixedTime, hour.interval
	if minute.interval || hour.interval {
		r.change = realTime
	}
	if !p.everMatches() {
		return rule{}, errors.New("no day of any year matches")
	}
	return r, nil
}
