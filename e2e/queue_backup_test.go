package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An export says what it leaves out, and the folder of a program that was stopped holds
// it: a node that is started on a copy has every queue with its items, in their order.
func TestACopyOfTheFolderHoldsItsQueues(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	later := time.Now().Add(time.Hour).Unix()
	for n := range 30 {
		c.req("queues.push", body{"key": "held", "task": n, "data": body{"last": n}})
		c.req("queues.push", body{"key": "due", "task": strings.Repeat("x", 30<<10), "station": "w", "ontime": later})
	}
	c.req("plans.create", body{"station": "w", "plan_id": "p", "command": "c", "plan_type": "hour", "plan_value": 5, "plan_repet": -1})
	file := filepath.Join(t.TempDir(), "backup.jsonl")
	out, errs, code := command(t, "", "export", "--out", file, "--nats-url", "nats://"+s.nats)
	if code != 0 || !strings.HasPrefix(out, "exported 0 stations and 1 plans") || !strings.HasPrefix(errs, "2 merge queues with 60 items are not in the backup") {
		t.Errorf("export: exit code %d, %q %q", code, out, errs)
	}
	if _, errs, code := command(t, "", "import", "-f", file, "--dry-run"); code != 0 {
		t.Errorf("import --dry-run: exit code %d, %q", code, errs)
	}
	exported := c.req("plans.export", body{})
	for _, p := range exported.list("plans") {
		if p.obj("plan").text("category") == "queue" {
			match(t, "an export of a queue", p, body{"record": absent})
			if answer := c.req("plans.restore", body{"plans": []any{p}}); len(answer.list("errors")) != 1 || answer.int("created") != 0 {
				t.Errorf("a queue without its items was restored: %v", answer)
			}
		}
	}

	if code := s.terminate(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(s.dir)); err != nil {
		t.Fatal(err)
	}
	again, err := launch(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.kill9)
	c = connect(t, again, inJSON)
	got := c.req("queues.get", body{"key": "held", "number": 100, "timeout": 60, "random": "r"})
	tasks, _ := got["tasks"].([]any)
	for n, task := range tasks {
		if fmt.Sprint(task) != fmt.Sprint(n) {
			t.Fatalf("the tasks are %v", tasks)
		}
	}
	if len(tasks) != 30 || got.obj("data").int("last") != 29 {
		t.Errorf("the copy has %v", got)
	}
	match(t, "the other queue", c.req("queues.info", body{"key": "due"}), body{"length": 30, "ontime": later, "station": "w", "status": "queued"})
}
