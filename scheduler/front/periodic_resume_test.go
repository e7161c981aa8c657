package front_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A person's pause of the plan ends by plans.resume, and the pause of periodic_tasks.offline does
// not, however the two meet; a put changes neither.
func TestAResumePutsNoPeriodicTaskOnLine(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const name, put = `{"station":"s","plan_id":"periodic_p"}`, `{"id":"p","type":"s","cron_expressions":"@daily"}`
		d := openOn(t, ns, newRealLeader())
		status := func(want string) {
			t.Helper()
			if got := d.mustAsk("periodic_tasks.get", `{"id":"p"}`); !strings.Contains(got, `"status":"`+want+`"`) {
				t.Errorf("the task is %s, want %s", got, want)
			}
		}
		refused := func() {
			t.Helper()
			d.refuse("plans.resume", name, schema.CodeConflict, "plan_id", "periodic_tasks.online")
		}
		d.mustAsk("periodic_tasks.put", put)
		refused()
		if got := d.mustAsk("plans.explain", name); !strings.Contains(got, `"remedy":"periodic_tasks.online puts`) {
			t.Errorf("explained as %s", got)
		}
		d.mustAsk("periodic_tasks.online", `{"id":"p"}`)
		d.mustAsk("plans.resume", name) // which changes nothing

		for _, again := range []bool{false, true} {
			d.mustAsk("plans.pause", name)
			if again {
				d.mustAsk("periodic_tasks.put", put)
			}
			status("offline")
			d.mustAsk("plans.resume", name)
			status("online")
		}
		for _, paused := range []bool{false, true} {
			if paused {
				d.mustAsk("plans.pause", name)
			}
			d.mustAsk("periodic_tasks.offline", `{"id":"p"}`)
			d.mustAsk("plans.pause", name)
			refused()
			d.mustAsk("periodic_tasks.put", put)
			refused()
			status("offline")
			d.mustAsk("periodic_tasks.online", `{"id":"p"}`)
			status("online")
		}
		d.mustAsk("plans.pause", name) // the mark is gone with that
		d.mustAsk("plans.resume", name)

		d.mustAsk("periodic_tasks.offline", `{"id":"p"}`)
		d.mustAsk("periodic_tasks.put", strings.Replace(put, `"s"`, `"t"`, 1))
		d.refuse("plans.resume", `{"station":"t","plan_id":"periodic_p"}`, schema.CodeConflict, "plan_id", "periodic_tasks.online")
	})
}

// A task that an earlier build took off line has no mark. It is read as one whose plan a person
// has paused, which resume puts on line as it did there, and offline marks it.
func TestATaskThatAnEarlierBuildTookOffLine(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const name = `{"station":"s","plan_id":"periodic_p"}`
		d := openOn(t, ns, newRealLeader())
		d.mustAsk("plans.create", `{"plan_id":"periodic_p","station":"s","command":"periodic_task","labels":{"log":"none"},`+
			`"messages":[{"id":"p","type":"s","creator":"0","cron_expressions":"@daily","status":"online","log":"none","create_date":"2026-03-01T12:00:00Z","update_date":"2026-03-01T12:00:00Z"}],`+
			`"creator":"0","plan_type":"cron","cron":"@daily","retry":{"strategy":"none"},"on_failure":"settle","log":"none","paused":true}`)
		for _, want := range []string{"offline", "online"} {
			if got := d.mustAsk("periodic_tasks.get", `{"id":"p"}`); !strings.Contains(got, `"status":"`+want+`","log"`) {
				t.Errorf("the task is %s, want %s", got, want)
			}
			d.mustAsk("plans.resume", name)
		}
		d.mustAsk("plans.pause", name)
		d.mustAsk("periodic_tasks.offline", `{"id":"p"}`)
		d.refuse("plans.resume", name, schema.CodeConflict, "plan_id", "periodic_tasks.online")
	})
}
