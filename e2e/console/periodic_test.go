package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// periodic makes a periodic task that is due in a year.
func (s *server) periodic(id, station string, more body) {
	s.t.Helper()
	task := body{"type": station, "cron_expressions": "0 0 1 1 *"}
	for field, value := range more {
		task[field] = value
	}
	s.rest("PUT", "/periodic-tasks/"+id, task)
}

// triggered has a periodic task's plan triggered, and waits until its log shows the end.
func (s *server) triggered(id, station string) {
	s.t.Helper()
	s.rest("POST", "/plans/"+station+"/periodic_"+id+"/trigger", body{})
	until(s.t, "the log of "+id, func() bool {
		rows, _ := s.rest("GET", "/periodic-tasks/"+id+"/logs", nil)["logs"].([]any)
		return len(rows) > 0 && rows[0].(map[string]any)["result"] != "executing"
	})
}

func TestPeriodicTasks(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := serve(t)
	s.work("bills", `case "$PLAN_KEY" in *bad*) echo "no paper" >&2; exit 1;; esac; echo done`)
	s.periodic("nightly", "bills", body{"log": "trans_log", "timezone": "Europe/Berlin", "ext": body{"full": true}})
	s.periodic("bad", "bills", body{"log": "trans_log"})
	s.periodic("idle", "mail", nil)
	for _, id := range []string{"nightly", "bad"} {
		s.rest("POST", "/periodic-tasks/"+id+"/online", body{})
		s.triggered(id, "bills")
	}
	p := openPage(t, s, "/ui/periodic")
	if got := p.columns("Periodic tasks"); got != "Name, Status, Type, Schedule, Log, Changed" {
		t.Errorf("the columns are %s", got)
	}
	rows := map[string][]string{}
	for _, row := range p.rows("Periodic tasks") {
		rows[strings.TrimSpace(row[0])] = row
	}
	for id, want := range map[string]string{"nightly": "online bills 0 0 1 1 * Europe/Berlin trans_log", "idle": "new mail 0 0 1 1 * UTC none"} {
		if row := rows[id]; len(row) != 6 || !strings.HasPrefix(strings.Join(strings.Fields(strings.Join(row[1:], " ")), " "), want) {
			t.Errorf("%s: the row is %q, want %q", id, row, want)
		}
	}
	p.set("status", "new")
	until(t, "one row", func() bool { return len(p.rows("Periodic tasks")) == 1 })
	p.goTo("/ui/periodic")
	p.click("link", "nightly")
	p.find("heading", "nightly")
	p.settled()
	if n := len(p.rows("Next occurrences")); n != 5 {
		t.Errorf("%d next times are shown", n)
	}
	p.awaitText("main", "", "January")
	p.awaitText("main", "", "full: true")
	if rows := p.rows("Trigger log"); len(rows) != 1 || !strings.Contains(rows[0][1], "success") {
		t.Errorf("its log is %q", rows)
	}
	for _, v := range p.violations(axe) {
		t.Error(v)
	}
	p.goTo("/ui/periodic/bad")
	if rows := p.rows("Trigger log"); len(rows) != 1 || !strings.Contains(rows[0][1], "failure") || !strings.Contains(rows[0][3], "no paper") {
		t.Errorf("the log of a failure is %q", rows)
	}
	p.goTo("/ui/periodic/idle")
	p.awaitText("table", "Next occurrences", "paused")
	p.awaitText("main", "", "Nothing is logged.")
	p.goTo("/ui/periodic/nothing")
	p.awaitText("main", "", "There is no periodic task of this name.")
	p.quiet("404")
}

// Each verb of a periodic task is done by keyboard alone, and REST shows it.
func TestTheVerbsOfAPeriodicTask(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/periodic")
	p.tabTo("button", "Put a periodic task")
	p.press(kb.Enter)
	p.find("dialog", "Put a periodic task")
	p.write("nightly")
	p.set("type", "bills")
	p.set("cron_expressions", "0 0 1 1 *")
	p.awaitText("table", "Next occurrences", "01-01")
	p.set("ext", `{"full": 9007199254740993}`)
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("heading", "nightly")
	p.settled()
	task := func() body { return s.rest("GET", "/periodic-tasks/nightly", nil) }
	if got := task(); got["status"] != "new" || got["type"] != "bills" || got["log"] != "none" {
		t.Errorf("the new task is %v", got)
	}
	p.awaitText("main", "", "9007199254740993")

	if found := p.all("button", "Offline"); len(found) > 0 {
		t.Error("a new task can be put offline")
	}
	p.tabTo("button", "Online")
	p.press(kb.Enter)
	p.find("button", "Offline")
	p.gone("button", "Online")
	if task()["status"] != "online" {
		t.Errorf("the task is %v", task()["status"])
	}

	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("dialog", "Put nightly")
	p.set("log", "trans_log")
	p.set("category", "night")
	s.periodic("nightly", "bills", body{"creator": "ann"}) // meanwhile
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.gone("dialog", "Put nightly")
	if got := task(); got["log"] != "trans_log" || got["category"] != "night" || got["creator"] != "ann" || got["status"] != "online" {
		t.Errorf("put again it is %v", got)
	}

	p.tabTo("button", "Offline")
	p.press(kb.Enter)
	p.find("button", "Online")
	if task()["status"] != "offline" {
		t.Errorf("the task is %v", task()["status"])
	}

	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.awaitText("dialog", "Delete nightly", "The task is gone at once")
	p.press(kb.Escape)
	p.gone("dialog", "Delete nightly")
	task()
	p.click("button", "Delete")
	p.find("dialog", "Delete nightly")
	p.press(kb.Enter)
	p.find("heading", "Periodic tasks")
	if code, _ := s.ask("GET", "/periodic-tasks/nightly", nil); code != 404 {
		t.Errorf("deleted it is answered %d", code)
	}
	p.quiet("404")
}

// A reader sees periodic tasks, and no verb; texts of others are texts.
func TestAReaderOfPeriodicTasks(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	s.periodic("nightly", "bills", body{"ext": hostile[:40], "category": "pay\u202eload"})
	for i := range 10 {
		s.ask("PUT", "/periodic-tasks/"+fmt.Sprint("h", i), body{"type": "bills", "cron_expressions": "0 0 1 1 *", "ext": hostile[i], "category": hostile[i]})
	}
	p := openPage(t, s, "/ui/login?next=/ui/periodic")
	p.logIn(readerToken)
	p.find("table", "Periodic tasks")
	for _, path := range []string{"/ui/periodic", "/ui/periodic/nightly", "/ui/periodic/h0", "/ui/periodic/%3Cscript%3E", "/ui/periodic?type=%3Cscript%3E"} {
		p.goTo(path)
		if len(p.all("group", "Actions"))+len(p.all("button", "Put a periodic task")) > 0 {
			t.Errorf("%s has verbs", path)
		}
		if p.eval("window.hacked") != nil || p.eval(`document.querySelectorAll("main script, main img, main iframe").length`) != 0.0 {
			t.Errorf("%s runs what others wrote", path)
		}
		if hidden := p.eval(`/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff\u0000-\u0008\u001b]/.exec(document.body.innerText)?.[0] ?? ""`); hidden != "" {
			t.Errorf("%s shows the character %+q as it is", path, hidden)
		}
	}
	p.quiet("404", "400", "401")
}
