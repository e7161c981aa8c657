package e2e

import (
	"strings"
	"testing"
)

// The retention of runs is set by flags when the stream is created, and changed in the
// stream, while the scheduler runs; a flag that contradicts the stream then is refused.
func TestRetentionIsChangedInTheStream(t *testing.T) {
	t.Parallel()
	s := start(t, "--results-per-plan", "3", "--results-age", "1h")
	c := connect(t, s, inJSON)
	js := c.jetStream()
	c.serve("kept", ok)
	results := c.results("kept")
	run := func() {
		t.Helper()
		n := c.req("plans.trigger", name("kept", "a")).int("n")
		// A result that a kill left in doubt is broadcast again.
		results.until(func(r body) bool { return r.int("n") == n })
	}
	c.create(body{"station": "kept", "plan_id": "a", "command": "c", "plan_type": "cron", "cron": "0 0 1 1 *"})
	for range 5 {
		run()
	}
	if runs := c.runs("kept", "a"); len(runs) != 3 {
		t.Errorf("%d runs are kept of 3", len(runs))
	}
	stream, err := js.Stream(t.Context(), "PLAN_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	limits := stream.CachedInfo().Config
	limits.MaxMsgsPerSubject = 2
	if _, err := js.UpdateStream(t.Context(), limits); err != nil {
		t.Fatal(err)
	}
	run()
	if runs := c.runs("kept", "a"); len(runs) != 2 || runs[0].int("n") != 6 {
		t.Errorf("kept are %v", runs)
	}
	s.kill9()
	if err := s.boot(); err == nil || !strings.Contains(err.Error(), "max_msgs_per_subject is 2, should be 3") {
		t.Errorf("with the flags of before it starts: %v", err)
	}
	s.flags = []string{"--results-per-plan", "2"}
	s.restart(t)
	c.flush()
	run()
	if runs := c.runs("kept", "a"); len(runs) != 2 || runs[0].int("n") != 7 {
		t.Errorf("after the restart %v are kept", runs)
	}
}
