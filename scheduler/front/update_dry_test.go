package front_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A dry run of an update shows by its revision whether anything would change, also in headers
// that are not shown, and changes nothing.
func TestADryRunOfAnUpdateChangesNothing(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		const name = `{"station":"http","plan_id":"p",`
		d.mustAsk("plans.create", name+`"command":"http","plan_type":"cron","cron":"@daily","messages":[{"target_url":"https://a.org/","headers":{"Authorization":"Bearer x","A":"b"}}]}`)
		for change, revision := range map[string]string{
			`"messages":[{"headers":{"A":"b","Authorization":"Bearer x"},"target_url":"https://a.org/"}]`: `"revision":1}`,
			`"messages":[{"target_url":"https://a.org/","headers":{"Authorization":"Bearer y","A":"b"}}]`: `"revision":2}`,
			`"cron":"@hourly"`: `"revision":2}`,
		} {
			got := d.mustAsk("plans.update", name+change+`,"dry_run":true}`)
			if !strings.HasSuffix(got, revision) || strings.Contains(got, "Bearer") {
				t.Errorf("%s: %s, want %s", change, got, revision)
			}
		}
		if got := d.mustAsk("plans.get", `{"station":"http","plan_id":"p"}`); !strings.Contains(got, `"revision":1`) || !strings.Contains(got, "@daily") {
			t.Errorf("afterwards: %s", got)
		}
	})
}
