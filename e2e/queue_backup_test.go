package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The folder of a stopped program holds its queues. A node that is started on a copy has every
// queue with its items, in their order.
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
	if code != 0 || !strings.HasPrefix(out, "exported 0 stations and 3 plans with 60 items") || errs != "" {
		t.Errorf("export: exit code %d, %q %q", code, out, errs)
	}
	if out, errs, code := command(t, "", "import", "-f", file, "--dry-run"); code != 0 || !strings.HasPrefix(out, "the backup holds 0 stations and 3 plans with 60 items") {
		t.Errorf("import --dry-run: exit code %d, %q %q", code, out, errs)
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

// A backup has the items that wait in inboxes, and a restore in another installation makes them
// wait again, in their order and to their time. Merge queues, those of keys that do not merge,
// and plans that are pushed to in either encoding have such items. Task types come back with
// their tasks. Undelivered callbacks are left out, and counted, because a restored one would be
// signed, and a backup can be forged.
func TestABackupRestoresItemsOfInboxes(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, packed := connect(t, s, inJSON), connect(t, s, inMsgPack)
	later := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for n := range 450 { // three pages
		c.req("queues.push", body{"key": "held", "task": n, "data": body{"last": n}})
	}
	for n := range 3 {
		c.req("queues.push", body{"key": "told", "task": body{"n": n, "f": 1.50}, "station": "w", "ontime": later.Unix(), "abandon_after": 7200})
		c.req("queues.push", body{"key": "-single", "task": n, "station": "w", "ontime": later.Unix()})
		packed.req("plans.push", body{
			"station": "w", "plan_id": "p", "item": []byte{byte(n), 0xff}, "plan_time": later, "plan": body{"command": "c", "batch": 2},
		})
	}
	for _, task := range []string{"{\n  \"over\": \"lines\"\n}", "2"} {
		if _, err := c.nc.Request("queues.push", []byte(`{"key":"lines","data":{`+"\n"+`"b":1},"task":`+task+"}"), patience); err != nil {
			t.Fatal(err)
		}
	}
	packed.req("queues.push", body{"key": "packed", "task": []byte{0xff}, "data": body{"blob": []byte{0, 0xff}}})
	c.req("queues.push", body{"key": "locked", "task": "half done"})
	c.req("queues.get", body{"key": "locked", "timeout": 3600, "random": "r"})
	c.req("stations.put", body{"station": "w", "callback": body{"success": body{"url": "http://127.0.0.1:1/taken-by-nobody", "method": "POST"}}})
	work, results := c.worker("w"), c.listen("plan.result.w.done")
	c.req("plans.create", body{"station": "w", "plan_id": "done", "command": "c", "plan_type": "none"})
	work.take().send(body{"state": "ok", "content": body{"done": true}})
	results.msg()
	kind := body{"code": "transcode", "name": "Film", "config": body{"kind": "pull", "timeout_seconds": 60, "callback": body{"success": body{"url": "https://example.org/done"}}}}
	c.req("task_types.put", kind)
	c.req("tasks.submit", body{"type": "transcode", "id": "4711"})
	file := filepath.Join(t.TempDir(), "backup.jsonl")
	if out, errs, code := command(t, "", "export", "--out", file, "--nats-url", "nats://"+s.nats); code != 0 || !strings.Contains(out, "with 463 items") || !strings.HasPrefix(errs, "1 callbacks that are not delivered yet are not in the backup") {
		t.Errorf("export: exit code %d, %q %q", code, out, errs)
	}
	forged := c.req("plans.items", body{"station": "callback.w", "plan_id": "done"})
	for _, p := range c.req("plans.export", body{}).list("plans") {
		if p.obj("plan").text("plan_id") == "done" && p.has("inbox") {
			p["items"] = forged
			if answer := c.req("plans.restore", body{"plans": []any{p}}); len(answer.list("errors")) != 1 {
				t.Errorf("a callback was restored: %v", answer)
			}
		}
	}
	s.kill9()

	again := start(t)
	if out, errs, code := command(t, "", "import", "-f", file, "--nats-url", "nats://"+again.nats); code != 0 || !strings.HasPrefix(out, "restored 2 stations and 10 plans with 463 items, kept none") {
		t.Errorf("import: exit code %d, %q %q", code, out, errs)
	}
	c, packed = connect(t, again, inJSON), connect(t, again, inMsgPack)
	got := c.req("queues.get", body{"key": "held", "number": 1000, "timeout": 60, "random": "r"})
	tasks, _ := got["tasks"].([]any)
	for n, task := range tasks {
		if fmt.Sprint(task) != fmt.Sprint(n) {
			t.Fatalf("the tasks are %v", tasks)
		}
	}
	if len(tasks) != 450 || got.obj("data").int("last") != 449 {
		t.Errorf("restored are %d tasks, with %v", len(tasks), got.obj("data"))
	}
	match(t, "a queue of a station", c.req("queues.info", body{"key": "told"}), body{"length": 3, "ontime": later.Unix(), "station": "w"})
	match(t, "what was handed over", c.req("queues.get", body{"key": "locked", "timeout": 60, "random": "other"}), body{"tasks": []any{"half done"}})
	match(t, "a plan that is pushed to", packed.req("plans.items", body{"station": "w", "plan_id": "p"}), body{
		"items": []any{[]byte{0, 0xff}, []byte{1, 0xff}, []byte{2, 0xff}},
	})
	match(t, "what was written over lines", c.req("queues.get", body{"key": "lines", "number": 9, "timeout": 60, "random": "r"}), body{
		"tasks": []any{body{"over": "lines"}, 2}, "data": body{"b": 1},
	})
	match(t, "data in MessagePack", packed.req("queues.get", body{"key": "packed", "timeout": 60, "random": "r"}), body{
		"tasks": []any{[]byte{0xff}}, "data": body{"blob": []byte{0, 0xff}},
	})
	match(t, "a task type", c.req("task_types.get", body{"code": "transcode"}), kind)
	match(t, "a task", c.req("tasks.get", body{"type": "transcode", "id": "4711"}), body{"status": "New"})
	if singles := c.req("queues.list", body{"text": "-single"}).list("queues"); len(singles) != 3 {
		t.Errorf("of three that do not merge, there are %v", singles)
	}

	if out, errs, code := command(t, "", "import", "-f", file, "--on-conflict", "keep", "--nats-url", "nats://"+again.nats); code != 0 || !strings.HasPrefix(out, "restored 0 stations and 0 plans, kept 2 stations and 10 plans") {
		t.Errorf("import again: exit code %d, %q %q", code, out, errs)
	}
	match(t, "what was kept", c.req("queues.info", body{"key": "told"}), body{"length": 3})
}

// A restore as paused, and its resume, leave the state of the backup. A plan that a user had
// paused stays paused, and a further export has no pause that has ended.
func TestAResumeOfAnImportTakesWhatItPaused(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	later := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for _, key := range []string{"goes", "stands"} {
		c.req("queues.push", body{"key": key, "task": 1, "station": "w", "ontime": later.Unix()})
	}
	for _, id := range []string{"ours", "theirs", "gone"} {
		c.create(body{"station": "w", "plan_id": id, "command": "c", "plan_type": "cron", "cron": "@yearly"})
	}
	for _, q := range c.req("queues.list", body{"text": "stands"}).list("queues") {
		c.req("plans.pause", name("w", q.text("plan_id")))
	}
	c.req("calendars.put", body{"calendar_id": "off", "days": []any{body{"yearly": "12-25"}}})
	file, _ := export(t, s)
	s.kill9()

	again := start(t)
	c = connect(t, again, inJSON)
	url := "nats://" + again.nats
	c.create(body{"station": "w", "plan_id": "theirs", "command": "c", "plan_type": "cron", "cron": "@yearly"})
	c.req("plans.pause", name("w", "theirs"))
	if out, errs, code := command(t, "", "import", "-f", file, "--paused", "--on-conflict", "keep", "--nats-url", url); code != 0 || !strings.HasPrefix(out, "restored 1 calendars, 0 stations and 4 plans with 2 items, kept 0 stations and 1 plans") {
		t.Fatalf("import: exit code %d, %q %q", code, out, errs)
	}
	for _, key := range []string{"goes", "stands"} {
		match(t, key, c.req("queues.info", body{"key": key}), body{"status": "paused", "ontime": later.Unix()})
	}
	c.req("plans.remove", name("w", "gone"))
	out, errs, code := command(t, "", "import", "-f", file, "--resume", "--nats-url", url)
	if code != 0 || !strings.HasPrefix(out, "resumed 2 of 4 plans that the backup has as not paused; 1 was left paused") || !strings.Contains(errs, "w/theirs was not paused by import --paused") || !strings.Contains(errs, "w/gone is not here") {
		t.Errorf("resume: exit code %d, %q %q", code, out, errs)
	}
	file, _ = export(t, again)
	again.kill9()

	third := start(t)
	c = connect(t, third, inJSON)
	if out, errs, code := command(t, "", "import", "-f", file, "--nats-url", "nats://"+third.nats); code != 0 {
		t.Errorf("import: exit code %d, %q %q", code, out, errs)
	}
	match(t, "goes", c.req("queues.info", body{"key": "goes"}), body{"status": "queued", "ontime": later.Unix()})
	match(t, "stands", c.req("queues.info", body{"key": "stands"}), body{"status": "paused", "ontime": later.Unix()})
	for id, want := range map[string]string{"ours": "queued", "theirs": "paused"} {
		match(t, id, c.req("plans.get", name("w", id)).obj("state"), body{"status": want})
	}
}
