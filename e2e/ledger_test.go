package e2e

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// A ledger records the acknowledged plans of a publisher, and the executions that workers
// received.
type ledger struct {
	mu       sync.Mutex
	promised map[string]body       // by plan_id: the plan of each acknowledged create
	got      map[string][]delivery // by Plan-Key: each delivery to a worker
}

type delivery struct {
	exec     string
	attempt  int64
	at       time.Time
	deadline time.Time
}

func newLedger() *ledger {
	return &ledger{promised: map[string]body{}, got: map[string][]delivery{}}
}

func (l *ledger) promise(id string, plan body) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.promised[id] = plan
}

// serve works at a station and records its executions.
func (l *ledger) serve(c *client, station string) {
	c.t.Helper()
	c.serve(station, func(x *execution) any {
		l.mu.Lock()
		l.got[x.text("key")] = append(l.got[x.text("key")],
			delivery{x.text("exec"), x.int("attempt"), time.Now(), x.time("deadline")})
		l.mu.Unlock()
		return body{"state": "ok"}
	})
}

// excused checks that an execution is delivered once, and a further attempt only after the
// timeout of the one before.
func (l *ledger) excused(t *testing.T) {
	t.Helper()
	for key, all := range l.got {
		execs := map[string]bool{}
		for i, d := range all {
			if execs[d.exec] {
				t.Errorf("%s: execution %s was delivered twice", key, d.exec)
			}
			execs[d.exec] = true
			if i > 0 && d.at.Before(all[i-1].deadline) {
				t.Errorf("%s: attempt %d at %v, before attempt %d was over at %v",
					key, d.attempt, d.at, all[i-1].attempt, all[i-1].deadline)
			}
		}
	}
}

// createAtSpeed publishes plans of many types until the server is gone, and records the
// acknowledged ones. A plan whose create is unavailable or unanswered may exist or not.
func (l *ledger) createAtSpeed(c *client, station string, cycle int) {
	types := []body{
		{"plan_type": "none"},
		{"plan_type": "second", "plan_value": 1, "plan_repet": 2, "no_keep": true},
		{"plan_type": "time", "plan_time": "2100-01-01T00:00:00Z"},
		{"plan_type": "cron", "cron": "0 0 1 1 *"},
		{"plan_type": "second", "plan_value": 0, "plan_repet": 3},
		{"plan_type": "month", "plan_value": -1, "plan_repet": -1, "timezone": "Europe/Berlin"},
	}
	var publishers sync.WaitGroup
	for p := range 4 {
		publishers.Go(func() {
			for i := 0; ; i++ {
				plan := types[i%len(types)].with(body{"station": station, "command": "c", "plan_id": fmt.Sprintf("p-%d-%d-%d", cycle, p, i),
					"exec_timeout": 1.5, "retry": body{"strategy": "fixed_period", "interval": 0.05}})
				raw, err := c.enc.encode(plan)
				if err != nil {
					return
				}
				msg, err := c.nc.Request("plans.create", raw, patience)
				if err != nil {
					return
				}
				if msg.Header.Get("Nats-Service-Error") == "" {
					l.promise(plan.text("plan_id"), plan)
				}
			}
		})
	}
	publishers.Wait()
}

// ends returns the number of occurrences after which a plan of createAtSpeed ends; 0: not
// during a test.
func ends(plan body) int64 {
	switch plan.text("plan_type") {
	case "none":
		return 1
	case "second":
		return plan.int("plan_repet")
	}
	return 0
}

// untilEnded waits until a station has no plan left that ends by itself, and returns the
// definitions of the others.
func untilEnded(c *client, station string) map[string]body {
	c.t.Helper()
	events := c.events(station)
	for {
		there, waits := map[string]body{}, false
		for _, p := range c.pages("plans.list", "plans", body{"station": station, "limit": 1000}) {
			plan := p.obj("plan")
			there[plan.text("plan_id")] = plan
			waits = waits || ends(plan) > 0
		}
		if !waits {
			return there
		}
		events.of("closed")
	}
}

// lateOK reports whether an execution may have both results, because its worker's ok came
// after its timeout, while its occurrence was still open.
func lateOK(first, second body) bool {
	return first.text("state") == "timeout" && !first.bool("final") && second.text("state") == "ok"
}

// settledOnce checks that an ended plan has one result for each n and one final result for each
// occurrence, with none left out.
func settledOnce(t *testing.T, c *client, plan body) {
	t.Helper()
	id := plan.text("plan_id")
	runs := c.runs(plan.text("station"), id)
	ns, final := map[int64]body{}, map[int64]int{}
	covered := int64(0)
	for _, r := range runs {
		before := ns[r.int("n")] // runs are newest first
		if before != nil && !lateOK(r, before) {
			t.Errorf("%s: two results of n=%d: %v", id, r.int("n"), outcome(runs))
		}
		ns[r.int("n")] = r
		if r.bool("final") {
			final[r.int("occurrence")]++
			covered += max(1, r.int("count"))
		}
	}
	for k, times := range final {
		if times != 1 {
			t.Errorf("%s: occurrence %d is settled %d times: %v", id, k, times, outcome(runs))
		}
	}
	if covered != ends(plan) {
		t.Errorf("%s: %d occurrences are settled: %v (%v)", id, covered, outcome(runs), plan)
	}
	if plan.bool("no_keep") || plan.text("plan_type") == "none" {
		for _, r := range runs {
			if r.text("state") == "skipped" {
				t.Errorf("%s may skip nothing: %v", id, outcome(runs))
			}
		}
	}
}

// storedOnce checks that the stream of results has none twice.
func storedOnce(t *testing.T, c *client) {
	t.Helper()
	type kept struct {
		body
		at uint64
	}
	seen := map[string]kept{}
	for _, msg := range c.kept("plan.result.>") {
		v, err := speaks(msg.Data()).decode(msg.Data())
		r, ok := v.(map[string]any)
		if err != nil || !ok {
			t.Fatalf("%s holds %q: %v", msg.Subject(), msg.Data(), err)
		}
		once := fmt.Sprintf("%s n=%d %s", msg.Subject(), body(r).int("n"), body(r).text("key"))
		meta, err := msg.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := seen[once]; ok && !lateOK(before.body, r) {
			t.Errorf("%s is stored twice, as %d (%s) and %d (%s)", once, before.at, before.text("state"), meta.Sequence.Stream, body(r).text("state"))
		}
		seen[once] = kept{r, meta.Sequence.Stream}
	}
}
