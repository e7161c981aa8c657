package front_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A user who deletes a secret sees beforehand the plans whose calls will be refused, as with a
// station's record.
func TestADryRunShowsWhoUsesASecret(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		const dry = `{"name":"key","dry_run":true}`
		d.refuse("secrets.delete", dry, schema.CodeNotFound, "name", "there is no secret key")
		for _, name := range []string{"key", "keys"} {
			d.mustAsk("secrets.put", `{"name":"`+name+`","value":"hush","hosts":["a.org"]}`)
		}
		d.want("secrets.delete", dry, `{"name":"key","deleted":false,"dry_run":true}`)
		plan := func(id, secret string) {
			d.mustAsk("plans.create", `{"station":"http","plan_id":"`+id+`","command":"http","plan_type":"cron","cron":"@daily",`+
				`"messages":[{"target_url":"https://a.org/","headers":{"Authorization":"Bearer {{secret:`+secret+`}}"}}]}`)
		}
		plan("other", "keys")
		plan("p01", "key")
		d.want("secrets.delete", dry, `{"name":"key","deleted":false,"plans":1,"used_by":["http/p01"],"dry_run":true}`)
		for i := 2; i <= 12; i++ {
			plan(fmt.Sprintf("p%02d", i), "key")
		}
		const used = `"plans":12,"used_by":["http/p01","http/p02","http/p03","http/p04",` +
			`"http/p05","http/p06","http/p07","http/p08","http/p09","http/p10"]`
		d.want("secrets.delete", dry, `{"name":"key","deleted":false,`+used+`,"dry_run":true}`)
		if got := d.mustAsk("secrets.delete", `{"name":"key"}`); got != `{"name":"key","deleted":true,`+used+`}` {
			t.Errorf("without dry_run: %s", got)
		}
	})
}

// A secret that replaces one answers with the bindings that it leaves out, because without its
// tenant all may use it.
func TestAPutOfASecretAnswersWhatItDrops(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		for _, tt := range []struct{ bound, answer string }{
			{`"hosts":["a.org","b.org"],"tenant_id":"7"`, `"created":true`},
			{`"hosts":["b.org","c.org"],"tenant_id":"7"`, `"created":false,"dropped":["hosts.https://a.org"]`},
			{`"hosts":["c.org"]`, `"created":false,"dropped":["hosts.https://b.org","tenant_id"]`},
			{`"hosts":["c.org"]`, `"created":false`},
		} {
			if got := d.mustAsk("secrets.put", `{"name":"key","value":"hush",`+tt.bound+`}`); got != `{"name":"key",`+tt.answer+`}` {
				t.Errorf("%s: %s", tt.bound, got)
			}
		}
	})
}

// A plan whose secret was deleted is explained with the remedy, before it is due.
func TestAnExplanationNamesAMissingSecret(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		d.mustAsk("secrets.put", `{"name":"key","value":"hush","hosts":["a.org"]}`)
		d.mustAsk("plans.create", `{"station":"http","plan_id":"p","command":"http","plan_type":"cron","cron":"@daily",`+
			`"messages":[{"target_url":"https://a.org/","headers":{"Authorization":"{{secret:key}}"}}]}`)
		const ask, remedy = `{"station":"http","plan_id":"p"}`, `"remedy":"secrets.put makes secret key, which is not there`
		if got := d.mustAsk("plans.explain", ask); strings.Contains(got, "remedy") {
			t.Errorf("the secret is there: %s", got)
		}
		d.mustAsk("secrets.delete", `{"name":"key"}`)
		if got := d.mustAsk("plans.explain", ask); !strings.Contains(got, remedy) {
			t.Errorf("the secret is not there: %s", got)
		}
	})
}
