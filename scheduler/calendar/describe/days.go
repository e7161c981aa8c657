package describe

import "github.com/stationmaster-io/stationmaster/scheduler/calendar"

// A run is consecutive values, from a first to a last one.
type run struct{ first, last int }

// runsOf are the runs of values that are in order. Two values make no run of their own.
func runsOf(values []int) (runs []run) {
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && values[j+1] == values[j]+1 {
			j++
		}
		if j-i < 2 {
			j = i
		}
		runs = append(runs, run{values[i], values[j]})
		i = j + 1
	}
	return runs
}

// weekdayRuns are those of weekdays, from Monday (1) to Sunday (7), and over the end of the
// week where they go on there: Friday to Monday is 5 to 8.
func weekdayRuns(weekdays []int) []run {
	week := [7]bool{}
	for _, d := range weekdays {
		week[(d+6)%7] = true
	}
	start := 0
	if week[6] && week[0] && len(weekdays) < 7 { // back to where the run begins
		for start = 6; week[start-1]; start-- {
		}
	}
	ordered := []int{}
	for i := start; i < start+7; i++ {
		if week[i%7] {
			ordered = append(ordered, i+1)
		}
	}
	return runsOf(ordered)
}

// A dayKind is the form in which the days of a rule are written.
type dayKind int

const (
	everyDay dayKind = iota
	byDate
	byWeekday
	byEither
)

// dayKindOf is also that of a field that names all its values.
func dayKindOf(p *calendar.Parts) dayKind {
	anyDate, anyWeekday := p.AnyDate || len(p.Dates) == 31, p.AnyWeekday || len(p.Weekdays) == 7
	switch {
	case p.AnyDate && anyWeekday, p.AnyWeekday && anyDate:
		return everyDay
	case !p.AnyDate && !p.AnyWeekday && (anyDate || anyWeekday):
		return everyDay
	case anyDate:
		return byWeekday
	case anyWeekday:
		return byDate
	}
	return byEither
}

// onlyDates reports that days are plain dates of one month of the year.
func onlyDates(p *calendar.Parts) bool {
	return dayKindOf(p) == byDate && len(p.Months) == 1 && len(p.Dates) > 0 &&
		len(p.BeforeLast) == 0 && len(p.NearestTo) == 0 && !p.LastWorkday
}

// dateStep is the step of dates that run to the end of a month, if no other days are named; 0:
// there is none, or it is 1.
func dateStep(p *calendar.Parts) int {
	step := stepOf(p.Dates)
	if step < 2 || last(p.Dates)+step <= 31 || len(p.BeforeLast)+len(p.NearestTo) > 0 || p.LastWorkday {
		return 0
	}
	return step
}
