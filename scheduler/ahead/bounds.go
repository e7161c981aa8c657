package ahead

import "time"

// Bounds are those of the cells of a step, an hour or a day by the clock of a zone, that together
// hold all from from until until.
func Bounds(from, until time.Time, step string, zone *time.Location) (bounds []time.Time) {
	at := from.In(zone)
	if step == "1d" {
		at = midnight(at, 0)
	} else {
		at = at.Add(-pastHour(at))
	}
	for ; at.Before(until); at = boundBehind(at, step) {
		bounds = append(bounds, at)
	}
	return append(bounds, at)
}

func pastHour(t time.Time) time.Duration {
	return time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
}

// boundBehind is the next full hour, or midnight, that the clock shows behind t. A change of clocks
// may make a cell shorter, or longer.
func boundBehind(t time.Time, step string) time.Time {
	if step != "1d" {
		return t.Add(time.Hour - pastHour(t))
	}
	for day := 1; ; day++ { // a zone may leave out a day
		if next := midnight(t, day); next.After(t) {
			return next
		}
	}
}

// midnight is when the day begins that comes so many days behind that of t, though clocks may not
// show its midnight.
func midnight(t time.Time, day int) time.Time {
	want := time.Date(t.Year(), t.Month(), t.Day()+day, 12, 0, 0, 0, time.UTC)
	at := time.Date(want.Year(), want.Month(), want.Day(), 0, 0, 0, 0, t.Location())
	if at.Day() != want.Day() {
		if _, end := at.ZoneBounds(); !end.IsZero() && end.Day() == want.Day() {
			return end
		}
	}
	return at
}
