package wire

import "time"

const secondsADay = 24 * 60 * 60

// Dates writes moments as RFC 3339 in UTC, with as many decimals as they need. It keeps
// the date that it wrote last, since most moments that are written one after the other
// are of one day, and to find the date of one takes longer than the rest. The zero Dates
// is ready; one goroutine uses it.
type Dates struct {
	day  int64    // since 1970
	text [11]byte // of that day, "2006-01-02T"; zero: none was written
}

// Append appends t to dst.
func (d *Dates) Append(dst []byte, t time.Time) []byte {
	sec := t.Unix()
	if sec < firstSecond || sec > lastSecond {
		return t.UTC().AppendFormat(dst, time.RFC3339Nano)
	}
	day, of := sec/secondsADay, sec%secondsADay
	if of < 0 {
		day, of = day-1, of+secondsADay
	}
	if day != d.day || d.text[0] == 0 {
		d.day = day
		t.UTC().AppendFormat(d.text[:0], "2006-01-02T")
	}
	dst = append(dst, d.text[:]...)
	dst = appendTwo(dst, of/3600)
	dst = appendTwo(append(dst, ':'), of/60%60)
	dst = appendTwo(append(dst, ':'), of%60)
	return append(appendDecimals(dst, t.Nanosecond()), 'Z')
}

func appendTwo(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendDecimals appends what nsec is of a second, without zeros at its end.
func appendDecimals(dst []byte, nsec int) []byte {
	if nsec == 0 {
		return dst
	}
	digits := [...]byte{'.', 0, 0, 0, 0, 0, 0, 0, 0, 0}
	last := len(digits) - 1
	for ; nsec%10 == 0; last-- {
		nsec /= 10
	}
	for i := last; i > 0; i-- {
		digits[i] = byte('0' + nsec%10)
		nsec /= 10
	}
	return append(dst, digits[:last+1]...)
}
