package wire

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDates holds what is written to what time writes, of days one after the other in any
// order.
func TestDates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Dates
		at := time.Unix(rapid.Int64Range(firstSecond-1e6, lastSecond+1e6).Draw(t, "sec"), 0)
		for range rapid.IntRange(1, 8).Draw(t, "moments") {
			at = at.Add(time.Duration(rapid.Int64Range(-40*3600, 40*3600).Draw(t, "later")) * time.Second)
			at = at.Truncate(time.Second).Add(time.Duration(rapid.OneOf(
				rapid.Just(int64(0)), rapid.Int64Range(0, 999_999_999),
				rapid.Map(rapid.Int64Range(0, 999_999), func(us int64) int64 { return us * 1000 }),
			).Draw(t, "nsec")))
			want := at.UTC().Format(time.RFC3339Nano)
			if got := string(d.Append(nil, at.In(time.FixedZone("", 3600)))); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	})
}

func BenchmarkDates(b *testing.B) {
	at := time.Date(2026, 3, 1, 12, 34, 56, 123_456_000, time.UTC)
	var d Dates
	buf := make([]byte, 0, 64)
	b.Run("Dates", func(b *testing.B) {
		for b.Loop() {
			buf = d.Append(buf[:0], at)
		}
	})
	b.Run("time", func(b *testing.B) {
		for b.Loop() {
			buf = at.AppendFormat(buf[:0], time.RFC3339Nano)
		}
	})
}
