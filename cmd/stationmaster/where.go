package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/bulk"
	"github.com/stationmaster-io/stationmaster/schema"
)

// whereKeys are the keys of --where of a verb.
func whereKeys(verb string) []string {
	keys := slices.Clone(bulk.Keys(verb))
	if i := slices.Index(keys, labelsKey); i >= 0 {
		keys[i] += ".NAME"
	}
	if i := slices.Index(keys, runKey); i >= 0 {
		keys[i] += ".KEY"
	}
	return keys
}

// Keys whose values are maps.
const (
	labelsKey = "labels"
	runKey    = "run"
)

// readWhere reads the values of --where into a filter.
func readWhere(verb string, given []string, now time.Time) (map[string]any, error) {
	filter := map[string]any{}
	for _, one := range given {
		for _, pair := range wherePairs(one) {
			key, value, is := strings.Cut(pair, "=")
			if key = strings.TrimSpace(key); !is || key == "" || value == "" {
				return nil, usagef("--where holds %q; it takes KEY=VALUE, with commas between them", pair)
			}
			if err := putWhere(filter, verb, key, value, now); err != nil {
				return nil, err
			}
		}
	}
	run, _ := filter[runKey].(map[string]any)
	if run["plan_id"] != nil && run["station"] == nil {
		return nil, usagef("--where: %[1]s.plan_id is the id of a plan at a station: give %[1]s.station, too", runKey)
	}
	return filter, nil
}

// wherePairs splits at commas. A part without = belongs to the value before it, so that
// status=queued,paused is one pair.
func wherePairs(text string) (pairs []string) {
	for part := range strings.SplitSeq(text, ",") {
		if len(pairs) > 0 && !strings.Contains(part, "=") {
			pairs[len(pairs)-1] += "," + part
		} else {
			pairs = append(pairs, part)
		}
	}
	return pairs
}

// putWhere adds one pair to a filter.
func putWhere(filter map[string]any, verb, key, value string, now time.Time) error {
	known := bulk.Keys(verb)
	if of, is := strings.CutPrefix(key, runKey+"."); is && slices.Contains(known, runKey) {
		if !slices.Contains(bulk.RunKeys(), of) && !strings.HasPrefix(of, labelsKey+".") {
			return usagef("--where: %s", noKey(key, prefixed(runKey+".", bulk.RunKeys())))
		}
		return putPair(within(filter, runKey), key, of, value, now)
	}
	of, ofLabels := strings.CutPrefix(key, labelsKey+".")
	switch {
	case ofLabels && of != "" && slices.Contains(known, labelsKey):
	case key == labelsKey && slices.Contains(known, key):
		return usagef("--where: %q is no key; give %s.NAME=VALUE", key, key)
	case key == runKey && slices.Contains(known, key):
		return usagef("--where: %q is no key; give %s.KEY=VALUE, such as %s.state=failure", key, key, key)
	case !slices.Contains(known, key):
		return usagef("--where: %s", noKey(key, whereKeys(verb)))
	}
	return putPair(filter, key, key, value, now)
}

// putPair adds the value of one key to a map, under the name that it has there.
func putPair(to map[string]any, key, name, value string, now time.Time) error {
	if label, is := strings.CutPrefix(name, labelsKey+"."); is {
		to, name = within(to, labelsKey), label
	}
	if _, twice := to[name]; twice {
		return usagef("--where has %s twice", key)
	}
	read, err := whereValue(key, value, now)
	if err == nil {
		to[name] = read
	}
	return err
}

// within is the map of a key in another one, which gets an empty one first.
func within(filter map[string]any, key string) map[string]any {
	inner, _ := filter[key].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		filter[key] = inner
	}
	return inner
}

// whereValue reads the value of a key.
func whereValue(key, value string, now time.Time) (any, error) {
	switch strings.TrimPrefix(key, runKey+".") {
	case "status", "waits":
		words := strings.Split(value, ",")
		for _, word := range words {
			if known := schema.Words(key); !slices.Contains(known, word) {
				return nil, usagef("--where: %s %s", key, schema.NotAmong(word, known))
			}
		}
		return words, nil
	case "due_from", "due_before", "from", "to", "until":
		read := pastMoment // of what has been
		if strings.HasPrefix(key, "due_") {
			read = moment
		}
		at, err := read(value, now)
		if err != nil {
			return nil, usagef("--where: %s %w", key, err)
		}
		return at.UTC().Format(time.RFC3339Nano), nil
	case "failed", "trouble":
		is, err := strconv.ParseBool(value)
		if err != nil {
			return nil, usagef("--where: %s is %q; it takes true or false", key, value)
		}
		return is, nil
	case "longer_than_ms":
		ms, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, usagef("--where: %s is %q; it takes a number of milliseconds", key, value)
		}
		return ms, nil
	}
	return value, nil
}

// prefixed are names with a prefix.
func prefixed(prefix string, names []string) []string {
	for i, name := range names {
		names[i] = prefix + name
	}
	return names
}

// noKey says which key was meant, or all that there are.
func noKey(key string, known []string) string {
	text := fmt.Sprintf("there is no key %q", key)
	if near := meant("", key, known); near != "" {
		return text + near
	}
	return text + "; there are " + strings.Join(known, ", ")
}
