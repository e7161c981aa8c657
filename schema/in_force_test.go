package schema_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The policy in force of a plan, and the source of each value, comes from the plan, its
// station, the configuration, and the defaults, in that order.
func TestInForce(t *testing.T) {
	configured := schema.Defaults{ExecTimeout: time.Minute, StartTimeout: 30 * time.Second}
	for _, c := range []struct{ name, plan, station, want string }{
		{
			"neither sets a field", `{"plan_type":"cron"}`, ``,
			`{"overlap":"skip","failure":"run_new","concurrency":"queue","catch_up":"none",` +
				`"retry":{"strategy":"exponential","interval":1,"max_interval":60,"jitter":0.2},"exec_timeout":60,"start_timeout":30,` +
				`"from":{"catch_up":"default","concurrency":"default","exec_timeout":"installation","failure":"default","overlap":"default","retry":"default","start_timeout":"installation"}}`,
		},
		{
			"the plan's word stands before its station's", `{"overlap":"queue","exec_timeout":5,"retry":{"strategy":"none"},"max_concurrency":2}`,
			`{"overlap":"parallel","failure":"skip","exec_timeout":7,"start_timeout":0,"retry":{"strategy":"fixed_period","interval":3}}`,
			`{"overlap":"queue","failure":"skip","max_concurrency":2,"concurrency":"queue","catch_up":"compact",` +
				`"retry":{"strategy":"none","max_error_count":0},"exec_timeout":5,"start_timeout":0,` +
				`"from":{"catch_up":"default","concurrency":"default","exec_timeout":"plan","failure":"station","max_concurrency":"plan","overlap":"plan","retry":"plan","start_timeout":"station"}}`,
		},
		{
			"no_keep stands before the station", `{"no_keep":true}`, `{"overlap":"parallel","catch_up":"none","retry":{"strategy":"sequence","sequence":[1,2],"max_error_count":4,"need_manual":true}}`,
			`{"overlap":"queue","failure":"run_new","concurrency":"queue","catch_up":"full",` +
				`"retry":{"strategy":"sequence","sequence":[1,2],"max_error_count":4,"jitter":0.2,"need_manual":true},"exec_timeout":60,"start_timeout":30,` +
				`"from":{"catch_up":"plan","concurrency":"default","exec_timeout":"installation","failure":"default","overlap":"plan","retry":"station","start_timeout":"installation"}}`,
		},
		{
			"pull", `{"ping_timeout_ms":9000}`, `{"kind":"pull","max_unexpected_retries":2}`,
			`{"overlap":"skip","failure":"run_new","concurrency":"queue","catch_up":"compact",` +
				`"retry":{"strategy":"exponential","interval":1,"max_interval":60,"jitter":0.2},"exec_timeout":0,"start_timeout":0,` +
				`"ping_interval_ms":3000,"ping_timeout_ms":9000,"max_unexpected_retries":2,"unexpected_retry_delay_ms":0,` +
				`"from":{"catch_up":"default","concurrency":"default","exec_timeout":"default","failure":"default","max_unexpected_retries":"station","overlap":"default",` +
				`"ping_interval_ms":"default","ping_timeout_ms":"plan","retry":"default","start_timeout":"default","unexpected_retry_delay_ms":"default"}}`,
		},
		{
			"vote", `{"quorum":2}`, `{"kind":"vote","voters":3}`,
			`{"overlap":"skip","failure":"run_new","concurrency":"queue","catch_up":"compact",` +
				`"retry":{"strategy":"exponential","interval":1,"max_interval":60,"jitter":0.2},"exec_timeout":60,"start_timeout":30,"voters":3,"quorum":2,` +
				`"from":{"catch_up":"default","concurrency":"default","exec_timeout":"installation","failure":"default","overlap":"default","quorum":"plan","retry":"default","start_timeout":"installation","voters":"station"}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p schema.Plan
			decode(t, c.plan, &p)
			var st *schema.Station
			if c.station != "" {
				st = new(schema.Station)
				decode(t, c.station, st)
			}
			got, err := wire.Marshal(wire.JSON, p.InForce(st, configured))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func decode(t *testing.T, body string, into any) {
	t.Helper()
	v, err := wire.Scan([]byte(body), wire.Limits{})
	if err == nil {
		err = wire.Decode(v, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
}
