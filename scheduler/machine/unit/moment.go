package unit

import "time"

// A Moment is an instant in Unix microseconds; zero is none. A plan keeps some
// ten of them, and a time.Time is three times as large.
type Moment int64

// MomentOf cuts off what is below a microsecond; of the zero time it is none.
func MomentOf(t time.Time) Moment {
	if t.IsZero() {
		return 0
	}
	return Moment(t.UnixMicro())
}

// DueMoment rounds up, because a due moment that was cut off would let a plan fire early.
func DueMoment(t time.Time) Moment {
	m := MomentOf(t)
	if m != 0 && t.Nanosecond()%1000 != 0 {
		m++
	}
	return m
}

// Time is the moment in UTC; of none, the zero time.
func (m Moment) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// After returns the moment d later; none if d is zero, which means no limit.
func (m Moment) After(d time.Duration) Moment {
	if d == 0 {
		return 0
	}
	return m + Moment(d/time.Microsecond)
}

// Sooner returns the earlier of two moments, where none is later than any.
func Sooner(a, b Moment) Moment {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	default:
		return min(a, b)
	}
}

// PutOff has m, unless it is none, be no earlier than to, and reports that it was.
func (m *Moment) PutOff(to Moment) bool {
	if *m == 0 || *m >= to {
		return false
	}
	*m = to
	return true
}

// Cut has m be no later than to, and reports that it was.
func (m *Moment) Cut(to Moment) bool {
	if *m <= to {
		return false
	}
	*m = to
	return true
}
