package schema

import (
	"strings"
	"testing"
)

// Every first token of a subject of an installation without a prefix is no prefix, because both
// could not run beside each other.
func TestAPrefixIsNoFirstTokenOfOurSubjects(t *testing.T) {
	var s Space
	for _, subject := range []string{
		s.Station("x"), s.Worker("w"), s.Here("w", "x"), s.Claim("x"), s.AllResults(), s.AllEvents(), s.AllReplies(), s.Cancels("x"),
		"scheduler.journal.0", "tasks.x", "task_types.x", "periodic_tasks.x", "queues.x", "secrets.x", "http.x", "queue.x", "callback.x", "task.x", "_INBOX.x",
	} {
		token, _, _ := strings.Cut(subject, ".")
		if CheckPrefix(token) == nil {
			t.Errorf("%s may be a prefix", token)
		}
	}
	for _, prefix := range []string{"acme", "station-2", "PLAN"} {
		if err := CheckPrefix(prefix); err != nil {
			t.Errorf("%s: %v", prefix, err)
		}
	}
}
