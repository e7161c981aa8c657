package e2e

import (
	"strings"
	"testing"
	"time"
)

// finished lists the tasks of a type that are in history, the newest first, as "id status".
func (c *client) finished(code string, more body) string {
	c.t.Helper()
	var rows []string
	for _, task := range c.pages("tasks.list", "tasks", body{"type": code, "history": true, "limit": 2}.with(more)) {
		rows = append(rows, task.text("id")+" "+task.text("status"))
	}
	return strings.Join(rows, ", ")
}

// The history of tasks.
func TestFinishedTasksAreInHistory(t *testing.T) {
	t.Parallel()
	inBothOfTheirOwn(t, func(t *testing.T, s *server, c *client) {
		code, other := c.taskType(body{"retry_strategy": "fixed_period", "retry_interval": 0.05, "max_error_count": 1}), c.taskType(body{"need_manual": true})
		agent := func(x *execution) any {
			if x.text("plan_id")[0] == 'f' {
				return body{"state": "error", "error": "no disk"}
			}
			return body{"state": "ok", "content": body{"frames": 9}}
		}
		c.serve(code, agent)
		c.serve(other, agent)
		began := time.Now()
		submit := func(kind, id string, more body) {
			c.req("tasks.submit", body{"type": kind, "id": id, "tenant_id": 7, "creator": "ann"}.with(more))
		}
		submit(code, "good", body{"category": "video"})
		c.becomes(code, "good", "Success")
		submit(code, "failed", body{"tenant_id": 8})
		c.becomes(code, "failed", "Failure")
		half := time.Now()
		submit(code, "later", body{"start_time": c.moment(time.Now().Add(time.Hour))})
		c.req("tasks.cancel", body{"type": code, "id": "later", "remark": "not needed"})
		submit(code, "living", body{"start_time": c.moment(time.Now().Add(time.Hour))})
		submit(other, "fpending", body{})
		c.becomes(other, "fpending", "Pending")
		c.periodic(code, body{"cron_expressions": "0 0 1 1 *"})

		check := func() {
			t.Helper()
			for _, tt := range []struct {
				more body
				want string
			}{
				{body{}, "later Cancelled, failed Failure, good Success"},
				{body{"tenant_id": 7}, "later Cancelled, good Success"},
				{body{"status": []any{"Failure", "Pending"}}, "failed Failure"},
				{body{"creator": "bob"}, ""},
				{body{"category": "video"}, "good Success"},
				{body{"from": c.moment(began), "to": c.moment(half)}, "failed Failure, good Success"},
				{body{"from": c.moment(half)}, "later Cancelled"},
			} {
				if got := c.finished(code, tt.more); got != tt.want {
					t.Errorf("%v: %s, want %s", tt.more, got, tt.want)
				}
			}
		}
		check()
		row := c.req("tasks.list", body{"type": code, "history": true, "status": "Failure"}).list("tasks")[0]
		match(t, "a row", row, body{
			"id": "failed", "tenant_id": "8", "type": code, "creator": "ann", "error_count": 2, "error_info": "no disk",
			"create_date": present, "update_date": present, "result": absent,
		})
		match(t, "is what get answers", c.task(code, "failed"), row)
		match(t, "one that went well", c.req("tasks.list", body{"type": code, "history": true, "status": "Success"}).list("tasks")[0], body{"result": body{"frames": 9}})

		// A pending task appears when a person has processed it; and all of them survive
		// the process.
		if got := c.finished(other, body{}); got != "" {
			t.Errorf("of the pending tasks, %s is in history", got)
		}
		c.req("tasks.process", body{"type": other, "id": "fpending", "remark": "by hand"})
		match(t, "processed", c.req("tasks.list", body{"type": other, "history": true}).list("tasks")[0],
			body{"id": "fpending", "status": "ManuallyProcessed", "remark": "by hand"})
		s.kill9()
		s.restart(t)
		c.flush()
		check()
	})
}
