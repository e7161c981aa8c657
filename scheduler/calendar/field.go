package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// longestEvery bounds the steps for which @every is offered.
const longestEvery = 100_000

// A field is one column of a cron expression.
type field struct {
	name     string
	min, max int      // the values of *
	names    []string // names[i] is another way to write i; "" when there is none
	weekday  bool     // 7 is 0 once more, and ranges wrap

	// special reads the items that only a day field has into days; false when the
	// item is an ordinary one.
	special func(d *days, item string) (bool, error)
}

var (
	monthNames   = []string{"", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	weekdayNames = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
)

var cronFields = [6]field{
	{name: "second", min: 0, max: 59},
	{name: "minute", min: 0, max: 59},
	{name: "hour", min: 0, max: 23},
	{name: "day of month", min: 1, max: 31, special: (*days).addDate},
	{name: "month", min: 1, max: 12, names: monthNames},
	{name: "day of week", min: 0, max: 6, names: weekdayNames, weekday: true, special: (*days).addWeekday},
}

// values is the meaning of one field.
type values struct {
	set      set
	any      bool // it holds a * or a ?, so it restricts nothing
	interval bool // it holds a *, a range or a step
}

// parse reads a field's list. Items that only day fields have go into d.
func (f *field) parse(list string, d *days) (values, error) {
	var v values
	for item := range strings.SplitSeq(strings.ToUpper(list), ",") {
		if f.special != nil {
			if taken, err := f.special(d, item); err != nil {
				return v, err
			} else if taken {
				continue
			}
		}
		if err := f.add(&v, item); err != nil {
			return v, err
		}
	}
	return v, nil
}

// add reads one ordinary item: *, ?, a value or a range, perhaps with a step.
func (f *field) add(v *values, item string) error {
	span, stepText, stepped := strings.Cut(item, "/")
	step := 1
	if stepped {
		var err error
		if step, err = number(stepText, nil, 1, f.max-f.min+1); err != nil {
			return fmt.Errorf("step: %w%s", err, f.every(span, stepText))
		}
	}
	everything := span == "*" || span == "?" && f.special != nil && !stepped
	low, high := f.min, f.max
	if !everything {
		var err error
		if low, high, err = f.bounds(span, stepped); err != nil {
			return err
		}
	}
	for i := low; i <= high; i += step {
		if f.weekday {
			v.set |= setOf(i % 7)
		} else {
			v.set |= setOf(i)
		}
	}
	v.any = v.any || everything && step == 1
	v.interval = v.interval || everything || stepped || strings.Contains(span, "-")
	return nil
}

// every suggests an @every expression for a step that is longer than the field, such as 90
// minutes, which no field of a clock can count.
func (f *field) every(span, step string) string {
	unit := map[string]string{"second": "s", "minute": "m", "hour": "h"}[f.name]
	n, err := strconv.Atoi(step)
	if span != "*" || unit == "" || err != nil || n <= f.max || n > longestEvery {
		return ""
	}
	return fmt.Sprintf("; for each %d %ss write @every %d%s", n, f.name, n, unit)
}

// bounds reads a value or a range. A value with a step runs to the field's end.
// High may be up to 13 in the day of week, when the range goes past Saturday.
func (f *field) bounds(span string, stepped bool) (low, high int, err error) {
	lowText, highText, ranged := strings.Cut(span, "-")
	if low, err = f.value(lowText); err != nil {
		return 0, 0, err
	}
	switch {
	case ranged:
		if high, err = f.value(highText); err != nil {
			return 0, 0, err
		}
	case stepped:
		high = f.max
	default:
		high = low
	}
	if f.weekday {
		if low == 7 { // the Sunday before, with all that follows it
			low, high = 0, high%7
		}
		if high < low {
			high += 7
		}
	}
	if high < low {
		return 0, 0, fmt.Errorf("%s runs backwards; write %s-%d,%d-%s", span, lowText, f.max, f.min, highText)
	}
	return low, high, nil
}

func (f *field) value(text string) (int, error) {
	if f.weekday {
		return number(text, f.names, 0, 7)
	}
	return number(text, f.names, f.min, f.max)
}

// number reads a name or a decimal number from low to high.
func number(text string, names []string, low, high int) (int, error) {
	if text == "" {
		return 0, errors.New("a value is missing")
	}
	if i := slices.Index(names, text); i >= 0 {
		return i, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil && errors.Is(err, strconv.ErrRange), err == nil && n > high:
		return 0, fmt.Errorf("%s is past %d", text, high)
	case err != nil || text[0] < '0' || text[0] > '9':
		if names == nil {
			return 0, fmt.Errorf("%q is not a number", text)
		}
		return 0, fmt.Errorf("%q is neither a number nor one of %s", text, strings.TrimSpace(strings.Join(names, " ")))
	case n < low:
		return 0, fmt.Errorf("%s is below %d", text, low)
	}
	return n, nil
}

// addDate reads L, L-n, LW and nW.
func (d *days) addDate(item string) (bool, error) {
	if item == "L" {
		d.lasts |= setOf(0)
		return true, nil
	}
	if item == "LW" {
		d.lastW = true
		return true, nil
	}
	if text, ok := strings.CutPrefix(item, "L-"); ok {
		n, err := number(text, nil, 0, 30)
		if err != nil {
			return false, err
		}
		d.lasts |= setOf(n)
		return true, nil
	}
	if text, ok := strings.CutSuffix(item, "W"); ok {
		n, err := number(text, nil, 1, 31)
		if err != nil {
			return false, err
		}
		d.nearest |= setOf(n)
		return true, nil
	}
	return false, nil
}

// addWeekday reads d#n and dL.
func (d *days) addWeekday(item string) (bool, error) {
	text, count, numbered := strings.Cut(item, "#")
	n := 0 // the last
	if numbered {
		var err error
		if n, err = number(count, nil, 1, 5); err != nil {
			return false, err
		}
	} else {
		var last bool
		if text, last = strings.CutSuffix(item, "L"); !last {
			return false, nil
		}
	}
	weekday, err := number(text, weekdayNames, 0, 7)
	if err != nil {
		return false, err
	}
	d.nth[n] |= setOf(weekday % 7)
	return true, nil
}
