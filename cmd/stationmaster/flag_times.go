package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/schema"
)

// This file reads times for the flags of all commands, so that there is one notation.

// timeForm describes the notation.
const timeForm = `RFC 3339 such as 2026-03-01T10:00:00Z, a date with a zone such as "2026-03-01 10:00 Europe/Berlin", Unix seconds, or a span from now such as 90s`

// A timeText is a flag for a time, which is read when the command runs, because it may
// count from then.
type timeText string

func (v *timeText) Set(text string) error { *v = timeText(text); return nil }
func (v *timeText) String() string        { return string(*v) }
func (v *timeText) Type() string          { return "time" }

// note describes how a time was read that the clocks skip or show twice.
func (v *timeText) note() string {
	if r, ok := readingWithZone(string(*v)); ok {
		return r.note()
	}
	return ""
}

// timeVar adds a flag for a time.
func timeVar(fs *pflag.FlagSet, to *string, name, usage string) { fs.Var((*timeText)(to), name, usage) }

// noteFlags prints the notes about the flags that were given.
func noteFlags(cmd *cobra.Command) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if v, is := f.Value.(interface{ note() string }); is && v.note() != "" {
			cmd.PrintErrf("note: --%s: %s\n", f.Name, v.note())
		}
	})
}

// earliest is the smallest number that is read as Unix seconds, and beyond is just above
// the largest, because a smaller or larger one is probably a mistake.
const (
	earliest = 100_000_000     // 1973
	beyond   = 253_402_300_800 // the year 10000
)

// moment reads a time as people write it.
func moment(text string, now time.Time) (time.Time, error) { return momentFor(text, now, "") }

// momentFor is moment beside another flag for a zone; zone is its name, or empty. The time is not
// read in that, because it is the zone of the plan's clocks alone.
func momentFor(text string, now time.Time, zone string) (time.Time, error) {
	if t, ok := timeWithZone(text); ok {
		return t, nil
	}
	if about, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return unixSeconds(text, about)
	}
	if d, err := parseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if place, err := schema.LoadZone(zone); err == nil && zone != "" {
		if t, ok := timeWithoutZone(text, now.In(place)); ok {
			return time.Time{}, fmt.Errorf("%q has no zone: write %s, if that of %s is meant", text, t.Format(time.RFC3339), zone)
		}
	}
	if t, ok := timeWithoutZone(text, now); ok {
		return time.Time{}, fmt.Errorf("%q has no zone: write %s, if your own is meant", text, t.Format(time.RFC3339))
	}
	return time.Time{}, fmt.Errorf("%q is no time; give %s", text, timeForm)
}

// unixSeconds reads a number of seconds, whole or not, that is about so large.
func unixSeconds(text string, about float64) (time.Time, error) {
	switch {
	case about >= beyond:
		return time.Time{}, fmt.Errorf("%s would be Unix seconds, and lies behind the year 9999; are they milliseconds? Seconds have ten digits", text)
	case about < -beyond || math.IsNaN(about):
		return time.Time{}, fmt.Errorf("%q is no time; give %s", text, timeForm)
	case about < earliest:
		return time.Time{}, fmt.Errorf("%s would be Unix seconds, and lies in the year %d: write %ss for a span from now",
			text, time.Unix(int64(math.Floor(about)), 0).UTC().Year(), strconv.FormatFloat(about, 'f', -1, 64))
	}
	exact, ok := new(big.Rat).SetString(text) // a float64 resolves only some hundred nanoseconds
	if !ok {
		return time.Time{}, fmt.Errorf("%q is no time; give %s", text, timeForm)
	}
	nanos := exact.Mul(exact, big.NewRat(int64(time.Second), 1))
	whole, part := new(big.Int).DivMod(new(big.Int).Quo(nanos.Num(), nanos.Denom()), big.NewInt(int64(time.Second)), new(big.Int))
	return time.Unix(whole.Int64(), part.Int64()), nil
}

// The notations of dates and times of day, with and without a place for the zone.
var dateForms = []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// timeWithZone reads a time with an offset behind it, or the name of a zone.
func timeWithZone(text string) (time.Time, bool) {
	for _, form := range dateForms {
		if t, err := time.Parse(form+"Z07:00", text); err == nil {
			return t, true
		}
	}
	r, ok := readingWithZone(text)
	if !ok {
		return time.Time{}, false
	}
	return r.first(), true
}

// timeWithoutZone is the instant of a date, or of a time of today, in the zone of now.
func timeWithoutZone(text string, now time.Time) (time.Time, bool) {
	r, ok := readingIn(text, now.Location())
	if !ok {
		r, ok = readingIn(now.Format("2006-01-02 ")+text, now.Location())
	}
	if !ok {
		return time.Time{}, false
	}
	return r.first(), true
}

// A reading is a date and a time of day as the clocks of a place show it: once, or, where
// they are changed, never or twice.
type reading struct {
	text  string
	shown time.Time // as if it was UTC
	place *time.Location
}

// readingWithZone reads one with the name of its zone behind it.
func readingWithZone(text string) (reading, bool) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return reading{}, false
	}
	place, err := schema.LoadZone(text[i+1:])
	if err != nil {
		return reading{}, false
	}
	return readingIn(text[:i], place)
}

func readingIn(text string, place *time.Location) (reading, bool) {
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return reading{text, t, place}, true
		}
	}
	return reading{}, false
}

// first is when the clocks show it first or have passed it, as for a schedule.
func (r reading) first() time.Time {
	at := time.Unix(schema.Clock{Location: r.place}.First(r.shown.Unix()), 0).In(r.place)
	if !r.skipped(at) {
		at = at.Add(time.Duration(r.shown.Nanosecond()))
	}
	return at
}

// skipped reports whether clocks show another time at the first instant at which they have
// passed it.
func (r reading) skipped(at time.Time) bool {
	_, offset := at.Zone()
	return at.Unix()+int64(offset) != r.shown.Unix()
}

// note describes how a reading is taken that does not exist, or exists twice.
func (r reading) note() string {
	_, _, note := r.under(schema.ClockChange{})
	return note
}

// under returns the instant of a reading by the rule of a schedule that names its hour. A reading
// that the rule skips is later by the length of the gap. The note describes a reading that does
// not exist, or exists twice; other is then its other time.
func (r reading) under(rule schema.ClockChange) (at, other time.Time, note string) {
	at = r.first()
	clock, text := schema.Clock{Location: r.place}, r.text
	if len(text) == len(time.DateOnly) {
		text += " 00:00"
	}
	offset, start, end := clock.Stretch(at.Unix())
	if r.skipped(at) {
		before, _, _ := clock.Stretch(start - 1)
		taken := start + offset
		switch rule.Gap {
		case schema.GapBefore:
			at, taken = time.Unix(start-1, 0), start-1+before
		case schema.GapShift, schema.GapSkip:
			at, taken = time.Unix(r.shown.Unix()-before, 0), r.shown.Unix()-before+offset
		}
		return at, other, fmt.Sprintf("%s does not exist in %s: clocks go from %s to %s; taken as %s",
			text, r.place, r.beside(start+before), r.beside(start+offset), r.beside(taken))
	}
	if end == math.MaxInt64 { // they are never changed again
		return at, other, ""
	}
	after, _, until := clock.Stretch(end)
	second := r.shown.Unix() - after
	if second < end || second >= until {
		return at, other, ""
	}
	which, other := "first", time.Unix(second, 0).In(r.place)
	if rule.Overlap == schema.OverlapSecond {
		at, other, which = other, at, "second"
	}
	return at, other, fmt.Sprintf("%s exists twice in %s: clocks go back from %s to %s; taken as the %s, %s",
		text, r.place, r.beside(end+offset), r.beside(end+after), which, at.Format("15:04 -07:00"))
}

// beside is the clocks' time near a reading, with the date only where it is another.
func (r reading) beside(shown int64) string {
	t := time.Unix(shown, 0).UTC()
	form := "15:04:05"
	if t.Second() == 0 {
		form = "15:04"
	}
	if t.Format(time.DateOnly) != r.shown.Format(time.DateOnly) {
		form = "2006-01-02 " + form
	}
	return t.Format(form)
}
