package front_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A user who gives a plan a field that its type has no use for is told so, by each door that takes
// plans; not of a plan that stays as it was.
func TestAnAnswerNamesIdleFields(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		const plan = `"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"@daily","plan_time":"2030-01-01T00:00:00Z"`
		const called = `{"station":"http","plan_id":"h","command":"http","plan_type":"none","plan_repet":9,"messages":[{"target_url":"https://a.org/"}]}`
		for _, tt := range []struct{ verb, request, idle string }{
			{"plans.create", `{` + plan + `,"dry_run":true}`, `"idle":["plan_time"]`},
			{"plans.create", `{` + plan + `}`, `"idle":["plan_time"]`},
			{"plans.create", `{` + plan + `,"on_conflict":"keep"}`, ``},
			{"plans.create", `{` + plan + `,"on_conflict":"keep","dry_run":true}`, ``},
			{"plans.create", `{` + plan + `,"on_conflict":"update"}`, `"idle":["plan_time"]`},
			{"plans.update", `{"station":"s","plan_id":"p","plan_value":3}`, `"idle":["plan_time","plan_value"]`},
			{"plans.import", `{"plans":[{` + plan + `}],"on_conflict":"keep"}`, ``},
			{"plans.import", `{"plans":[{"station":"s","command":"c"},{` + plan + `}],"on_conflict":"update"}`, `"idle":[{"index":1,"fields":["plan_time"]}]`},
			{"plans.update", `{"station":"s","plan_id":"p","plan_value":null,"plan_time":null}`, ``},
			{"plans.create", called, `"idle":["plan_repet"]`},
		} {
			got := d.mustAsk(tt.verb, tt.request)
			if _, idle, has := strings.Cut(got, `"idle":`); has != (tt.idle != "") || has && !strings.HasPrefix(`"idle":`+idle, tt.idle) {
				t.Errorf("%s %s: %s, want %s", tt.verb, tt.request, got, tt.idle)
			}
		}
	})
}
