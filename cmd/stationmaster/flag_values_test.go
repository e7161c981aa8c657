package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Absent, zero, smallest, greatest, and what is none: one notation for the flags of all
// commands.
func TestDurationsOfFlags(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "30": 30 * time.Second, "0.25": 250 * time.Millisecond, "30s": 30 * time.Second,
		"1h30m": 90 * time.Minute, "7d": 7 * 24 * time.Hour, "1ns": 1, "-5": -5 * time.Second, "100000d": 100_000 * 24 * time.Hour,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "30x", "d", "nan", "inf", "1e300", "9223372036854775808d", "1h 30m", "--"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSizesOfFlags(t *testing.T) {
	for text, want := range map[string]sizeValue{
		"0": 0, "1": 1, "100MB": 100_000_000, "8GiB": 8 << 30, "8G": 8 << 30, "1.5 KiB": 1536, "10 b": 10, "7t": 7 << 40,
		"9223372036854774784": math.MaxInt64 - 1023,
	} {
		var got sizeValue
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "100XB", "nan", "1e30", "9e18TB"} {
		var got sizeValue
		if err := got.Set(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-01T13:00:00+01:00":           now,
		"2026-03-01T13:00+01:00":              now,
		"2026-03-01 13:00:00 Europe/Berlin":   now,
		"2026-03-01 13:00 Europe/Berlin":      now,
		"2026-03-01 Europe/Berlin":            now.Add(-13 * time.Hour),
		"2026-03-01Z":                         now.Add(-12 * time.Hour),
		"1772366400":                          now,
		"90s":                                 now.Add(90 * time.Second),
		"-1h":                                 now.Add(-time.Hour),
		"2d":                                  now.Add(48 * time.Hour),
		"9999-12-31T23:59:59.999999999Z":      time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		"2026-03-01T10:00:00.5-02:00":         now.Add(500 * time.Millisecond),
		"2026-03-29 03:30:00 Europe/Berlin":   time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC),
		"2026-03-01 00:00 America/New_York":   time.Date(2026, 3, 1, 5, 0, 0, 0, time.UTC),
		"2026-03-01T07:00:00 America/Jamaica": now,
	} {
		if got, err := moment(text, now); err != nil || !got.Equal(want) {
			t.Errorf("moment(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"9:00":              `has no zone: write 2026-03-01T09:00:00Z`,
		"2026-11-24":        `has no zone: write 2026-11-24T00:00:00Z`,
		"2026-11-24 10:00":  `has no zone: write 2026-11-24T10:00:00Z`,
		"10":                "10 would be Unix seconds, and lies in the year 1970: write 10s",
		"tomorrow":          `"tomorrow" is no time; give RFC 3339`,
		"":                  "is no time",
		"2026-03-01 berlin": "is no time",
		"2026-03-01 Local":  "is no time",
	} {
		if got, err := moment(text, now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("moment(%q) = %v, %v; want %q", text, got, err, says)
		}
	}
}
