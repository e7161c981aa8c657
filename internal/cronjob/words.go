package cronjob

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A translation pairs the words of REST with those of plans; the first is the default of
// REST.
type translation[T ~string] []struct {
	rest string
	plan T
}

var (
	overlaps = translation[schema.WhenBusy]{
		{"ALLOW", schema.BusyAllow}, {"SKIP", schema.BusySkip},
		{"CANCEL_PREV", schema.BusyCancelPrev}, {"PARALLEL", schema.BusyParallel},
		{"QUEUE", schema.BusyQueue}, // of plans; the seed has no word for it
	}
	failures = translation[schema.WhenFailed]{
		{"RUN_NEW", schema.FailedRunNew}, {"SKIP", schema.FailedSkip}, {"RETRY", schema.FailedRetry},
	}
	concurrencies = translation[schema.WhenFull]{
		{"QUEUE", schema.FullQueue}, {"SKIP", schema.FullSkip}, {"PARALLEL", schema.FullParallel},
	}
	catchUps = translation[schema.WhenMissed]{
		{"NONE", schema.MissedNone}, {"COMPACT", schema.MissedCompact}, {"FULL", schema.MissedFull},
	}
	statuses = translation[Status]{{"ENABLED", Enabled}, {"DISABLED", Disabled}}
)

// toPlan finds a word of REST, in any case; an empty one is the default.
func (t translation[T]) toPlan(word string) (T, bool) {
	if word == "" {
		return t[0].plan, true
	}
	for _, pair := range t {
		if strings.EqualFold(pair.rest, word) {
			return pair.plan, true
		}
	}
	return "", false
}

// toREST is the word of REST for a plan's.
func (t translation[T]) toREST(word T) string {
	for _, pair := range t {
		if pair.plan == word {
			return pair.rest
		}
	}
	return strings.ToUpper(string(word)) // of a later release's plan
}

// known lists the words of REST for an error.
func (t translation[T]) known() string {
	words := make([]string, len(t))
	for i, pair := range t {
		words[i] = pair.rest
	}
	return strings.Join(words, ", ")
}

// clip keeps a long input from filling an error message.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
