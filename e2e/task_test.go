package e2e

import (
	"testing"
	"time"
)

// taskType puts a type with agents that subscribe, unless config gives another kind.
func (c *client) taskType(config body) string {
	c.t.Helper()
	code := c.station()
	match(c.t, "task_types.put", c.req("task_types.put", body{"code": code, "config": body{"kind": "api"}.with(config)}),
		body{"code": code, "created": true})
	return code
}

// task reads one task.
func (c *client) task(code, id string) body {
	c.t.Helper()
	return c.req("tasks.get", body{"type": code, "id": id})
}

// becomes waits until a task has a status.
func (c *client) becomes(code, id, status string) body {
	c.t.Helper()
	var last body
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if last = c.task(code, id); last.text("status") == status {
			return last
		}
	}
	c.t.Fatalf("task %s is not %s but %v", id, status, last)
	return nil
}

// count counts the rows whose field has a value.
func count(rows []body, field, is string) (n int) {
	for _, row := range rows {
		if row.text(field) == is {
			n++
		}
	}
	return n
}

func TestATaskTypeIsReadBackAsItWasPut(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.station()
		put := body{
			"id": "7", "code": code, "name": "Transcode", "category": "media",
			"config": body{
				"kind": "api", "retry_strategy": "sequence", "retry_sequence": []any{1, 5, 60}, "max_error_count": 4,
				"timeout": 30, "need_manual": true,
			},
		}
		match(t, "put", c.req("task_types.put", put), body{"code": code, "created": true})
		match(t, "get", c.req("task_types.get", body{"code": code}), put)
		match(t, "put again", c.req("task_types.put", body{"code": code, "name": "Other"}), body{"code": code, "created": false})
		match(t, "get", c.req("task_types.get", body{"code": code}), body{"name": "Other", "id": absent, "category": absent, "config": body{}})
		if config := c.req("task_types.get", body{"code": code}).obj("config"); len(config) != 0 {
			t.Errorf("of the config before, %v is left", config)
		}
		if types := c.pages("task_types.list", "task_types", body{}); count(types, "code", code) != 1 {
			t.Errorf("types are %v", types)
		}
		match(t, "delete of its station", c.refused("stations.delete", body{"station": code}), body{"code": "conflict", "field": "station"})
		match(t, "delete", c.req("task_types.delete", body{"code": code}), body{"code": code, "deleted": true})
		match(t, "get of none", c.refused("task_types.get", body{"code": code}), body{"code": "not_found"})
	})
}

// A task from its submission to its result, by an agent that subscribes.
func TestATaskIsCarriedOutByAnAgentThatSubscribes(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.taskType(body{"retry_strategy": "fixed_period", "retry_interval": 0.1, "max_error_count": 2})
		agent := c.worker(code)
		submit := body{"id": 4711, "type": code, "tenant_id": 17, "creator": 9, "category": "media", "ext": body{"file": "a.mov"}}
		match(t, "submit", c.req("tasks.submit", submit), body{"id": "4711", "type": code, "status": "New"})
		x := agent.take()
		match(t, "what the agent gets", x.body, body{"command": "task", "tenant_id": "17"})
		match(t, "its message", x.body.list("messages")[0], body{
			"id": "4711", "type": code, "tenant_id": "17", "creator": "9", "category": "media", "ext": body{"file": "a.mov"},
		})
		x.request(body{"state": "running", "worker_id": "w1"})
		match(t, "while it is executed", c.task(code, "4711"), body{
			"status": "Executing", "exec_id": x.body.text("exec"), "error_count": 0, "ext": body{"file": "a.mov"},
		})
		x.request(body{"state": "error", "error": "no codec"})
		match(t, "after an error", c.becomes(code, "4711", "Executing"), body{"error_count": 1, "error_info": "no codec"})
		agent.take().request(body{"state": "ok", "content": body{"frames": 12}})
		match(t, "done", c.task(code, "4711"), body{
			"id": "4711", "type": code, "status": "Success", "result": body{"frames": 12}, "error_count": 1, "error_info": "no codec",
			"tenant_id": "17", "creator": "9", "category": "media", "ext": body{"file": "a.mov"},
		})
		match(t, "a task of no type", c.refused("tasks.submit", body{"type": c.station()}), body{"code": "not_found", "field": "type"})
		match(t, "no task", c.refused("tasks.get", body{"type": code, "id": "other"}), body{"code": "not_found"})
	})
}

func TestAPersonProcessesAPendingTask(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.taskType(body{"retry_strategy": "none", "need_manual": true})
		c.serve(code, func(*execution) any { return body{"state": "error", "error": "disk full"} })
		id := c.req("tasks.submit", body{"type": code}).text("id")
		match(t, "pending", c.becomes(code, id, "Pending"), body{"error_count": 1, "error_info": "disk full"})
		name := body{"type": code, "id": id}
		listed := c.req("tasks.list", body{"type": code, "status": "Pending"}).list("tasks")
		if len(listed) != 1 || listed[0].text("id") != id || listed[0].text("error_info") != "disk full" {
			t.Errorf("pending are %v", listed)
		}
		match(t, "process", c.req("tasks.process", name.with(body{"remark": "copied by hand"})), body{"id": id, "status": "ManuallyProcessed"})
		match(t, "processed", c.task(code, id), body{
			"status": "ManuallyProcessed", "remark": "copied by hand", "error_info": "disk full", "error_count": 1,
		})
		match(t, "again", c.refused("tasks.process", name), body{"code": "conflict", "message": "task " + id + " of type " + code + " is ManuallyProcessed"})
		match(t, "too late to cancel", c.refused("tasks.cancel", name), body{"code": "conflict"})
		if left := c.req("tasks.list", body{"type": code}).list("tasks"); len(left) != 0 {
			t.Errorf("still living are %v", left)
		}
	})
}

// fetch fetches the tasks that are there for an agent, and waits within patience if the
// request does.
func (c *client) fetch(request body) []body {
	c.t.Helper()
	return c.req("tasks.fetch", body{"wait_ms": 40_000}.with(request)).list("tasks")
}

// fetchOne is fetch of one task that has to come.
func (c *client) fetchOne(code, agent string) body {
	c.t.Helper()
	got := c.fetch(body{"type": code, "worker_id": agent})
	if len(got) != 1 {
		c.t.Fatalf("%s got %v", agent, got)
	}
	return got[0]
}

// report reports the outcome of an execution of a fetched task.
func (c *client) report(task body, more body) body {
	c.t.Helper()
	return c.req("tasks.report", body{"type": task["type"], "id": task["id"], "exec_id": task["exec_id"]}.with(more))
}

func TestAnAgentThatFetchesAndDiesIsReplaced(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		config := body{"kind": "pull", "timeout_seconds": 2, "retry_strategy": "fixed_period", "retry_interval": 0.1, "max_error_count": 5}
		code := c.taskType(config)
		submitted := time.Now()
		id := c.req("tasks.submit", body{"type": code, "ext": body{"n": 1}}).text("id")
		first := c.fetchOne(code, "w1")
		match(t, "what w1 fetched", first, body{"id": id, "status": "Executing", "error_count": 0, "ext": body{"n": 1}, "creator": "0"})
		if deadline := first.time("executing_deadline"); deadline.Before(submitted) || deadline.After(time.Now().Add(2*time.Second)) {
			t.Errorf("the deadline is %v", deadline)
		}
		// w1 dies, which is noticed at the timeout. The next one has longer.
		c.req("task_types.put", body{"code": code, "config": config.with(body{"timeout_seconds": 60})})
		second := c.fetchOne(code, "w2")
		match(t, "what w2 fetched", second, body{"id": id, "status": "Executing", "error_count": 1, "error_info": "the agent did not end in time"})
		if second.text("exec_id") == first.text("exec_id") {
			t.Errorf("both executions are %v", second["exec_id"])
		}
		match(t, "w1's late error", c.report(first, body{"status": "Error", "error_info": "late"}),
			body{"id": id, "accepted": false, "status": "Executing", "cancel": true})
		match(t, "unchanged", c.task(code, id), body{"error_count": 1, "exec_id": second["exec_id"]})
		match(t, "w2's word", c.report(second, body{"status": "Completed", "result": "done"}),
			body{"id": id, "accepted": true, "status": "Success", "cancel": false})
		match(t, "w2's word again", c.report(second, body{"status": "Completed"}), body{"accepted": false, "status": "Success", "cancel": true})
		match(t, "w1's late success", c.report(first, body{"result": "late"}), body{"accepted": false, "status": "Success"})
		match(t, "finished", c.task(code, id), body{"status": "Success", "result": "done", "error_count": 1, "error_info": "the agent did not end in time"})
	})
}

// A success of a superseded execution is finished work, as long as no other execution has
// succeeded.
func TestALateSuccessOfASupersededExecutionCounts(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	code := c.taskType(body{"kind": "pull", "timeout_seconds": 0.3, "retry_strategy": "fixed_period", "retry_interval": 0.05})
	c.req("tasks.submit", body{"type": code, "id": "a"})
	first := c.fetchOne(code, "w1")
	second := c.fetchOne(code, "w2")
	match(t, "the late success", c.report(first, body{"status": "Success", "result": 1}), body{"accepted": true, "status": "Success"})
	match(t, "the ping of the other", c.report(second, body{"status": "Executing"}), body{"accepted": false, "cancel": true, "status": "Success"})
	match(t, "a stranger's word", c.report(second, body{"exec_id": "2-0123456789abcdef", "status": "Success"}), body{"accepted": false})
	match(t, "the task", c.task(code, "a"), body{"status": "Success", "result": 1})
}

func TestPingsKeepATaskAndALostOneIsGivenToAnother(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	config := body{
		"kind": "pull", "ping_timeout_ms": 9000, "unexpected_retry_delay_ms": 500, "max_unexpected_retries": 1,
		"retry_strategy": "none",
	}
	code := c.taskType(config)
	c.req("tasks.submit", body{"type": code, "id": "a"})
	first := c.fetchOne(code, "w1")
	ping := func() {
		t.Helper()
		match(t, "a ping", c.report(first, body{"status": "Executing", "worker_id": "w1"}), body{"accepted": true, "cancel": false, "status": "Executing"})
	}
	for range 7 { // longer than the expiry, together; each with time for a stall
		c.passed(time.Now().Add(1500 * time.Millisecond))
		ping()
	}
	c.req("task_types.put", body{"code": code, "config": config.with(body{"ping_timeout_ms": 500})})
	ping() // the last one
	match(t, "before another has it", c.becomes(code, "a", "Error"), body{"error_count": 0, "error_info": "the agent sent no ping any more"})
	second := c.fetchOne(code, "w2")
	if second.text("id") != "a" || second.text("exec_id") == first.text("exec_id") {
		t.Fatalf("w2 got %v", second)
	}
	match(t, "w1's next ping", c.report(first, body{"status": "Executing"}), body{"accepted": false, "cancel": true})
	match(t, "given up", c.becomes(code, "a", "Failure"), body{"error_info": "the agent sent no ping any more"})
}

func TestRetriesOfATaskKeepToTheDelaysOfItsType(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		what   string
		config body
		waits  []float64 // before each retry, at least
		ends   string
	}{
		{"none", body{"retry_strategy": "none", "max_error_count": 0}, nil, "Failure"},
		{"no strategy", body{}, nil, "Failure"},
		{"fixed_period", body{"retry_strategy": "fixed_period", "retry_interval": 0.2, "max_error_count": 2}, []float64{0.2, 0.2}, "Failure"},
		{
			"a sequence that is shorter than the retries",
			body{"retry_strategy": "sequence", "retry_sequence": []any{0.05, 0.3}, "max_error_count": 3, "need_manual": true},
			[]float64{0.05, 0.3, 0.3}, "Pending",
		},
		{"exponential", body{"retry_strategy": "exponential", "retry_interval": 0.1, "retry_jitter": 0, "max_error_count": 2}, []float64{0.1, 0.2}, "Failure"},
	} {
		t.Run(s.what, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			code := c.taskType(body{"kind": "pull"}.with(s.config))
			c.req("tasks.submit", body{"type": code, "id": "a"})
			submitted := c.task(code, "a")["start_time"]
			var failed time.Time
			for i := range len(s.waits) + 1 {
				got := c.fetchOne(code, "w")
				match(t, "its start", got, body{"start_time": submitted})
				if others := c.fetch(body{"type": code, "worker_id": "v", "wait_ms": 0}); len(others) != 0 {
					t.Errorf("while it is executed, others get %v", others)
				}
				if took := time.Since(failed).Seconds(); i > 0 && took < s.waits[i-1] {
					t.Errorf("retry %d came after %v s, and not %v", i, took, s.waits[i-1])
				}
				failed = time.Now()
				c.report(got, body{"error_info": "no"})
				if i < len(s.waits) {
					match(t, "to be retried", c.task(code, "a"), body{"status": "Error", "error_count": i + 1, "error_info": "no"})
				}
			}
			match(t, "the end", c.task(code, "a"), body{"status": s.ends})
			if more := c.fetch(body{"type": code, "worker_id": "v", "wait_ms": 0}); len(more) != 0 {
				t.Errorf("of what is %s, %v is given", s.ends, more)
			}
		})
	}
}

func TestAFailureIsFinalAndMayBeRetriedFromHistory(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.taskType(body{"kind": "pull", "retry_strategy": "fixed_period", "retry_interval": 60, "need_manual": true})
		submit := body{"type": code, "id": "a", "tenant_id": "7", "creator": "me", "category": "k", "ext": body{"x": 1}, "priority": 7}
		c.req("tasks.submit", submit)
		name := body{"type": code, "id": "a"}
		match(t, "a living task", c.refused("tasks.retry", name), body{"code": "conflict"})
		first := c.fetchOne(code, "w")
		match(t, "a failure, also with need_manual", c.report(first, body{"status": "Failure", "error_info": "no such file"}),
			body{"accepted": true, "status": "Failure"})
		match(t, "failed", c.task(code, "a"), body{"status": "Failure", "error_info": "no such file", "error_count": 1, "ext": body{"x": 1}, "creator": "me"})
		match(t, "retry", c.req("tasks.retry", name), body{"id": "a", "status": "New"})
		again := c.fetchOne(code, "w")
		match(t, "fetched at once, as it was", again, body{
			"id": "a", "tenant_id": "7", "creator": "me", "category": "k", "ext": body{"x": 1}, "error_count": 0, "status": "Executing",
		})
		match(t, "a report of the time before", c.report(first, body{"status": "Success"}), body{"accepted": false, "status": "Executing"})
		c.report(again, body{})
		match(t, "a success", c.refused("tasks.retry", name), body{"code": "conflict"})
		match(t, "none", c.refused("tasks.retry", body{"type": code, "id": "b"}), body{"code": "not_found"})
	})
}

func TestAPendingTaskIsRetriedWithNoErrorCounted(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	code := c.taskType(body{"kind": "pull", "retry_strategy": "fixed_period", "retry_interval": 0.05, "max_error_count": 1, "need_manual": true})
	c.req("tasks.submit", body{"type": code, "id": "a"})
	for range 2 {
		c.report(c.fetchOne(code, "w"), body{"error_info": "no"})
	}
	name := body{"type": code, "id": "a"}
	match(t, "pending", c.task(code, "a"), body{"status": "Pending", "error_count": 2})
	match(t, "retry", c.req("tasks.retry", name), body{"id": "a", "status": "New"})
	match(t, "as new", c.task(code, "a"), body{"status": "New", "error_count": 0, "error_info": "no"})
	match(t, "a person", c.refused("tasks.process", name), body{"code": "conflict", "field": "id", "message": "task a of type " + code + " is New, and only one that is Pending is processed by a person"})
	if listed := c.req("tasks.list", body{"type": code, "status": []any{"New"}}).list("tasks"); len(listed) != 1 {
		t.Errorf("new are %v", listed)
	}
	if listed := c.req("tasks.list", body{"type": code, "status": []any{"Error", "Pending"}}).list("tasks"); len(listed) != 0 {
		t.Errorf("failed are %v", listed)
	}
	again := c.fetchOne(code, "w")
	match(t, "with all its retries", c.report(again, body{"error_info": "once more"}), body{"accepted": true, "status": "Error"})
	c.report(c.fetchOne(code, "w"), body{"status": "Completed"})
	match(t, "done", c.task(code, "a"), body{"status": "Success", "error_count": 1, "error_info": "once more"})
}

func TestACancelledTaskIsOver(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.taskType(body{"kind": "pull", "retry_strategy": "fixed_period", "retry_interval": 60, "max_error_count": 1, "need_manual": true})
		cancels := c.cancels(code)
		submit := func(id string, more body) body {
			c.req("tasks.submit", body{"type": code, "id": id, "ext": body{"id": id}}.with(more))
			return body{"type": code, "id": id}
		}
		cancelled := func(name body) {
			t.Helper()
			match(t, "cancel", c.req("tasks.cancel", name.with(body{"remark": "not wanted"})), body{"id": name["id"], "status": "Cancelled"})
			match(t, "cancelled", c.task(code, name.text("id")), body{
				"status": "Cancelled", "remark": "not wanted", "ext": body{"id": name["id"]},
			})
			match(t, "again", c.refused("tasks.cancel", name), body{"code": "conflict"})
			match(t, "too late to process", c.refused("tasks.process", name), body{"code": "conflict"})
		}
		cancelled(submit("waiting", body{"start_time": c.moment(time.Now().Add(time.Hour))}))

		name := submit("executing", nil)
		x := c.fetchOne(code, "w")
		cancelled(name)
		cancels.next()
		match(t, "report after cancel", c.report(x, body{"status": "Completed"}), body{"accepted": false, "cancel": true, "status": "Cancelled"})
		match(t, "ping after cancel", c.report(x, body{"status": "Executing"}), body{"accepted": false, "cancel": true, "status": "Cancelled"})

		name = submit("retrying", nil)
		c.report(c.fetchOne(code, "w"), body{"error_info": "no"})
		cancelled(name)

		name = submit("pending", nil)
		c.report(c.fetchOne(code, "w"), body{"error_info": "no"})
		match(t, "not pending yet", c.refused("tasks.process", name), body{"code": "conflict"})
		c.req("tasks.cancel", name)

		match(t, "no task", c.refused("tasks.cancel", body{"type": code, "id": "none"}), body{"code": "not_found"})
		if got := c.fetch(body{"type": code, "worker_id": "w", "wait_ms": 0}); len(got) != 0 {
			t.Errorf("still fetched: %v", got)
		}
	})
}

func TestTasksAreFetchedByTenantCategoryAndCreator(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	video, audio := c.taskType(body{"kind": "pull"}), c.station()
	c.req("task_types.put", body{"code": audio, "category": "sound", "config": body{}})
	for _, s := range []body{
		{"id": "a", "type": video, "tenant_id": 1, "creator": "ann"},
		{"id": "b", "type": video, "tenant_id": 2, "creator": "ann", "priority": 9},
		{"id": "c", "type": video, "tenant_id": 1, "creator": "ben", "category": "sound"},
		{"id": "d", "type": audio, "tenant_id": 1},
		{"id": "later", "type": audio, "tenant_id": 1, "start_time": c.moment(time.Now().Add(time.Hour))},
		{"id": "past", "type": audio, "tenant_id": 3, "start_time": 1000},
	} {
		match(t, "submit", c.req("tasks.submit", s), body{"id": s["id"], "status": "New"})
	}
	ids := func(tasks []body) (ids string) {
		for _, task := range tasks {
			ids += task.text("id") + " "
		}
		return ids
	}
	types := body{"types": []any{video, audio}, "limit": 10, "worker_id": "w", "wait_ms": 0}
	for _, s := range []struct {
		filter body
		want   string
	}{
		{body{"tenant_id": "3"}, "past "},
		{body{"tenant_id": "1", "category": "sound"}, "c d "},
		{body{"creator": "ann"}, "b a "}, // by priority
		{body{}, ""},
	} {
		if got := ids(c.req("tasks.list", types.without("types", "limit", "worker_id", "wait_ms").with(s.filter).with(body{"type": video})).list("tasks")); s.filter.has("creator") && got != "a b " {
			t.Errorf("listed %s", got)
		}
		if got := ids(c.req("tasks.fetch", types.with(s.filter)).list("tasks")); got != s.want {
			t.Errorf("%v fetches %q, want %q", s.filter, got, s.want)
		}
	}
	if left := ids(c.req("tasks.list", body{"type": audio, "status": "New"}).list("tasks")); left != "later " {
		t.Errorf("new are %s", left)
	}
}

func TestABatchOfTasksIsSubmittedOneByOne(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.taskType(body{"kind": "pull"})
		batch := body{"on_conflict": "keep", "tasks": []any{
			body{"type": code, "id": "a"}, body{"type": code, "id": "a.b"}, body{"type": code}, body{"type": code + "x", "id": "c"},
			body{"type": code, "id": "d", "priority": 12, "worker_count": -1},
		}}
		for _, what := range []string{"once", "sent again"} {
			got := c.req("tasks.submit", batch).list("tasks")
			if len(got) != 5 {
				t.Fatalf("%s: %v", what, got)
			}
			match(t, what, got[0], body{"id": "a", "type": code, "status": "New"})
			match(t, "a wrong id", got[1].obj("error"), body{"code": "invalid_request", "field": "id"})
			match(t, "an id that was made", got[2], body{"type": code, "status": "New"})
			match(t, "no type", got[3].obj("error"), body{"code": "not_found", "field": "type"})
			match(t, "wrong", got[4].obj("error"), body{"code": "invalid_request", "field": "priority"})
		}
		if listed := c.req("tasks.list", body{"type": code}).list("tasks"); len(listed) != 3 {
			t.Errorf("listed %v", listed)
		}
		// A task that is submitted again after it is done is not done again.
		x := c.fetch(body{"type": code, "worker_id": "w", "limit": 10})
		for _, task := range x {
			c.report(task, body{"status": "Completed"})
		}
		match(t, "idempotent", c.req("tasks.submit", batch).list("tasks")[0], body{"id": "a", "status": "Success"})
		match(t, "whatever it says", c.req("tasks.submit", body{"type": code, "id": "a", "ext": "other", "on_conflict": "keep"}), body{"id": "a", "status": "Success"})
		again := c.req("tasks.submit", body{"type": code, "id": "e", "priority": 9, "on_conflict": "keep"})
		c.report(c.fetchOne(code, "w"), body{"status": "Failure"})
		match(t, "at once", c.req("tasks.submit", again.without("status").with(body{"on_conflict": "keep"})), body{"id": "e", "status": "Failure"})
		match(t, "an error without it", c.refused("tasks.submit", body{"type": code, "id": "a", "on_conflict": "no"}), body{"field": "on_conflict"})
	})
}

// worker_count is the number of different agents, and worker_ids the list of those that are
// allowed.
func TestATaskForSeveralAgents(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	code := c.taskType(body{"kind": "pull", "retry_strategy": "none"})
	c.req("tasks.submit", body{"type": code, "id": "a", "worker_count": 2, "worker_ids": []any{"w1", "w2", "w3"}})
	none := func(agent string) {
		t.Helper()
		if got := c.fetch(body{"type": code, "worker_id": agent, "wait_ms": 0}); len(got) != 0 {
			t.Errorf("%s got %v", agent, got)
		}
	}
	none("w4")
	first := c.fetchOne(code, "w1")
	none("w1")
	second := c.fetchOne(code, "w2")
	if first.text("exec_id") == second.text("exec_id") {
		t.Errorf("both have %v", first["exec_id"])
	}
	none("w3")
	match(t, "the first of two", c.report(first, body{"result": 1}), body{"accepted": true, "status": "Executing"})
	match(t, "the second", c.report(second, body{"result": 2}), body{"accepted": true, "status": "Success"})
	match(t, "the task", c.task(code, "a"), body{"status": "Success", "result": 2})
}
