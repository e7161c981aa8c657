package machine

import "time"

// A moment is an instant in Unix microseconds; zero is none. A plan keeps some
// ten of them, and a time.Time is three times as large.
type moment int64

func momentOf(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return moment(t.UnixMicro())
}

// dueMoment rounds up, since a due moment cut down would let a plan fire early.
func dueMoment(t time.Time) moment {
	m := momentOf(t)
	if m != 0 && t.Nanosecond()%1000 != 0 {
		m++
	}
	return m
}

func (m moment) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// after returns the moment d later; none if d is zero, which means no limit.
func (m moment) after(d time.Duration) moment {
	if d == 0 {
		return 0
	}
	return m + moment(d/time.Microsecond)
}

// sooner returns the earlier of two moments, where none is later than any.
func sooner(a, b moment) moment {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	default:
		return min(a, b)
	}
}
