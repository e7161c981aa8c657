package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/schema"
)

// newSiteWithResults is a site whose gateway reads the newest results of plans.
func newSiteWithResults(t *testing.T) (s *site) {
	t.Helper()
	s = newSite(t, func(c *gateway.Config) {
		c.LastResults = func(ctx context.Context, names []schema.PlanName) (map[schema.PlanName]*schema.Result, error) {
			last := map[schema.PlanName]*schema.Result{}
			for _, name := range names {
				page, err := s.client.Runs().List(ctx, schema.ListRuns{Station: name.Station, PlanID: name.PlanID, Limit: 1})
				if err != nil {
					return nil, err
				}
				if len(page.Runs) > 0 {
					last[name] = &page.Runs[0]
				}
			}
			return last, nil
		}
	})
	return s
}

// A task shows its schedule as a sentence, when it is due and how its last run ended, if that is
// asked for.
func TestATaskWithItsState(t *testing.T) {
	s := newSiteWithResults(t)
	calls := s.worker(always(answeredWell))
	path := s.create(yearly("sync"))
	s.create(and(yearly("off"), "status", "DISABLED"))
	s.do(http.MethodPost, path+"/trigger", nil).want(http.StatusAccepted)
	next(t, calls)

	got := s.do(http.MethodGet, path+"?words=en&state=true", nil).want(http.StatusOK).object()
	state, _ := got["state"].(map[string]any)
	run, _ := state["last_run"].(map[string]any)
	if words, _ := got["words"].(string); !strings.Contains(words, "January") || state["status"] != "queued" || state["next_due"] == nil {
		t.Errorf("the task is %v", got)
	}
	if run["id"] != cronjob.RunID(cronjob.ID("sync"), 1) || run["response_code"] != 201.0 || run["response_body"] != "made" {
		t.Errorf("its last run is %v", run)
	}
	// A name that was shown may come back.
	got["description"] = "now with one"
	if again := s.do(http.MethodPut, path, got).want(http.StatusOK).object(); again["description"] != "now with one" || again["state"] != nil || again["words"] != nil {
		t.Errorf("changed it is %v", again)
	}

	for _, one := range s.do(http.MethodGet, "/api/v1/tasks?words=zh&state=true&limit=1000", nil).want(http.StatusOK).object()["tasks"].([]any) {
		task := one.(map[string]any)
		state := task["state"].(map[string]any)
		run, ran := state["last_run"].(map[string]any)
		switch {
		case !strings.Contains(task["words"].(string), "1 月"):
			t.Errorf("in words: %v", task["words"])
		case task["name"] == "off":
			if ran || state["next_due"] != nil || state["status"] != "paused" {
				t.Errorf("one that is disabled: %v", state)
			}
		case run["response_code"] != 201.0 || run["response_body"] != nil:
			t.Errorf("in the list its last run is %v", run)
		}
	}
	named := s.do(http.MethodGet, "/api/v1/tasks?name=sync&state=true", nil).want(http.StatusOK).object()["tasks"].([]any)
	if len(named) != 1 || named[0].(map[string]any)["state"] == nil {
		t.Errorf("by name: %v", named)
	}
	if plain := s.do(http.MethodGet, path, nil).want(http.StatusOK).object(); plain["state"] != nil || plain["words"] != nil {
		t.Errorf("without being asked for: %v", plain)
	}
	for _, query := range []string{"words=de", "state=perhaps"} {
		s.do(http.MethodGet, path+"?"+query, nil).want(http.StatusBadRequest)
		s.do(http.MethodGet, "/api/v1/tasks?"+query, nil).want(http.StatusBadRequest)
	}
}
