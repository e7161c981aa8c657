package main

import (
	"fmt"
	"slices"
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
	return keys
}

const labelsKey = "labels"

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
	label, ofLabels := strings.CutPrefix(key, labelsKey+".")
	known := bulk.Keys(verb)
	switch {
	case ofLabels && label != "" && slices.Contains(known, labelsKey):
		labels, _ := filter[labelsKey].(map[string]any)
		if labels == nil {
			labels = map[string]any{}
			filter[labelsKey] = labels
		}
		if _, twice := labels[label]; twice {
			return usagef("--where has %s twice", key)
		}
		labels[label] = value
		return nil
	case key == labelsKey && slices.Contains(known, key):
		return usagef("--where: %q is no key; give %s.NAME=VALUE", key, key)
	case !slices.Contains(known, key):
		return usagef("--where: %s", noKey(key, whereKeys(verb)))
	}
	if _, twice := filter[key]; twice {
		return usagef("--where has %s twice", key)
	}
	switch key {
	case "status", "waits":
		words := strings.Split(value, ",")
		for _, word := range words {
			if known := schema.Words(key); !slices.Contains(known, word) {
				return usagef("--where: %s %s", key, schema.NotAmong(word, known))
			}
		}
		filter[key] = words
	case "due_from", "due_before", "from", "to", "until":
		at, err := moment(value, now)
		if err != nil {
			return usagef("--where: %s %w", key, err)
		}
		filter[key] = at.UTC().Format(time.RFC3339Nano)
	default:
		filter[key] = value
	}
	return nil
}

// noKey says which key was meant, or all that there are.
func noKey(key string, known []string) string {
	text := fmt.Sprintf("there is no key %q", key)
	if near := meant("", key, known); near != "" {
		return text + near
	}
	return text + "; there are " + strings.Join(known, ", ")
}
