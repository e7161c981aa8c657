package front_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A task keeps the fields that plans.update gave its plan; the answer about one that moves names
// the fields that it leaves there. A put names the fields of the task that it leaves out.
func TestPeriodicTaskKeepsWhatItsPlanHas(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		d.mustAsk("periodic_tasks.put", `{"id":5,`+nightly+`}`)
		d.mustAsk("plans.update", `{"station":"bills.eu","plan_id":"periodic_5","exec_timeout":300,"retry":{"strategy":"fixed_period","interval":5},"labels":{"team":"x"}}`)
		for _, other := range []string{`{"log":"none"}`, `{"status":"old"}`} {
			d.refuse("plans.update", `{"station":"bills.eu","plan_id":"periodic_5","labels":`+other+`}`, schema.CodeConflict, "labels", "periodic_tasks.put")
		}
		kept := func(status, labels string) {
			t.Helper()
			got := d.mustAsk("plans.get", `{"station":"bills.eu","plan_id":"periodic_5"}`)
			for _, want := range []string{`"exec_timeout":300`, `"retry":{"strategy":"fixed_period","interval":5}`, `"labels":{` + labels + `,"team":"x"}`} {
				if !strings.Contains(got, want) {
					t.Errorf("%s, the plan lacks %s: %s", status, want, got)
				}
			}
			if got := d.mustAsk("periodic_tasks.get", `{"id":5}`); !strings.Contains(got, fmt.Sprintf(`"status":%q`, status)) {
				t.Errorf("the task is %s, want %s", got, status)
			}
		}
		for _, enc := range encodings {
			if got, _ := d.ask(enc, "periodic_tasks.put", `{"id":5,`+nightly+`}`); got != `{"id":"5","status":"new"}` {
				t.Errorf("put again: %s", got)
			}
			kept("new", `"log":"trans_log","status":"new"`)
		}
		d.mustAsk("periodic_tasks.online", `{"id":5}`)
		kept("online", `"log":"trans_log"`)
		d.mustAsk("periodic_tasks.offline", `{"id":5}`)
		kept("offline", `"log":"trans_log","status":"offline"`)
		if got := d.mustAsk("periodic_tasks.put", `{"id":5,"type":"bills.eu","cron_expressions":"@daily","ext":{"b":1}}`); got !=
			`{"id":"5","status":"offline","dropped":["tenant_id","creator","timezone","log","category","ext.a"]}` {
			t.Errorf("a put with fewer fields: %s", got)
		}
		kept("offline", `"log":"none","status":"offline"`)
		if got := d.mustAsk("periodic_tasks.put", `{"id":5,"type":"other","cron_expressions":"@daily"}`); got !=
			`{"id":"5","status":"offline","dropped":["ext","plan.exec_timeout","plan.labels.team"]}` {
			t.Errorf("a put that moves it: %s", got)
		}
		if got := d.mustAsk("plans.get", `{"station":"other","plan_id":"periodic_5"}`); strings.Contains(got, "exec_timeout\":300") {
			t.Errorf("it took along what the answer names as dropped: %s", got)
		}
	})
}
