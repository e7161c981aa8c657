package e2e

import (
	"strings"
	"testing"
	"time"
)

// tasks lists tasks, page by page, as "type/id status".
func (c *client) tasks(request body) string {
	c.t.Helper()
	var rows []string
	for _, task := range c.pages("tasks.list", "tasks", request) {
		rows = append(rows, task.text("type")+"/"+task.text("id")+" "+task.text("status"))
	}
	return strings.Join(rows, ", ")
}

// A task with an undelivered callback is listed among the open ones,
// in its place, and is found by its status.
func TestCompletedTasksAreListedUntilTheirCallbackIsDelivered(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private", "--partitions", "3")
	for _, enc := range []codec{inJSON, inMsgPack} {
		c := connect(t, s, enc)
		to := listening(t, -1)
		code := c.taskType(body{"kind": "pull", "retry_strategy": "none", "need_manual": true, "callback": body{
			"success": body{"url": to.URL + "/done"}, "error": body{"url": to.URL + "/failed"},
		}})
		other := c.taskType(body{"kind": "pull"})
		submit := func(id string) {
			c.req("tasks.submit", body{"type": code, "id": id, "tenant_id": "1", "creator": id, "category": "k"})
		}
		for _, id := range []string{"a", "b", "c", "d"} {
			submit(id)
		}
		c.req("tasks.submit", body{"type": other, "id": "a"})
		for range 4 {
			task := c.fetchOne(code, "w")
			switch task.text("id") {
			case "c":
				c.report(task, body{"status": "Success"}) // it has no callback
			case "d":
				c.report(task, body{"status": "Error", "error_info": "no"})
			default:
				match(t, "the report", c.report(task, body{"result": 9}), body{"status": "Completed", "accepted": true})
			}
		}
		submit("e")
		to.next(t)
		a, b, d, e := code+"/a Completed", code+"/b Completed", code+"/d Pending", code+"/e New"
		for _, tt := range []struct {
			ask  body
			want []string
		}{
			{body{"type": code}, []string{a, b, d, e}},
			{body{"type": code, "status": "Completed"}, []string{a, b}},
			{body{"type": code, "status": []any{"Completed", "Pending"}}, []string{a, b, d}},
			{body{"type": code, "status": "New"}, []string{e}},
			{body{"type": code, "status": []any{"Completed", "Success"}, "creator": "b", "tenant_id": 1, "category": "k"}, []string{b}},
			{body{"status": "Completed", "tenant_id": 2}, nil},
			{body{"type": other}, []string{other + "/a New"}},
		} {
			for _, limit := range []int{1, 2, 4, 100} {
				if got, want := c.tasks(tt.ask.with(body{"limit": limit})), strings.Join(tt.want, ", "); got != want {
					t.Errorf("%v, %d a page: %s, want %s", tt.ask, limit, got, want)
				}
			}
		}
		row := c.req("tasks.list", body{"type": code, "status": "Completed"}).list("tasks")[0]
		match(t, "a row", row, body{"id": "a", "tenant_id": "1", "result": 9, "error_count": 0})
		match(t, "is what get answers", c.task(code, "a"), row)
		if got := c.finished(code, body{"status": "Completed"}); strings.Count(got, "Completed") != 2 {
			t.Errorf("history has %s", got)
		}
		to.open()
		c.becomes(code, "a", "Success")
		c.becomes(code, "b", "Success")
		if got := c.tasks(body{"type": code, "status": "Completed"}); got != "" {
			t.Errorf("delivered are %s", got)
		}
		if got := c.finished(code, body{"status": "Success"}); strings.Count(got, "Success") != 3 {
			t.Errorf("history has %s", got)
		}
	}
}

// keepResults sets the age of the stream of results.
func (c *client) keepResults(age time.Duration) {
	c.t.Helper()
	js := c.jetStream()
	stream, err := js.Stream(c.t.Context(), "PLAN_RESULTS")
	if err != nil {
		c.t.Fatal(err)
	}
	limits := stream.CachedInfo().Config
	limits.MaxAge, limits.Duplicates = age, min(age, 2*time.Minute)
	if _, err := js.UpdateStream(c.t.Context(), limits); err != nil {
		c.t.Fatal(err)
	}
}

// A task may wait for a person longer than results are kept; its reason is known all the
// same, also after it was processed.
func TestWhyATaskWaitsOutlivesItsResults(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, enc := range []codec{inJSON, inMsgPack} {
		c := connect(t, s, enc)
		c.keepResults(time.Hour)
		code := c.taskType(body{"kind": "pull", "retry_strategy": "none", "need_manual": true})
		for _, id := range []string{"short", "long"} {
			c.req("tasks.submit", body{"type": code, "id": id})
		}
		log := strings.Repeat("no such codec\n", 200)
		for id, why := range map[string]string{"short": "no such codec", "long": log} {
			task := c.fetchOne(code, "w")
			if task.text("id") != id {
				id, why = task.text("id"), map[string]string{"short": "no such codec", "long": log}[task.text("id")]
			}
			c.report(task, body{"error_info": why})
			match(t, "while its result is kept", c.task(code, id), body{"status": "Pending", "error_info": why})
		}
		c.keepResults(time.Second)
		for len(c.runs(code, "short"))+len(c.runs(code, "long")) > 0 {
			c.passed(time.Now().Add(20 * time.Millisecond))
		}
		match(t, "pending", c.task(code, "short"), body{"status": "Pending", "error_count": 1, "error_info": "no such codec"})
		if got := c.task(code, "long").text("error_info"); !strings.HasPrefix(log, got) || len(got) < 1000 {
			t.Errorf("of %d bytes it knows %q", len(log), got)
		}
		match(t, "listed", c.req("tasks.list", body{"type": code, "status": "Pending"}).list("tasks")[1], body{"id": "short", "error_info": "no such codec"})
		c.keepResults(time.Hour)
		c.req("tasks.process", body{"type": code, "id": "short", "remark": "by hand"})
		match(t, "processed", c.task(code, "short"), body{"status": "ManuallyProcessed", "remark": "by hand", "error_info": "no such codec"})
	}
}

// A result that is too large to be kept is refused, by name; the agent may report another
// one, and the task is not executed again because of it.
func TestAResultThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		code := c.taskType(body{"kind": "pull", "retry_strategy": "fixed_period", "retry_interval": 0.01})
		c.req("tasks.submit", body{"type": code, "id": "a"})
		task := c.fetchOne(code, "w")
		report := body{"type": code, "id": "a", "exec_id": task["exec_id"]}
		match(t, "too large", c.refused("tasks.report", report.with(body{"result": strings.Repeat("x", 256<<10)})), body{"code": "too_large", "field": "result"})
		match(t, "the task", c.task(code, "a"), body{"status": "Executing", "exec_id": task["exec_id"], "error_count": 0})
		match(t, "what it says then", c.report(task, body{"result": strings.Repeat("x", 256<<10-10)}), body{"status": "Success"})

		// A log is cut, and the failure is kept all the same.
		c.req("tasks.submit", body{"type": code, "id": "b"})
		match(t, "a long log", c.report(c.fetchOne(code, "w"), body{"status": "Failure", "error_info": strings.Repeat("\n", 200<<10)}), body{"status": "Failure"})
		if got := c.task(code, "b").text("error_info"); len(got) < 100<<10 || strings.Trim(got, "\n") != "" {
			t.Errorf("of the log %d bytes are kept: %.100q", len(got), got)
		}
	})
}

// A task whose result is too large is done, and not done again, because an agent that
// subscribes gets no refusal. A person is asked if the type asks for that.
func TestATaskWhoseResultIsTooLargeIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		for manual, status := range map[bool]string{false: "Failure", true: "Pending"} {
			code := c.taskType(body{"retry_strategy": "fixed_period", "retry_interval": 0.01, "need_manual": manual})
			agent := c.worker(code)
			c.req("tasks.submit", body{"type": code, "id": "a"})
			match(t, "the answer", agent.take().request(body{"state": "ok", "content": strings.Repeat("x", 256<<10)}), body{"ack": true, "accepted": true})
			shown := c.task(code, "a")
			match(t, "the task", shown, body{"status": status, "error_count": 1})
			if why := shown.text("error_info"); !strings.Contains(why, "at most 262144 are kept") {
				t.Errorf("the reason is %q", why)
			}
			match(t, "the run", c.runs(code, "a")[0], map[bool]body{
				false: {"state": "failure", "reason": "retries", "cause": "too_large"}, true: {"state": "error", "reason": "too_large"},
			}[manual])
		}
	})
}

// A list for people begins with the tasks that wait for one, whatever the size of its pages.
func TestTasksAreListedByStatus(t *testing.T) {
	t.Parallel()
	s := start(t, "--partitions", "3")
	c := connect(t, s, inJSON)
	one := c.taskType(body{"kind": "pull", "retry_strategy": "fixed_period", "retry_interval": 3600, "max_error_count": 1, "need_manual": true})
	other := c.taskType(body{"kind": "pull", "retry_strategy": "none", "need_manual": true})
	for _, id := range []string{"a", "b"} {
		c.req("tasks.submit", body{"type": one, "id": id})
		c.req("tasks.submit", body{"type": other, "id": id})
	}
	c.report(c.fetchOne(one, "w"), body{"status": "Error", "error_info": "no"})
	c.report(c.fetchOne(other, "w"), body{"status": "Error", "error_info": "no"})
	c.fetchOne(one, "w")
	c.report(c.fetchOne(other, "w"), body{"status": "Error", "error_info": "no"})
	c.req("tasks.submit", body{"type": other, "id": "c"})
	for _, tt := range []struct {
		ask  body
		want []string
	}{
		{body{}, []string{other + "/a Pending", other + "/b Pending", one + "/a Error", one + "/b Executing", other + "/c New"}},
		{body{"status": []any{"New", "Error"}}, []string{one + "/a Error", other + "/c New"}},
		{body{"type": one}, []string{one + "/a Error", one + "/b Executing"}},
		{body{"status": "Success"}, nil},
	} {
		for _, limit := range []int{1, 2, 3, 100} {
			if got, want := c.tasks(tt.ask.with(body{"order": "status", "limit": limit})), strings.Join(tt.want, ", "); got != want {
				t.Errorf("%v, %d a page: %s, want %s", tt.ask, limit, got, want)
			}
		}
	}
	for _, ask := range []body{{"order": "name"}, {"order": "status", "history": true}} {
		match(t, "refusal", c.refused("tasks.list", ask), body{"code": "invalid_request", "field": "order"})
	}
	match(t, "refusal", c.refused("tasks.list", body{"order": "status", "cursor": "cGE"}), body{"code": "invalid_request", "field": "cursor"})
}
