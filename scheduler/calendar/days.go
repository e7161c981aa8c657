package calendar

import "time"

// days selects days of a month: by date, by weekday, or either.
type days struct {
	dates   set  // days of the month, 1 to 31
	lasts   set  // n: the day n days before the last
	nearest set  // n: the working day nearest to day n, within the month (nW)
	lastW   bool // the last working day (LW)

	weekdays set    // Sunday is 0
	nth      [6]set // nth[n]: weekdays of which the nth in the month counts; nth[0]: the last

	anyDate, anyWeekday bool // the field restricts nothing

	// clamp counts a date past the end of the month as its last day, and one before its
	// beginning as the first, for plans of type month.
	clamp bool
}

// in returns the matching days of one month.
func (d *days) in(year int, month time.Month) set {
	length := monthLength(year, month)
	all := upTo(1, length)
	if d.anyDate && d.anyWeekday {
		return all
	}
	first := int(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Weekday())
	switch {
	case d.anyDate:
		return d.byWeekday(all, first)
	case d.anyWeekday:
		return d.byDate(all, length, first)
	default:
		return d.byDate(all, length, first) | d.byWeekday(all, first)
	}
}

func (d *days) byDate(all set, length, first int) set {
	found := d.dates & all
	for n := d.lasts.from(0); n != none; n = d.lasts.from(n + 1) {
		if n < length {
			found |= setOf(length - n)
		} else if d.clamp {
			found |= setOf(1)
		}
	}
	if d.clamp && d.dates&^all != 0 {
		found |= setOf(length)
	}
	for n := d.nearest.from(0); n <= length; n = d.nearest.from(n + 1) {
		found |= setOf(nearestWorkday(n, length, first))
	}
	if d.lastW {
		found |= setOf(nearestWorkday(length, length, first))
	}
	return found
}

func (d *days) byWeekday(all set, first int) set {
	named := d.weekdays
	for _, weekdays := range d.nth {
		named |= weekdays
	}
	var found set
	for weekday := named.from(0); weekday != none; weekday = named.from(weekday + 1) {
		// The day of the month on which this weekday comes first, and, when it
		// is there, 7, 14, 21 and 28 days later.
		start := 1 + (weekday-first+7)%7
		column := set(1|1<<7|1<<14|1<<21|1<<28) << start & all
		if d.weekdays.has(weekday) {
			found |= column
		}
		if d.nth[0].has(weekday) {
			found |= setOf(start + 7*(column.len()-1))
		}
		for n := 1; n < len(d.nth); n++ {
			if d.nth[n].has(weekday) {
				found |= setOf(start+7*(n-1)) & column
			}
		}
	}
	return found
}

// nearestWorkday returns the Monday to Friday that is nearest to a day of a
// month of that length which begins on weekday first, and in the same month.
func nearestWorkday(day, length, first int) int {
	switch time.Weekday((first + day - 1) % 7) {
	case time.Saturday:
		if day == 1 {
			return 3
		}
		return day - 1
	case time.Sunday:
		if day == length {
			return day - 2
		}
		return day + 1
	default:
		return day
	}
}

func monthLength(year int, month time.Month) int {
	switch month {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	default:
		return 31
	}
}
