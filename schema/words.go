package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// vocabulary is the words that fields of plans, stations and filters with an enumeration
// take, by the field's name on the wire.
var vocabulary = map[string][]string{
	"plan_type":            spelled(planTypes[:]...),
	"overlap":              spelled(BusySkip, BusyQueue, BusyCancelPrev, BusyParallel, BusyAllow),
	"failure":              spelled(FailedRunNew, FailedSkip, FailedRetry),
	"concurrency":          spelled(FullQueue, FullSkip, FullParallel),
	"catch_up":             spelled(MissedNone, MissedCompact, MissedFull),
	"clock_change.gap":     spelled(GapAfter, GapBefore, GapShift, GapSkip),
	"clock_change.overlap": spelled(OverlapFirst, OverlapSecond, OverlapBoth),
	"excluded":             spelled(ExcludedSkip, ExcludedNext, ExcludedPrevious),
	"retry.strategy":       spelled(RetryNone, RetryFixed, RetrySequence, RetryExponential),
	"on_unknown":           spelled(UnknownRedo, UnknownSkip, UnknownHold),
	"on_failure":           spelled(FailureHalt, FailureSettle),
	"log":                  spelled(LogNone, LogTrigger, LogFull),
	"on_conflict":          spelled(ConflictError, ConflictKeep, ConflictUpdate),
	"kind":                 spelled(KindAPI, KindVote, KindPub, KindPull),
	"encoding":             {"json", "msgpack"},
	"status": spelled(StatusQueued, StatusExecuting, StatusRetrying, StatusPaused,
		StatusPending, StatusPlanError, StatusClosed),
	"waits": spelled(WaitWorker, WaitClaim, WaitRoom, WaitTurn, WaitRetry, WaitJitter, WaitLock, WaitPerson, WaitResume),
	"state": spelled(StateDispatched, StateRunning, StateWaiting, StateOK, StateError,
		StateFailure, StateTimeout, StateSkipped, StateCancelled),
	"reason": spelled(ReasonPast, ReasonAbandoned, ReasonOverlap, ReasonConcurrency, ReasonFailure, ReasonManual,
		ReasonPaused, ReasonCalendar, ReasonMissed, ReasonStart, ReasonExec, ReasonPing, ReasonRetries, ReasonUnsent,
		ReasonWorker, ReasonUnknownState, ReasonUnknown, ReasonTooLarge, ReasonProcessed, ReasonCaptured, ReasonSkipped, ReasonInternal),
}

// spelled are words as text.
func spelled[T ~string](words ...T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

// Words are those that a field takes, by its name on the wire; none for a field that takes
// any text.
func Words(field string) []string { return slices.Clone(vocabulary[field]) }

// word checks a field of the vocabulary.
func word[T ~string](c *checker, field string, given T) {
	if given != "" {
		oneOf(c, field, string(given), vocabulary[field]...)
	}
}

// oneOf checks a field that takes one of some words.
func oneOf[T ~string](c *checker, field string, given T, known ...T) {
	if given != "" && !slices.Contains(known, given) {
		c.fail(field, "%s %s", field, NotAmong(given, known))
	}
}

// NotAmong is the message that a word is none of the known ones. It has the word, the known ones,
// and the one that may be meant.
func NotAmong[T ~string](given T, known []T) string {
	words := spelled(known...)
	text := "is " + strconv.Quote(shorten(string(given))) + "; it takes " + strings.Join(words, ", ")
	if near := wire.Nearest(string(given), slices.Values(words)); near != "" {
		text += "; did you mean " + strconv.Quote(near) + "?"
	}
	return text
}
