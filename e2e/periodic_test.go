package e2e

import (
	"strings"
	"testing"
	"time"
)

// cronSecond is a cron expression with seconds, so that tests need not wait for minutes.
const cronSecond = "* * * * * *"

// periodic puts a periodic task of a type and returns its id, which is the type's name.
func (c *client) periodic(kind string, more body) body {
	c.t.Helper()
	id := body{"id": strings.ReplaceAll(kind, ".", "-")}
	put := body{"type": kind, "cron_expressions": cronSecond}.with(id).with(more)
	match(c.t, "put", c.req("periodic_tasks.put", put), id.with(body{"status": "new"}))
	return id
}

// drain answers the executions that have arrived.
func (w *worker) drain() {
	w.c.t.Helper()
	w.c.flush()
	for msg, err := w.sub.NextMsg(time.Millisecond); err == nil; msg, err = w.sub.NextMsg(time.Millisecond) {
		respondOK(msg)
	}
}

// New, online, offline; each occurrence is an execution with the task itself.
func TestAPeriodicTaskIsTriggeredWhileItIsOnline(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		kind, clock := c.station(), c.station()
		work, ticks := c.worker(kind), c.worker(clock)
		c.req("periodic_tasks.online", c.periodic(clock, body{}))
		aSecond := func() { // triggers of another task, of which the first may be an old one
			for range 3 {
				ticks.take().ok()
			}
		}
		id := c.periodic(kind, body{"tenant_id": 7, "creator": "ann", "category": "night", "ext": body{"a": 1}})
		aSecond()
		work.empty("triggers of one that is new")
		match(t, "online", c.req("periodic_tasks.online", id), id.with(body{"status": "online"}))
		x := work.take()
		match(t, "the execution", x.body, body{"command": "periodic_task", "tenant_id": "7", "category": "night", "occurrence": present})
		match(t, "its message", x.list("messages")[0], id.with(body{
			"type": kind, "tenant_id": "7", "creator": "ann", "category": "night", "status": "online", "log": "none",
			"cron_expressions": cronSecond, "ext": body{"a": 1}, "create_date": present, "update_date": present,
		}))
		x.ok()
		// A second put keeps the status, and takes effect at once.
		match(t, "put again", c.req("periodic_tasks.put", id.with(body{"type": kind, "cron_expressions": cronSecond, "ext": "new"})), body{"status": "online"})
		for x = work.take(); x.list("messages")[0]["ext"] != "new"; x = work.take() {
			x.ok()
		}
		x.ok()
		match(t, "offline", c.req("periodic_tasks.offline", id), id.with(body{"status": "offline"}))
		match(t, "get", c.req("periodic_tasks.get", id), id.with(body{"status": "offline", "ext": "new", "tenant_id": absent}))
		work.drain()
		aSecond()
		work.empty("triggers of one that is offline")
		c.req("periodic_tasks.online", id)
		work.take().ok()
		match(t, "delete", c.req("periodic_tasks.delete", id), id.with(body{"deleted": true}))
		match(t, "of one deleted", c.refused("periodic_tasks.get", id), body{"code": "not_found", "field": "id"})
		work.drain()
		aSecond()
		work.empty("triggers of one that was deleted")
	})
}

// A trigger that fails is not retried, and does not stop those to come.
func TestAFailedTriggerOfAPeriodicTaskStopsNothing(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	kind := c.station()
	c.req("stations.put", body{"station": kind, "retry": body{"strategy": "fixed_period", "interval": 0.01, "need_manual": true}})
	work := c.worker(kind)
	id := c.periodic(kind, body{"log": "trans_log"})
	c.req("periodic_tasks.online", id)
	last := int64(0)
	for _, state := range []string{"error", "failure", "perhaps", "error"} {
		x := work.take()
		match(t, "the execution", x.body, body{"attempt": 1})
		if k := x.int("occurrence"); k <= last {
			t.Errorf("occurrence %d came after %d", k, last)
		} else {
			last = k
		}
		x.request(body{"state": state, "error": "no disk"})
		match(t, "the task", c.req("periodic_tasks.get", id), body{"status": "online"})
	}
	c.req("periodic_tasks.delete", id)
}

// Periodic tasks have the logs periodic_task.log and periodic_task_log.
func TestPeriodicTaskLogs(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		logs := func(id body) []body { t.Helper(); return c.pages("periodic_tasks.logs", "logs", id) }
		for _, mode := range []string{"none", "trigger_log", "trans_log"} {
			kind := c.station()
			work, results := c.worker(kind), c.results(kind)
			id := c.periodic(kind, body{"log": mode, "tenant_id": 7})
			c.req("periodic_tasks.online", id)
			good := work.take()
			good.request(body{"state": "ok"})
			bad := work.take()
			bad.request(body{"state": "error", "error": "no disk"})
			open := work.take()
			open.request(body{"state": "running"})
			results.until(func(r body) bool { return r["state"] == "failure" })
			got := logs(id)
			if mode == "none" {
				if len(got) != 0 {
					t.Errorf("none logs %v", got)
				}
				c.req("periodic_tasks.delete", id)
				continue
			}
			// Behind an open trigger come no others, because under overlap skip it keeps
			// its place.
			if len(got) != 3 {
				t.Fatalf("%s logs %v", mode, got)
			}
			row := body{"id": present, "periodic_task_id": id["id"], "tenant_id": "7", "create_date": present, "update_date": present}
			want := []body{{"result": "executing"}, {"result": "failure", "error_info": "no disk"}, {"result": "success", "error_info": absent}}
			for i, w := range want {
				if mode == "trigger_log" {
					w = body{"result": "success", "error_info": absent}
				}
				match(t, mode, got[i], row.with(w))
				if created, updated := instant(got[i]["create_date"]), instant(got[i]["update_date"]); updated.Before(created) || time.Since(created) > time.Minute {
					t.Errorf("%s: created %v, updated %v", mode, created, updated)
				}
			}
			if got[0]["id"] == got[1]["id"] || got[1]["id"] == got[2]["id"] {
				t.Errorf("%s: ids of %v", mode, got)
			}
			c.passed(open.time("plan_time").Add(1200 * time.Millisecond))
			work.empty("a trigger while another is under way")
			open.request(body{"state": "ok"})
			results.until(func(r body) bool { return r["state"] == "ok" && r.int("n") == open.n() })
			all := logs(id)
			match(t, "the open one, ended", all[len(all)-3], body{"id": got[0]["id"], "result": "success"})
			c.req("periodic_tasks.delete", id)
		}
	})
}

// When the system starts again, it loads all tasks that are online.
func TestPeriodicTasksOutliveARestart(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	online, offline, fresh, deleted := c.periodic("online", body{"log": "trans_log"}), c.periodic("offline", body{}), c.periodic("fresh", body{}), c.periodic("deleted", body{})
	work := c.worker("online")
	for _, id := range []body{online, offline, deleted} {
		c.req("periodic_tasks.online", id)
	}
	c.req("periodic_tasks.offline", offline)
	c.req("periodic_tasks.delete", deleted)
	work.take().request(body{"state": "ok"})
	s.kill9()
	s.restart(t)
	c.flush()
	others := []*worker{c.worker("offline"), c.worker("fresh"), c.worker("deleted")}
	for range 2 {
		work.take().ok()
	}
	for _, other := range others {
		other.empty("triggers after the restart")
	}
	var got []string
	for _, p := range c.pages("periodic_tasks.list", "periodic_tasks", body{}) {
		got = append(got, p.text("id")+" "+p.text("status"))
	}
	if is := strings.Join(got, ", "); is != "fresh new, offline offline, online online" {
		t.Errorf("after the restart there are %s", is)
	}
	if logs := c.pages("periodic_tasks.logs", "logs", online); len(logs) < 2 || logs[len(logs)-1].text("result") != "success" {
		t.Errorf("logs are %v", logs)
	}
	match(t, "one that was never online", c.req("periodic_tasks.online", fresh), body{"status": "online"})
	others[1].take().ok()
}

// An id has one type.
func TestAPeriodicTaskMovesToAnotherType(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	from, to := c.station(), c.station()
	old, work := c.worker(from), c.worker(to)
	id := c.periodic(from, body{})
	c.req("periodic_tasks.online", id)
	old.take().ok()
	match(t, "the move", c.req("periodic_tasks.put", id.with(body{"type": to, "cron_expressions": cronSecond})), body{"status": "online"})
	work.take().ok()
	old.drain()
	work.take().ok()
	old.empty("triggers at the type that it had")
	match(t, "the task", c.req("periodic_tasks.get", id), body{"type": to})
	c.req("periodic_tasks.delete", id)
}

func TestPeriodicTasksRefuse(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		good := body{"id": c.station(), "type": "s", "cron_expressions": "0 3 * * *"}
		for field, bad := range map[string]any{
			"cron_expressions": "61 * * * *", "timezone": "Mars/Base", "log": "some", "type": "a..b", "id": "a/b", "status": "online",
		} {
			match(t, field, c.refused("periodic_tasks.put", good.with(body{field: bad})), body{"code": "invalid_request", "field": field})
		}
		match(t, "no such task", c.refused("periodic_tasks.online", body{"id": good["id"]}), body{"code": "not_found"})
	})
}

// The triggers of a type with claiming agents are claimed, too. They are no tasks, so
// tasks.fetch does not return them.
func TestATriggerOfAPullTypeIsClaimed(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	code := c.taskType(body{"kind": "pull"})
	id := c.periodic(code, body{"log": "trans_log"})
	c.req("periodic_tasks.online", id)
	got := c.req("plans.claim."+code, body{"worker_id": "w1", "wait_ms": patience.Milliseconds()}).list("executions")
	if len(got) != 1 {
		t.Fatalf("claimed are %v", got)
	}
	match(t, "the execution", got[0], body{"command": "periodic_task", "reply": present})
	raw := c.encode(body{"state": "ok", "worker_id": "w1"})
	match(t, "the answer", c.open(c.ask(got[0].text("reply"), raw)), body{"accepted": true})
	logs := c.pages("periodic_tasks.logs", "logs", id)
	match(t, "the log", logs[len(logs)-1], body{"result": "success"})
	if tasks := c.req("tasks.fetch", body{"worker_id": "w1", "type": code, "wait_ms": 2000}).list("tasks"); len(tasks) != 0 {
		t.Errorf("fetched are %v", tasks)
	}
	c.req("periodic_tasks.delete", id)
}
