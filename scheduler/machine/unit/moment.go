package unit

import "time"

// A Moment is an instant in Unix microseconds; zero is none. A plan keeps some
// ten of them, and a time.Time is three times as large.
type Moment int64

// MomentOf truncates t to microseconds; the zero time is none.
func MomentOf(t time.Time) Moment {
	if t.IsZero() {
		return 0
	}
	return Moment(t.UnixMicro())
}

// DueMoment rounds up, because a truncated due moment would let a plan fire early.
func DueMoment(t time.Time) Moment {
	m := MomentOf(t)
	if m != 0 && t.Nanosecond()%1000 != 0 {
		m++
	}
	return m
}

// Time is the moment in UTC; the zero time for none.
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

// PutOff moves m, unless it is none, to at least to, and reports whether it moved.
func (m *Moment) PutOff(to Moment) bool {
	if *m == 0 || *m >= to {
		return false
	}
	*m = to
	return true
}

// Cut moves m to at most to, and reports whether it moved.
func (m *Moment) Cut(to Moment) bool {
	if *m <= to {
		return false
	}
	*m = to
	return true
}
