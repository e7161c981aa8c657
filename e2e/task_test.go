package e2e

import (
	"testing"
	"time"
)

// taskType puts a type of whose tasks the agents subscribe, unless more says otherwise.
func (c *client) taskType(config body) string {
	c.t.Helper()
	code := c.station()
	match(c.t, "task_types.put", c.req("task_types.put", body{"code": code, "config": body{"kind": "api"}.with(config)}),
		body{"code": code, "created": true})
	return code
}

// task reads one.
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

func TestATaskTypeIsReadBackAsItWasPut(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.station()
		put := body{
			"code": code, "name": "Transcode", "category": "media",
			"config": body{
				"kind": "api", "retry_strategy": "sequence", "retry_sequence": []any{1, 5, 60}, "max_error_count": 4,
				"timeout": 30, "need_manual": true,
			},
		}
		match(t, "put", c.req("task_types.put", put), body{"code": code, "created": true})
		match(t, "put again", c.req("task_types.put", put), body{"code": code, "created": false})
		match(t, "get", c.req("task_types.get", body{"code": code}), put)
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
		x.tell(body{"state": "running", "worker_id": "w1"})
		match(t, "while it is executed", c.task(code, "4711"), body{
			"status": "Executing", "exec_id": x.body.text("exec"), "error_count": 0, "ext": body{"file": "a.mov"},
		})
		x.tell(body{"state": "error", "error": "no codec"})
		match(t, "after an error", c.becomes(code, "4711", "Executing"), body{"error_count": 1, "error_info": "no codec"})
		agent.take().tell(body{"state": "ok", "content": body{"frames": 12}})
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
		match(t, "again", c.refused("tasks.process", name), body{"code": "conflict"})
		match(t, "too late to cancel", c.refused("tasks.cancel", name), body{"code": "conflict"})
		if left := c.req("tasks.list", body{"type": code}).list("tasks"); len(left) != 0 {
			t.Errorf("still living are %v", left)
		}
	})
}
