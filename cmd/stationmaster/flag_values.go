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

// This file reads durations, numbers of seconds and sizes for the flags of all commands, so
// that there is one notation.

// durationForm and sizeForm describe the notations.
const (
	durationForm = "a duration such as 30s, 5m, 1h30m or 7d, or plain seconds"
	sizeForm     = "a size such as 100MB, 8GiB, or plain bytes"
)

// longestDuration is the largest time.Duration, in whole days.
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
		return "0" // because help shows no default then
	}
	return time.Duration(*v).String()
}

func (v *durationValue) Type() string { return "duration" }

// durationVar adds a flag for a duration.
func durationVar(fs *pflag.FlagSet, to *time.Duration, name string, unless time.Duration, usage string) {
	*to = unless
	fs.Var((*durationValue)(to), name, usage)
}

// A keptValue is a flag for how long something is kept. A number without a unit must be a day of
// seconds or more, because a smaller one probably means days, and what is older is removed at once.
type keptValue time.Duration

func (v *keptValue) Set(text string) error {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 && n < 24*60*60 {
		return fmt.Errorf("a number without a unit is seconds: write %sd or %gh if days are meant, or %[1]ss", text, n*24)
	}
	return (*durationValue)(v).Set(text)
}

func (v *keptValue) String() string { return (*durationValue)(v).String() }
func (v *keptValue) Type() string   { return "duration" }

// A secondsValue is a flag for a duration that travels as a number of seconds.
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

// A limitValue is a flag for a maximum number; 0 is all. A number below it is refused,
// because its meaning is unclear.
type limitValue int

func (v *limitValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("give a whole number from 1 on, or 0 for all")
	}
	*v = limitValue(n)
	return nil
}

func (v *limitValue) String() string { return strconv.Itoa(int(*v)) }
func (v *limitValue) Type() string   { return "number" }

// A countValue is a flag for a number from 1 to most; 0, which is not typed, leaves it out.
type countValue struct {
	to   *int64
	most int64
}

func (v countValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > v.most {
		return fmt.Errorf("give a whole number from 1 to %d", v.most)
	}
	*v.to = n
	return nil
}

func (v countValue) String() string { return strconv.FormatInt(*v.to, 10) }
func (v countValue) Type() string   { return "number" }

// limitVar adds --limit of a list.
func limitVar(fs *pflag.FlagSet, to *int, unless int) {
	*to = unless
	fs.Var((*limitValue)(to), "limit", "at most so many; 0 for all")
}

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
	case math.Abs(n*unit) > math.MaxInt64-1024: // above which the nearest float64 may not fit an int64
		return errors.New("it is too large")
	}
	*v = sizeValue(n * unit)
	return nil
}

func (v *sizeValue) String() string { return strconv.FormatInt(int64(*v), 10) }
func (v *sizeValue) Type() string   { return "size" }
