package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/schema"
)

// What the flags of all commands take for a duration, a number of seconds, a size and a time
// is read here, so that it is one notation.

// durationForm, sizeForm and timeForm say what is to be written.
const (
	durationForm = "a duration such as 30s, 5m, 1h30m or 7d, or plain seconds"
	sizeForm     = "a size such as 100MB, 8GiB, or plain bytes"
	timeForm     = `RFC 3339 such as 2026-03-01T10:00:00Z, a date with a zone such as "2026-03-01 10:00 Europe/Berlin", Unix seconds, or a span from now such as 90s`
)

// longestDuration is what a time.Duration holds, in whole days.
const longestDuration = math.MaxInt64 / 24 / int64(time.Hour)

// parseDuration reads a duration: Go's notation, days, or plain seconds.
func parseDuration(text string) (time.Duration, error) {
	if days, is := strings.CutSuffix(text, "d"); is {
		if n, err := strconv.ParseFloat(days, 64); err == nil && math.Abs(n) < float64(longestDuration) { // so no NaN
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) {
		if math.Abs(n) >= float64(longestDuration)*24*60*60 {
			return 0, errors.New("it is too long")
		}
		return time.Duration(math.Round(n * float64(time.Second))), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, errors.New("give " + durationForm)
	}
	return d, nil
}

// A durationValue is a flag for a duration.
type durationValue time.Duration

func (v *durationValue) Set(text string) error {
	d, err := parseDuration(text)
	if err == nil {
		*v = durationValue(d)
	}
	return err
}

func (v *durationValue) String() string {
	if *v == 0 {
		return "0" // which help does not show as a default
	}
	return time.Duration(*v).String()
}

func (v *durationValue) Type() string { return "duration" }

// durationVar adds a flag for a duration.
func durationVar(fs *pflag.FlagSet, to *time.Duration, name string, unless time.Duration, usage string) {
	*to = unless
	fs.Var((*durationValue)(to), name, usage)
}

// A secondsValue is a flag for what travels as a number of seconds.
type secondsValue float64

func (v *secondsValue) Set(text string) error {
	d, err := parseDuration(text)
	if err == nil {
		*v = secondsValue(d.Seconds())
	}
	return err
}

func (v *secondsValue) String() string {
	return strconv.FormatFloat(float64(*v), 'g', -1, 64)
}

func (v *secondsValue) Type() string { return "duration" }

// secondsVar adds a flag for a duration that travels in seconds; nil is a value of its own.
func secondsVar(fs *pflag.FlagSet, to *float64, name, usage string) {
	if to == nil {
		to = new(float64)
	}
	fs.Var((*secondsValue)(to), name, usage)
}

// A secondsList is a flag for several of them, with commas.
type secondsList []schema.Seconds

func (v *secondsList) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		d, err := parseDuration(strings.TrimSpace(one))
		if err != nil {
			return fmt.Errorf("%q: %w", one, err)
		}
		*v = append(*v, schema.Seconds(d.Seconds()))
	}
	return nil
}

func (v *secondsList) String() string {
	texts := make([]string, len(*v))
	for i, s := range *v {
		texts[i] = strconv.FormatFloat(float64(s), 'g', -1, 64)
	}
	return strings.Join(texts, ",")
}

func (v *secondsList) Type() string { return "durations" }

// sizeUnits are in bytes, the longer names first.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, // as nats has them
	{"B", 1},
}

// A sizeValue is a flag for a number of bytes.
type sizeValue int64

func (v *sizeValue) Set(text string) error {
	number, unit := strings.ToUpper(strings.TrimSpace(text)), 1.0
	for _, u := range sizeUnits {
		if without, is := strings.CutSuffix(number, u.name); is {
			number, unit = strings.TrimSpace(without), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || math.IsNaN(n):
		return errors.New("give " + sizeForm)
	case math.Abs(n*unit) > math.MaxInt64-1024: // beside which a float64 has no number
		return errors.New("it is too large")
	}
	*v = sizeValue(n * unit)
	return nil
}

func (v *sizeValue) String() string { return strconv.FormatInt(int64(*v), 10) }
func (v *sizeValue) Type() string   { return "size" }

// earliest is the first number of Unix seconds that is taken: what is smaller was hardly meant
// so.
const earliest = 100_000_000 // 1973

// moment reads a time as people write it.
func moment(text string, now time.Time) (time.Time, error) {
	if t, ok := timeWithZone(text); ok {
		return t, nil
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seconds < earliest {
			return time.Time{}, fmt.Errorf("%s would be Unix seconds, and lies in the year %d: write %ss for a span from now",
				text, time.Unix(seconds, 0).UTC().Year(), text)
		}
		return time.Unix(seconds, 0), nil
	}
	if d, err := parseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if t, ok := timeWithoutZone(text, now); ok {
		return time.Time{}, fmt.Errorf("%q has no zone: write %s, if your own is meant", text, t.Format(time.RFC3339))
	}
	return time.Time{}, fmt.Errorf("%q is no time; give %s", text, timeForm)
}

// How dates and times of day are written, with and without a place for the zone.
var dateForms = []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// timeWithZone reads a time whose zone is an offset behind it, or the name of one.
func timeWithZone(text string) (time.Time, bool) {
	for _, form := range dateForms {
		if t, err := time.Parse(form+"Z07:00", text); err == nil {
			return t, true
		}
	}
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		if place, err := schema.LoadZone(text[i+1:]); err == nil {
			return timeIn(text[:i], place)
		}
	}
	return time.Time{}, false
}

func timeIn(text string, place *time.Location) (time.Time, bool) {
	for _, form := range dateForms {
		if t, err := time.ParseInLocation(form, text, place); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// timeWithoutZone is what a date, or a time of today, would be in the zone of now.
func timeWithoutZone(text string, now time.Time) (time.Time, bool) {
	if t, ok := timeIn(text, now.Location()); ok {
		return t, true
	}
	return timeIn(now.Format("2006-01-02 ")+text, now.Location())
}
