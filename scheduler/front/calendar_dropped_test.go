package front_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A calendar that takes the place of one answers what it leaves out, and how many plans go by it,
// because one without days has them run on all of them.
func TestAPutOfACalendarAnswersWhatItDrops(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		put := func(fields, answer string) {
			t.Helper()
			if got := d.mustAsk("calendars.put", `{"calendar_id":"c"`+fields+`}`); got != `{"calendar_id":"c",`+answer+`}` {
				t.Errorf("%s: %s", fields, got)
			}
		}
		put(`,"timezone":"UTC","days":[{"date":"2030-01-01"}]`, `"created":true,"revision":1`)
		d.mustAsk("plans.create", `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"@daily","exclude":["c"]}`)
		put(`,"timezone":"UTC","days":[{"date":"2030-01-02"}]`, `"created":false,"revision":2`)
		put(`,"days":[],"dry_run":true`, `"created":false,"revision":3,"plans":1,"dry_run":true,"dropped":["timezone","days"]`)
		put(`,"timezone":"UTC","days":[]`, `"created":false,"revision":3,"plans":1,"dropped":["days"]`)
		put(`,"timezone":"UTC"`, `"created":false,"revision":4`)
	})
}
