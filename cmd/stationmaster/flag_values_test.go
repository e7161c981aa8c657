package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// The flags of all commands share one notation, shown with absent, zero, smallest, greatest, and
// invalid values.
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

// A number of days without their unit is not taken for seconds where results are removed by it.
func TestHowLongResultsAreKeptTakesAUnit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "720h": 720 * time.Hour, "30s": 30 * time.Second, "86400": 24 * time.Hour, "0": 0,
	} {
		var got keptValue
		if err := got.Set(text); err != nil || time.Duration(got) != want {
			t.Errorf("%q: %v, %v; want %v", text, time.Duration(got), err, want)
		}
	}
	for text, want := range map[string]string{
		"30": "write 30d or 720h if days are meant, or 30s", "86399": "without a unit", "0.5": "0.5d or 12h", "thirty": durationForm,
	} {
		var got keptValue
		if err := got.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, time.Duration(got), err, want)
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

// No list takes a limit below 0 for all of it, and each takes 0 for that.
func TestNoListTakesALimitBelowZero(t *testing.T) {
	lists := 0
	walk(newRoot(func() {}), nil, func(cmd *cobra.Command, path []string) {
		limit := cmd.Flags().Lookup("limit")
		if limit == nil || strings.Contains(limit.Usage, "1 to 100") { // the scheduler checks that
			return
		}
		lists++
		for text, taken := range map[string]bool{"-1": false, "x": false, "": false, "1.5": false, "0": true, "7": true} {
			if err := limit.Value.(*onceValue).Value.Set(text); (err == nil) != taken {
				t.Errorf("%s --limit %s: %v", strings.Join(path, " "), text, err)
			}
		}
	})
	if lists < 7 {
		t.Errorf("only %d lists have a limit", lists)
	}
}
