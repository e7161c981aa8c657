package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// withTasks makes a type of tasks with one task that is new, and others that an agent has, that failed, that
// wait for a person, and that are over; and a secret.
func withTasks(s *server) {
	s.t.Helper()
	s.rest("PUT", "/task-types/review", body{"name": "Review of a page", "config": body{"retry_strategy": "none", "need_manual": true}})
	s.rest("PUT", "/task-types/translate", body{"config": body{"retry_strategy": "fixed_period", "retry_interval": 3600}})
	submit := func(kind, id string) {
		s.rest("POST", "/async-tasks", body{"type": kind, "id": id, "creator": "ann", "ext": body{"page": id}})
	}
	submit("review", "pending")
	s.report("review", body{"status": "Error", "error_info": "no such page"})
	submit("review", "done")
	s.report("review", body{"status": "Success", "result": body{"pages": 12}})
	submit("review", "executing")
	s.fetch("review")
	submit("translate", "failed")
	s.report("translate", body{"status": "Error", "error_info": "no dictionary"})
	submit("translate", "new")
	s.rest("PUT", "/secrets/key", body{"value": "0123456789-concealed", "hosts": []string{"api.example.org"}})
}

// fetch takes a task as an agent does.
func (s *server) fetch(kind string) map[string]any {
	s.t.Helper()
	var task map[string]any
	until(s.t, "a task to fetch", func() bool {
		found, _ := s.rest("POST", "/async-tasks/fetch", body{"worker_id": "w1", "type": kind, "limit": 1})["tasks"].([]any)
		if len(found) == 1 {
			task, _ = found[0].(map[string]any)
		}
		return task != nil
	})
	return task
}

// report fetches a task and reports its outcome.
func (s *server) report(kind string, outcome body) {
	s.t.Helper()
	task := s.fetch(kind)
	outcome["exec_id"] = task["exec_id"]
	s.rest("POST", fmt.Sprintf("/async-tasks/%s/%s/report", kind, task["id"]), outcome)
}

// task is the status and the remark of a task.
func (s *server) task(kind, id string) string {
	_, t := s.ask("GET", "/async-tasks/"+kind+"/"+id, nil)
	remark, _ := t["remark"].(string)
	status, _ := t["status"].(string)
	return strings.TrimSpace(status + " " + remark)
}

func TestTasks(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/tasks")
	p.awaitText("main", "", "stationmaster task submit")
	withTasks(s)
	p.goTo("/ui/tasks")
	names := func() (all []string) {
		for _, row := range p.rows("Tasks") {
			all = append(all, row[0]+" "+row[1])
		}
		return all
	}
	want := []string{"review/pending Pending", "translate/failed Error", "review/executing Executing", "translate/new New"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("the list has %q, want %q", got, want)
	}
	p.goTo("/ui/tasks?limit=3")
	p.click("link", "Next page")
	until(t, "the last task", func() bool { return slices.Equal(names(), want[3:]) })
	p.goTo("/ui/tasks")
	p.set("status", "Pending")
	until(t, "those that wait", func() bool { return slices.Equal(names(), want[:1]) })
	p.click("checkbox", "Finished ones")
	p.set("status", "")
	until(t, "those that are over", func() bool { return slices.Equal(names(), []string{"review/done Success"}) })
	p.click("link", "review/done")
	p.find("heading", "review/done")
	p.awaitText("main", "", "pages: 12")
	p.goTo("/ui/tasks/review/pending")
	p.awaitText("main", "", "no such page")
	p.goTo("/ui/tasks/review/nothing")
	p.awaitText("main", "", "There is no task of this name")
	p.quiet("404")
}

// Every verb of a task, by keyboard alone, and REST shows it.
func TestVerbsOfATask(t *testing.T) {
	t.Parallel()
	s := serve(t)
	withTasks(s)
	p := openPage(t, s, "/ui/tasks/review/pending")
	p.tabTo("button", "Retry")
	p.press(kb.Enter)
	until(t, "a new try", func() bool { return s.task("review", "pending") == "New" })
	p.gone("button", "Process")
	s.report("review", body{"status": "Error", "error_info": "again"})
	p.find("button", "Process")
	p.tabTo("button", "Process")
	p.press(kb.Enter)
	p.find("dialog", "Process review/pending")
	p.press(kb.Escape)
	p.gone("dialog", "Process review/pending")
	if got := s.task("review", "pending"); got != "Pending" {
		t.Fatalf("Esc makes it %s", got)
	}
	p.tabTo("button", "Process")
	p.press(kb.Enter)
	p.find("dialog", "Process review/pending")
	p.write("by hand")
	p.press(kb.Enter)
	until(t, "the remark", func() bool { return s.task("review", "pending") == "ManuallyProcessed by hand" })
	p.awaitText("main", "", "by hand")
	p.gone("group", "Actions")
	p.goTo("/ui/tasks/review/executing")
	p.tabTo("button", "Cancel")
	p.press(kb.Enter)
	p.find("dialog", "Cancel review/executing")
	p.write("not wanted")
	p.press(kb.Enter)
	until(t, "the end", func() bool { return s.task("review", "executing") == "Cancelled not wanted" })
	p.goTo("/ui/tasks")
	p.tabTo("button", "Submit a task")
	p.press(kb.Enter)
	p.find("dialog", "Submit a task")
	p.set("type", "translate")
	p.set("id", "fresh")
	p.set("ext", `{"n": 9007199254740993}`)
	p.tabTo("button", "Submit")
	p.press(kb.Enter)
	p.find("heading", "translate/fresh")
	p.awaitText("main", "", "9007199254740993")
	if got := s.task("translate", "fresh"); got != "New" {
		t.Errorf("the task that was submitted is %s", got)
	}
	p.quiet()
}

// Types are put and deleted; members that the form has not stay, and a secret is shown nowhere.
func TestTaskTypesArePutAndDeleted(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/task-types")
	p.tabTo("button", "Put a task type")
	p.press(kb.Enter)
	p.find("dialog", "Put a task type")
	p.write("review")
	p.set("config.need_manual", "true")
	p.set("config.retry_sequence", "1, 10")
	p.set("config.retry_strategy", "sequence")
	p.set("config.callback.success.url", "https://example.org/done")
	p.set("config.callback.security.type", "aksk")
	p.set("config.callback.security.ak", "us")
	p.set("config.callback.security.sk", "0123456789abcdef-concealed")
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("region", "review")
	config := func() body { c, _ := s.rest("GET", "/task-types/review", nil)["config"].(map[string]any); return c }
	if c := config(); c["need_manual"] != true || fmt.Sprint(c["retry_sequence"]) != "[1 10]" || c["callback"] == nil {
		t.Errorf("the new type has %v", c)
	}
	s.rest("PUT", "/task-types/review", body{"id": 7, "config": config()})
	p.goTo("/ui/task-types?code=review")
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("dialog", "Put review")
	p.set("config.retry_sequence", "")
	p.set("config.retry_strategy", "")
	p.set("category", "text")
	p.press(kb.Enter)
	p.gone("dialog", "Put review")
	c := config()
	if callback := fmt.Sprint(c["callback"]); c["retry_sequence"] != nil || c["retry_strategy"] != nil || c["need_manual"] != true || !strings.Contains(callback, "ak:us") {
		t.Errorf("changed, it has %v", c)
	}
	if id := s.rest("GET", "/task-types/review", nil)["id"]; id != "7" {
		t.Errorf("its id is %v", id)
	}
	p.awaitText("region", "review", "text")
	if p.eval(`document.documentElement.outerHTML.includes("-concealed")`) == true {
		t.Error("the page has the secret")
	}
	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.find("dialog", "Delete review")
	p.press(kb.Enter)
	until(t, "no type", func() bool { code, _ := s.ask("GET", "/task-types/review", nil); return code == 404 })
	p.gone("region", "review")
	p.quiet("404")
}

// Secrets are put and deleted, and no value of one is shown.
func TestSecretsAreWrittenAlone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/task-types")
	p.tabTo("button", "Put a secret")
	p.press(kb.Enter)
	p.find("dialog", "Put a secret")
	p.write("key")
	p.set("value", "0123456789-concealed")
	p.set("hosts", "api.example.org, 10.0.0.1:8443")
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("link", "key")
	hosts := func() string { return fmt.Sprint(s.rest("GET", "/secrets", nil)["secrets"]) }
	if got := hosts(); !strings.Contains(got, "10.0.0.1:8443") {
		t.Errorf("secrets are %s", got)
	}
	p.click("link", "key")
	p.find("region", "key")
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("dialog", "Put key")
	p.write("another-concealed")
	p.set("hosts", "other.example.org")
	p.press(kb.Enter)
	p.gone("dialog", "Put key")
	if got := hosts(); !strings.Contains(got, "other.example.org") {
		t.Errorf("secrets are %s", got)
	}
	if p.eval(`document.documentElement.outerHTML.includes("-concealed")`) == true {
		t.Error("the page has the value")
	}
	s.create("http", "call", body{"command": "http", "messages": []any{body{"target_url": "https://other.example.org/", "headers": body{"X-Key": "{{secret:key}}"}}}})
	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.awaitText("dialog", "Delete key", "http/call")
	p.press(kb.Enter)
	p.gone("link", "key")
	if got := hosts(); got != "[]" {
		t.Errorf("secrets are %s", got)
	}
	p.quiet()
}

// Names and contents of others are shown as texts.
func TestHostileTasksAreText(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.rest("PUT", "/task-types/review", body{"name": strings.Join(hostile[:40], " "), "category": hostile[0], "config": body{"retry_strategy": "none", "need_manual": true}})
	for i, text := range hostile[:60] {
		s.rest("POST", "/async-tasks", body{"type": "review", "id": fmt.Sprint(i), "creator": text, "tenant_id": text, "ext": body{text: text}})
		s.report("review", body{"status": "Error", "error_info": text})
	}
	s.rest("POST", "/async-tasks/review/1/process", body{"remark": hostile[0]})
	for _, path := range []string{
		"/ui/tasks", "/ui/tasks?lang=zh", "/ui/tasks?type=" + url.QueryEscape(hostile[0]), "/ui/tasks?history=true", "/ui/tasks/review/0", "/ui/tasks/review/1", "/ui/tasks/review/40",
		"/ui/tasks/" + url.PathEscape(hostile[0]) + "/" + url.PathEscape(hostile[1]), "/ui/task-types", "/ui/task-types?code=review", "/ui/task-types?code=" + url.QueryEscape(hostile[0]),
	} {
		openPage(t, s, path).harmless(path)
	}
}

// A reader sees tasks and types, no verb, and not even the names of secrets.
func TestAReaderOfTasksSeesNoVerb(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	withTasks(s)
	p := openPage(t, s, "/ui/login?next=%2Fui%2Ftasks%2Freview%2Fpending")
	p.logIn(readerToken)
	p.awaitText("main", "", "no such page")
	for _, path := range []string{"/ui/tasks", "/ui/tasks/review/pending", "/ui/task-types", "/ui/task-types?code=review"} {
		p.goTo(path)
		if len(p.all("group", "Actions"))+len(p.all("button", "Submit a task"))+len(p.all("button", "Put a task type"))+len(p.all("table", "Secrets of HTTP calls")) > 0 {
			t.Errorf("%s has verbs", path)
		}
	}
	p.quiet("401")
}
