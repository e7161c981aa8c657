package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The next occurrences of a plan are shown with its skips, its pause and its end.
func TestUpcomingShowsWhatWillRun(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		plan := name(station, "p")
		c.req("plans.create", plan.with(body{
			"command": "c", "plan_type": "cron", "cron": "30 2 27,28 3 *", "timezone": "Europe/Berlin", "plan_repet": 4,
			"start_at": c.moment(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)),
		}))
		shown := func(more body) (all []string, reason string) {
			answer := c.req("plans.upcoming", plan.with(more))
			only(t, "upcoming", answer, "occurrences", "words", "reason")
			for _, o := range answer.list("occurrences") {
				only(t, "an occurrence", o, "occurrence", "plan_time", "local", "offset", "notes", "skipped", "reason")
				text := fmt.Sprintf("%d %s", o.int("occurrence"), o.text("local"))
				for _, n := range o.list("notes") {
					text += " " + n.text("kind")
				}
				if o.has("reason") {
					text += " " + o.text("reason")
				}
				all = append(all, text)
			}
			if answer.has("reason") {
				reason = answer.text("reason")
			}
			return all, reason
		}
		want := func(what string, more body, reason string, want ...string) {
			t.Helper()
			got, why := shown(more)
			if diff := cmp.Diff(want, got); diff != "" || why != reason {
				t.Errorf("%s: reason %q, want %q (-want +got):\n%s", what, why, reason, diff)
			}
		}
		// In 2100 the clocks change on 28 March.
		first, second := "1 2100-03-27T02:30:00+01:00", "2 2100-03-28T03:00:00+02:00 gap"
		third, fourth := "3 2101-03-27T03:00:00+02:00 gap", "4 2101-03-28T02:30:00+02:00"
		want("a new one", body{}, "", first, second, third, fourth)
		want("two", body{"count": 2}, "", first, second)
		want("until", body{"until": "2100-12-31T00:00:00Z"}, "", first, second)
		c.req("plans.skip", plan.with(body{"count": 1}))
		want("skipped", body{"count": 1}, "", second)
		want("with what is skipped", body{"count": 2, "with_skipped": true}, "", first+" manual", second)
		c.req("plans.pause", plan)
		want("paused", body{}, "paused")
		want("paused, with what is skipped", body{"count": 1, "with_skipped": true}, "paused", first+" paused")
		if e := c.refused("plans.upcoming", plan.with(body{"zone": "berlin"})); e.text("field") != "zone" {
			t.Errorf("a zone that does not exist: %v", e)
		}
	})
}
