package schema

import (
	"fmt"
	"strings"
)

// usualStates are words of other systems, and which of ours is meant by them.
var usualStates = map[string]State{
	"success": StateOK, "succeeded": StateOK, "successful": StateOK, "done": StateOK, "completed": StateOK, "complete": StateOK, "finished": StateOK,
	"fail": StateError, "failed": StateError, "err": StateError, "exception": StateError,
	"started": StateRunning, "processing": StateRunning, "in_progress": StateRunning, "executing": StateRunning, "busy": StateRunning,
	"pending": StateWaiting, "queued": StateWaiting, "delayed": StateWaiting,
}

// UnknownState is the message about a worker's state that no execution can have. It names that
// state, and the one that may be meant.
func UnknownState(given State) string {
	if given == StateNotWorker { // of one that has taken the work
		return "the state that was answered is \"not_worker\", which means nothing where work was taken"
	}
	text := fmt.Sprintf("the state that was answered is %q; it takes ok, error, failure, running, waiting or not_worker", shorten(string(given)))
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(string(given))), "-", "_")
	switch State(word) {
	case StateOK, StateError, StateFailure, StateRunning, StateWaiting, StateNotWorker:
		return text + fmt.Sprintf("; did you mean %q?", word)
	}
	if meant, ok := usualStates[word]; ok {
		return text + fmt.Sprintf("; did you mean %q?", meant)
	}
	return text
}
