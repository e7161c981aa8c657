package calendar

import "time"

// A wall is a reading of a clock without zones: the seconds from 1970-01-01 00:00:00 to the
// reading, with every day 86,400 of them. It is not an instant; type rule turns one into the
// other.
type wall int64

const (
	daySeconds = 24 * 60 * 60
	lastYear   = 9999 // the last year that RFC 3339 can write
)

func wallOf(year int, month time.Month, day int) wall {
	return wall(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix())
}

func (w wall) date() (year int, month time.Month, day int) {
	return time.Unix(int64(w), 0).UTC().Date()
}

// clock returns the second of the day.
func (w wall) clock() int {
	return int(((w % daySeconds) + daySeconds) % daySeconds)
}

func (w wall) midnight() wall { return w - wall(w.clock()) }

// A pattern is a set of wall clock readings: those whose month, day and time of
// day are all in their sets. No set of a pattern is empty.
type pattern struct {
	seconds, minutes, hours set
	months                  set // 1 to 12
	days                    days
}

// daysIn returns the days of one month that match.
func (p *pattern) daysIn(year int, month time.Month) set {
	if !p.months.has(int(month)) {
		return 0
	}
	return p.days.in(year, month)
}

// next returns the first match at w or later; false when year 9999 ends first.
func (p *pattern) next(w wall) (wall, bool) {
	year, month, day := w.date()
	left := p.daysIn(year, month) &^ upTo(0, day-1)
	if left.has(day) {
		if clock, ok := p.nextClock(w.clock()); ok {
			return w.midnight() + wall(clock), true
		}
		left &^= setOf(day)
	}
	for left == 0 {
		if month++; month > time.December {
			year, month = year+1, time.January
		}
		if year > lastYear {
			return 0, false
		}
		left = p.daysIn(year, month)
	}
	clock, _ := p.nextClock(0)
	return wallOf(year, month, left.from(0)) + wall(clock), true
}

// has reports that w is a match.
func (p *pattern) has(w wall) bool {
	at, ok := p.next(w)
	return ok && at == w
}

// nextClock returns the first matching second of a day that is clock or later.
func (p *pattern) nextClock(clock int) (int, bool) {
	hour, minute, second := clock/3600, clock/60%60, clock%60
	if p.hours.has(hour) {
		if p.minutes.has(minute) {
			if s := p.seconds.from(second); s != none {
				return hour*3600 + minute*60 + s, true
			}
		}
		if m := p.minutes.from(minute + 1); m != none {
			return hour*3600 + m*60 + p.seconds.from(0), true
		}
	}
	if h := p.hours.from(hour + 1); h != none {
		return h*3600 + p.minutes.from(0)*60 + p.seconds.from(0), true
	}
	return 0, false
}

// count returns the number of matches from lo on that lie before hi. It takes
// time for each month between them, not for each match.
func (p *pattern) count(lo, hi wall) int64 {
	if lo >= hi {
		return 0
	}
	whole := p.countDays(lo.midnight(), hi.midnight()) * int64(p.clocksBelow(daySeconds))
	return whole - int64(p.onDay(lo)) + int64(p.onDay(hi))
}

// onDay returns the number of matches on the day of w that lie before w.
func (p *pattern) onDay(w wall) int {
	clock := w.clock()
	if clock == 0 {
		return 0
	}
	if year, month, day := w.date(); !p.daysIn(year, month).has(day) {
		return 0
	}
	return p.clocksBelow(clock)
}

// clocksBelow returns how many times of day match before second clock of a day.
func (p *pattern) clocksBelow(clock int) int {
	hour, minute, second := clock/3600, clock/60%60, clock%60
	n := p.hours.below(hour) * p.minutes.len() * p.seconds.len()
	if p.hours.has(hour) {
		n += p.minutes.below(minute) * p.seconds.len()
		if p.minutes.has(minute) {
			n += p.seconds.below(second)
		}
	}
	return n
}

// countDays returns the number of matching days from the midnight lo on that
// lie before the midnight hi.
func (p *pattern) countDays(lo, hi wall) int64 {
	year, month, day := lo.date()
	endYear, endMonth, endDay := hi.date()
	n := -p.daysIn(year, month).below(day)
	for year < endYear || month < endMonth {
		n += p.daysIn(year, month).len()
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
	return int64(n + p.daysIn(year, month).below(endDay))
}

// everMatches reports whether any day matches. It looks at 400 years, because the calendar
// repeats itself after that, weekdays included.
func (p *pattern) everMatches() bool {
	for year := 2000; year < 2400; year++ {
		for month := time.January; month <= time.December; month++ {
			if p.daysIn(year, month) != 0 {
				return true
			}
		}
	}
	return false
}
