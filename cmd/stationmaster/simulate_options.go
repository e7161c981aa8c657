package main

import (
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// options reads the flags. From and Until are set later, if they depend on the source.
func (s *simulating) options() (o simulate.Options, err error) {
	if n := len(given(len(s.files) > 0, s.backup != "", s.live)); n != 1 {
		return o, usagef("plans come from files (-f), from a backup (--backup) or from a running installation (--live): give one of the three")
	}
	switch {
	case s.span <= 0:
		return o, usagef("--for %v is no time to simulate: give one above 0, such as 7d", s.span)
	case s.stdouts() > 1:
		return o, usagef("--json, --csv and --html cannot share stdout: give one of them as -")
	}
	if o.Seed, o.Limit = s.seed, int64(s.limit); s.limit == 0 {
		o.Limit = math.MaxInt64
	}
	if o.From, err = s.begin(); err != nil {
		return o, err
	}
	if o.Fail, err = percent(s.fail); err != nil {
		return o, usagef("--fail %w", err)
	}
	if o.Take, err = s.take(); err != nil {
		return o, err
	}
	if o.Workers, err = s.places(); err != nil {
		return o, err
	}
	for _, text := range s.outages {
		outage, err := parseOutage(text)
		if err != nil {
			return o, err
		}
		o.Outages = append(o.Outages, outage)
	}
	slices.SortFunc(o.Outages, func(a, b simulate.Outage) int { return a.From.Compare(b.From) })
	return o, nil
}

// given are those that are true.
func given(choices ...bool) []bool {
	return slices.DeleteFunc(choices, func(is bool) bool { return !is })
}

// begin is --from; zero: it depends on the source.
func (s *simulating) begin() (time.Time, error) {
	if s.from == "" {
		return time.Time{}, nil
	}
	from, err := momentInUTC(s.from)
	if err != nil {
		return from, usagef("--from %w", err)
	}
	return from, nil
}

// momentInUTC reads a time; one without a zone is of UTC.
func momentInUTC(text string) (time.Time, error) {
	now := time.Now().UTC()
	if t, ok := timeWithoutZone(text, now); ok {
		return t, nil
	}
	return moment(text, now)
}

// settle sets the time of the simulation. Its begin is otherwise, unless a flag sets another.
func (s *simulating) settle(o *simulate.Options, otherwise time.Time) error {
	if o.From.IsZero() {
		o.From = otherwise
	}
	o.From = o.From.UTC().Truncate(time.Millisecond)
	o.Until = o.From.Add(s.span)
	if o.Until.Before(o.From) || o.Until.Year() > 9999 {
		return usagef("--for %v reaches behind the year 9999", s.span)
	}
	last := o.From
	for i, outage := range o.Outages {
		switch {
		case outage.From.Before(o.From) || !outage.From.Before(o.Until):
			return usagef("--outage %s is not within the simulated time, %s until %s", s.outages[i],
				o.From.Format(time.RFC3339), o.Until.Format(time.RFC3339))
		case outage.From.Before(last):
			return usagef("--outage: two outages overlap at %s", outage.From.Format(time.RFC3339))
		}
		last = outage.Until
	}
	return nil
}

// percent reads "1%".
func percent(text string) (float64, error) {
	number, is := strings.CutSuffix(text, "%")
	p, err := strconv.ParseFloat(number, 64)
	switch {
	case !is || err != nil || math.IsNaN(p):
		return 0, usagef("%q is no share; write it in percent, such as 1%%", text)
	case p < 0 || p > 100:
		return 0, usagef("%q is no share; it can be 0%% to 100%%", text)
	}
	return p / 100, nil
}

// ofStation cuts "STATION=VALUE"; without a station it is empty.
func ofStation(text string) (station, value string) {
	if station, value, is := strings.Cut(text, "="); is {
		return station, value
	}
	return "", text
}

const history = "history"

// take reads the --take flags.
func (s *simulating) take() (simulate.Take, error) {
	t := simulate.Take{Stations: map[string]*simulate.Spread{}}
	for _, text := range s.takes {
		station, value := ofStation(text)
		var spread *simulate.Spread
		if value != history {
			parsed, err := parseSpread(value)
			if err != nil {
				return t, usagef("--take %s: %w", text, err)
			}
			spread = &parsed
		}
		_, twice := t.Stations[station]
		switch {
		case station == "" && strings.Contains(text, "="):
			return t, usagef("--take %s: the station before = is missing", text)
		case station != "" && twice, station == "" && (t.Default != nil || t.ByHistory):
			return t, usagef("--take %s: it is given twice", text)
		case station != "":
			t.Stations[station] = spread
		default:
			t.Default, t.ByHistory = spread, spread == nil
		}
	}
	return t, nil
}

// parseSpread reads a time, or two with dots between.
func parseSpread(text string) (simulate.Spread, error) {
	first, second, two := strings.Cut(text, "..")
	least, err := parseDuration(first)
	most := least
	if err == nil && two {
		most, err = parseDuration(second)
	}
	switch {
	case err != nil:
		return simulate.Spread{}, usagef("%q is no time, no spread such as 10s..50s, and not %s", text, history)
	case least < 0 || most < least:
		return simulate.Spread{}, usagef("%q is no spread: it goes from a time of 0 or more to one that is not shorter", text)
	}
	return simulate.Spread{Least: least, Most: most}, nil
}

// places reads the --workers flags.
func (s *simulating) places() (map[string]int, error) {
	all := map[string]int{}
	for _, text := range s.workers {
		station, value := ofStation(text)
		n, err := strconv.Atoi(value)
		_, twice := all[station]
		switch {
		case station == "" || err != nil || n < 1 || n > math.MaxInt32:
			return nil, usagef("--workers %s: give STATION=N, N executions at once, at least 1", text)
		case twice:
			return nil, usagef("--workers %s: the station is given twice", text)
		}
		all[station] = n
	}
	return all, nil
}

// parseOutage reads "FROM+LENGTH".
func parseOutage(text string) (simulate.Outage, error) {
	i := strings.LastIndexByte(text, '+')
	if i < 0 {
		return simulate.Outage{}, usagef("--outage %s: give FROM+LENGTH, such as 2027-03-28T01:00Z+2h", text)
	}
	from, err := momentInUTC(text[:i])
	if err != nil {
		return simulate.Outage{}, usagef("--outage %s: %w", text, err)
	}
	length, err := parseDuration(text[i+1:])
	if err != nil || length <= 0 {
		return simulate.Outage{}, usagef("--outage %s: %q is no length: give one above 0, such as 2h", text, text[i+1:])
	}
	from = from.UTC().Truncate(time.Millisecond)
	return simulate.Outage{From: from, Until: from.Add(length)}, nil
}

// checkStations refuses flags for stations at which no plan is.
func checkStations(o *simulate.Options, sources ...*simulate.Source) error {
	known := map[string]bool{}
	for _, source := range sources {
		if source == nil {
			continue
		}
		for _, p := range slices.Concat(source.Plans, source.Changes) {
			known[p.Definition.Plan.Station] = true
		}
	}
	if err := wantStations("take", maps.Keys(o.Take.Stations), known); err != nil {
		return err
	}
	return wantStations("workers", maps.Keys(o.Workers), known)
}

func wantStations(flag string, named iter.Seq[string], known map[string]bool) error {
	for _, station := range slices.Sorted(named) {
		if known[station] {
			continue
		}
		meant := ""
		if nearest := wire.Nearest(station, slices.Values(slices.Sorted(maps.Keys(known)))); nearest != "" {
			meant = "; did you mean " + nearest + "?"
		}
		return usagef("--%s %s=…: no plan is at this station%s", flag, station, meant)
	}
	return nil
}

// historyOf are the durations by plan of results.
type historyOf map[schema.PlanName][]time.Duration

// mostSamples bounds the results of a plan that history looks at.
const mostSamples = 100

// add notes how long the execution of a result took.
func (h historyOf) add(r *schema.Result) {
	switch r.State {
	case schema.StateOK, schema.StateError, schema.StateFailure:
	default:
		return
	}
	name := schema.PlanName{Station: r.Station, PlanID: r.PlanID}
	if took := r.EndTime.Sub(r.ExecTime); !r.ExecTime.IsZero() && took >= 0 && len(h[name]) < mostSamples {
		h[name] = append(h[name], took)
	}
}
