package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// target answers the calls of jobs: with 201 and a page, or with the status that the path names.
func target(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusCreated
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status) // another path has none
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<script>window.hacked=1</script> %s", r.Method) // the caller may be gone
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// job makes an HTTP cron job that is due in a year, and returns its id.
func (s *server) job(name, url string, more body) string {
	s.t.Helper()
	job := body{"name": name, "cron_expr": "0 0 1 1 *", "target_url": url}
	for field, value := range more {
		job[field] = value
	}
	id, _ := s.rest("POST", "/tasks", job)["id"].(string)
	return id
}

// called has a job make its call, and waits until it has its last run.
func (s *server) called(id string) {
	s.t.Helper()
	s.rest("POST", "/tasks/"+id+"/trigger", body{})
	until(s.t, "the run of "+id, func() bool {
		state, _ := s.rest("GET", "/tasks/"+id+"?state=true", nil)["state"].(map[string]any)
		return state["last_run"] != nil
	})
}

func TestJobs(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-allow", "127.0.0.1")
	url := target(t)
	fine := s.job("fine", url, body{"description": "makes something", "timezone": "Europe/Berlin"})
	broken := s.job("broken", url+"/503", nil)
	s.job("off", url, body{"status": "DISABLED"})
	s.called(fine)
	s.called(broken)
	p := openPage(t, s, "/ui/jobs")
	if got := p.columns("HTTP jobs"); got != "Name, Target, Schedule, Status, Next due, Last status code" {
		t.Errorf("the columns are %s", got)
	}
	rows := map[string][]string{}
	for _, row := range p.rows("HTTP jobs") {
		rows[strings.Fields(row[0])[0]] = row
	}
	for name, want := range map[string][]string{
		"fine": {"makes something", "GET " + url, "0 0 0 1 1 * Europe/Berlin", "ENABLED", "01-01", "201 SUCCESS"},
		"off":  {"", "GET " + url, "UTC", "DISABLED", "", ""}, "broken": {"", url + "/503", "January", "ENABLED", "", "503 FAILED"},
	} {
		for i, part := range want {
			if row := rows[name]; len(row) != len(want) || !strings.Contains(strings.Join(strings.Fields(row[i]), " "), part) {
				t.Errorf("%s: the row is %q, want %q in it", name, row, part)
			}
		}
	}
	p.set("status", "DISABLED")
	until(t, "one row", func() bool { return len(p.rows("HTTP jobs")) == 1 })
	if at, _ := p.eval("location.search").(string); at != "?status=DISABLED" {
		t.Errorf("the filter is at %s", at)
	}
	p.eval("history.back()")
	until(t, "all rows", func() bool { return len(p.rows("HTTP jobs")) == 3 })
	p.goTo("/ui/jobs?name=nothing-has-it")
	p.awaitText("main", "", "name=nothing-has-it")

	p.goTo("/ui/jobs")
	p.click("link", "fine")
	p.find("heading", "fine")
	p.settled()
	p.awaitText("region", "Last answer", "201")
	p.awaitText("region", "Last answer", "SUCCESS")
	p.awaitText("region", "Last answer", "<script>window.hacked=1</script> GET")
	p.awaitText("region", "Why", "is not due yet")
	p.awaitText("main", "", "http/"+fine)
	if links, _ := p.eval(`[...document.querySelectorAll("table[aria-label=Runs] tbody td:first-child a")].map(a => a.pathname)`).([]any); len(links) != 1 || links[0] != "/ui/plans/http/"+fine+"/runs/1" {
		t.Errorf("its runs lead to %v", links)
	}
	if p.eval("window.hacked") != nil {
		t.Error("an answer runs as a script")
	}
	p.goTo("/ui/jobs/broken") // by its name
	p.awaitText("region", "Last answer", "503")
	p.awaitText("region", "Last answer", "FAILED")
	p.awaitText("table", "Runs", "failure")
	p.goTo("/ui/jobs/nothing")
	p.find("heading", "nothing")
	p.awaitText("main", "", "There is no HTTP job of this name")
	p.quiet("404")
}

// Each verb of a job is done by keyboard alone, and REST shows it.
func TestTheVerbsOfAJob(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-allow", "127.0.0.1")
	url := target(t)
	p := openPage(t, s, "/ui/jobs")
	p.tabTo("button", "Create")
	p.press(kb.Enter)
	p.find("dialog", "Create an HTTP job")
	p.write("sync stats")
	p.set("cron_expr", "0 0 1 1 *")
	p.awaitText("table", "Next occurrences", "01-01")
	p.set("target_url", url)
	p.set("headers_json", "{")
	p.click("button", "Test call")
	p.awaitText("region", "Test call", "This is not JSON")
	p.set("headers_json", `{"X-A": "1"}`)
	p.click("button", "Test call")
	p.awaitText("region", "Test call", "201")
	p.awaitText("region", "Test call", "<script>window.hacked=1</script> GET")
	p.set("target_url", url)
	p.press(kb.Enter)
	p.find("heading", "sync stats")
	p.settled()
	job := func() body { return s.rest("GET", "/tasks/sync%20stats", nil) }
	if j := job(); j["target_url"] != url || j["headers_json"] != `{"X-A":"1"}` || j["timeout_seconds"] != 15.0 {
		t.Errorf("the new job is %v", j)
	}

	p.tabTo("button", "Trigger")
	p.press(kb.Enter)
	p.awaitText("status", "", "sync stats is triggered: run 1.")
	p.awaitText("region", "Last answer", "SUCCESS")

	if found := p.all("button", "Enable"); len(found) > 0 {
		t.Error("a job that is enabled can be enabled")
	}
	p.tabTo("button", "Disable")
	p.press(kb.Enter)
	p.find("dialog", "Disable sync stats")
	p.write("the target moves")
	p.press(kb.Enter)
	p.find("button", "Enable")
	p.gone("button", "Disable")
	if paused, _ := s.plan("http", job()["id"].(string))["paused"].(map[string]any); job()["status"] != "DISABLED" || paused["note"] != "the target moves" {
		t.Errorf("the job is %v, its plan %v", job()["status"], paused)
	}
	p.tabTo("button", "Enable")
	p.press(kb.Enter)
	p.find("button", "Disable")
	if job()["status"] != "ENABLED" {
		t.Errorf("the job is %v", job()["status"])
	}

	p.tabTo("button", "Change")
	p.press(kb.Enter)
	p.find("dialog", "Change sync stats")
	p.write("for the report")
	p.set("timeout_seconds", "3")
	s.rest("PATCH", "/tasks/sync%20stats", body{"success_status": []any{201}})
	p.press(kb.Enter)
	p.awaitText("alert", "", "was changed meanwhile")
	if rows := p.rows("Changes"); !slices.ContainsFunc(rows, func(r []string) bool { return r[0] == "success_status" }) {
		t.Errorf("it was changed, it says, by %q", rows)
	}
	p.press(kb.Enter)
	p.gone("dialog", "Change sync stats")
	if j := job(); j["description"] != "for the report" || j["timeout_seconds"] != 3.0 || fmt.Sprint(j["success_status"]) != "[201]" || j["headers_json"] != `{"X-A":"1"}` {
		t.Errorf("the changed job is %v", j)
	}
	p.awaitText("main", "", "for the report")

	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.awaitText("dialog", "Delete sync stats", "The job is gone at once")
	p.press(kb.Escape)
	p.gone("dialog", "Delete sync stats")
	job()
	p.click("button", "Delete")
	p.find("dialog", "Delete sync stats")
	p.press(kb.Enter)
	p.find("heading", "HTTP jobs")
	if code, _ := s.ask("GET", "/tasks/sync%20stats", nil); code != 404 {
		t.Errorf("deleted it is answered %d", code)
	}
	p.quiet("412", "404")
}

// A reader sees jobs, and no verb.
func TestAReaderOfJobsSeesNoVerb(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	id := s.job("fine", "https://example.org/", nil)
	p := openPage(t, s, "/ui/login?next=/ui/jobs")
	p.logIn(readerToken)
	p.find("table", "HTTP jobs")
	for _, path := range []string{"/ui/jobs", "/ui/jobs/" + id} {
		p.goTo(path)
		p.awaitText("main", "", "fine")
		if len(p.all("group", "Actions"))+len(p.all("button", "Create")) > 0 {
			t.Errorf("%s has verbs", path)
		}
	}
	p.quiet("401")
}

// Names and addresses of jobs are shown as texts.
func TestHostileJobsAreText(t *testing.T) {
	t.Parallel()
	s := serve(t)
	made := 0
	for i, text := range hostile {
		if code, _ := s.ask("POST", "/tasks", body{"name": fmt.Sprint(i, text), "description": text, "cron_expr": "0 0 1 1 *", "target_url": "https://example.org/?a=" + strings.ToValidUTF8(text, ""), "body_template": text}); code == 201 {
			made++
		}
	}
	if made < 20 {
		t.Fatalf("%d jobs were made", made)
	}
	p := openPage(t, s, "/ui/jobs")
	for _, path := range []string{"/ui/jobs", "/ui/jobs?lang=zh", "/ui/jobs?name=%3Cscript%3E", "/ui/jobs/0%3Cscript%3Ewindow.hacked=1%3C%2Fscript%3E", "/ui/jobs/%E2%80%AE"} {
		p.goTo(path)
		if p.eval("window.hacked") != nil || p.eval(`document.querySelectorAll("main script, main img, main iframe").length`) != 0.0 {
			t.Errorf("%s runs what others wrote", path)
		}
		if hidden := p.eval(`/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff\u0000-\u0008\u001b]/.exec(document.body.innerText)?.[0] ?? ""`); hidden != "" {
			t.Errorf("%s shows the character %+q as it is", path, hidden)
		}
	}
	p.quiet("404")
}
