package e2e
import ("testing")
func TestProbe(t *testing.T) {
	c := onCommon(t)
	station := c.station()
	for _, more := range []body{{"paused":true},{"worker_ids":[]any{"a"}},{"max_concurrency":1},{"concurrency":"skip","max_concurrency":1},{"log":"none"},{"log":"trigger"},{"failure":"skip"},{"batch":5},{"jitter":3},{"start_at":"2090-01-01T00:00:00Z"},{"end_at":"2200-01-01T00:00:00Z"},{"on_conflict":"update"},{"worker_count":2},{"voters":2},{"ping_timeout_ms":100},{"priority":1},{"overlap":"parallel"},{"overlap":"allow"},{"overlap":"cancel_prev"},{"retry":body{"need_manual":true}},{"catch_up":"full"},{"timezone":"Europe/Berlin"},{"plan_value":3},{"cron":"@daily"},{"plan_repet":0}} {
		t.Log(more, string(c.ask("plans.create", c.encode(far(station).with(more))).Data))
	}
	for _, v := range []string{"update","pause","trigger","push","cancel","run"} {
		_, err := c.nc.Request("plans."+v, nil, patience)
		t.Log(v, err)
	}
	t.Log(string(c.ask("plans.close", c.encode(name(station,"x"))).Data))
}
