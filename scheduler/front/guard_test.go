package front_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A change whose guard is null, as an unset variable is, is refused before a leader hears of it;
// a null of a field is its default.
func TestAGuardThatIsNullIsRefused(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(schema.Standing{}, nil)
		d := openOn(t, ns, l)
		for _, tt := range []struct{ verb, rest, guard string }{
			{"plans.remove", `"station":"s","plan_id":"p"`, "dry_run"},
			{"plans.remove", `"station":"s","plan_id":"p"`, "revision"},
			{"plans.update", `"station":"s","plan_id":"p","command":"c"`, "incarnation"},
			{"plans.pause", `"station":"s","plan_id":"p"`, "dry_run"},
			{"plans.import", `"plans":[]`, "dry_run"},
			{"stations.put", `"station":"s","kind":"api"`, "revision"},
			{"stations.delete", `"station":"s"`, "dry_run"},
			{"calendars.put", `"calendar_id":"c","days":[{"date":"2030-01-01"}]`, "revision"},
			{"queues.delete", `"key":"k"`, "dry_run"},
			{"secrets.delete", `"name":"k"`, "dry_run"},
		} {
			code := schema.CodeInvalidRequest
			if tt.verb[:5] == "plans" {
				code = schema.CodeInvalidPlan
			}
			d.refuse(tt.verb, "{"+tt.rest+`,"`+tt.guard+`":null}`, code, tt.guard, tt.guard+" is null")
		}
		if asked := l.commands(); len(asked) > 0 {
			t.Errorf("a leader was asked for %v", asked)
		}
		d.mustAsk("plans.pause", `{"station":"s","plan_id":"p","note":null}`)
	})
}
