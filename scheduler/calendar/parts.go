package calendar

// Parts has the members of each field of a rule, in order, for a description in words. A field
// that restricts nothing has all its values.
type Parts struct {
	Seconds, Minutes, Hours, Months []int

	Dates       []int // days of the month, 1 to 31; empty: none is named
	BeforeLast  []int // n: the day n days before the month's last; 0 is the last
	NearestTo   []int // n: the Monday to Friday that is nearest to day n
	LastWorkday bool  // the last Monday to Friday of the month
	Weekdays    []int // Sunday is 0; empty: none is named
	// Nth has at [n] the weekdays of which the nth in the month is meant, at [0] those of which
	// the last is.
	Nth [6][]int

	AnyDate, AnyWeekday bool // the field restricts nothing
	// Clamps: a date that a month does not have is the day at that end of it.
	Clamps bool

	Every int64 // the step of @every in seconds, and nothing else is set; 0: another schedule
}

// Parts takes the rule of a week, month or cron plan apart. The errors are those of [Compile].
func (s Spec) Parts() (Parts, error) {
	if err := s.check(s.Time); err != nil {
		return Parts{}, err
	}
	r, err := ruleOf(s.ruleKey())
	if err != nil {
		return Parts{}, err
	}
	if r.every > 0 {
		return Parts{Every: r.every}, nil
	}
	p, d := &r.pattern, &r.pattern.days
	parts := Parts{
		Seconds: p.seconds.members(), Minutes: p.minutes.members(), Hours: p.hours.members(), Months: p.months.members(),
		Dates: d.dates.members(), BeforeLast: d.lasts.members(), NearestTo: d.nearest.members(), LastWorkday: d.lastW,
		Weekdays: d.weekdays.members(), AnyDate: d.anyDate, AnyWeekday: d.anyWeekday, Clamps: d.clamp,
	}
	for n := range d.nth {
		parts.Nth[n] = d.nth[n].members()
	}
	return parts, nil
}
