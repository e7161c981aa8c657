package console

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// work starts a worker of a station, which is killed when the test ends.
func (s *server) work(station, script string) {
	s.t.Helper()
	worker := exec.Command(binary, "work", "--nats-url", s.nats, "--station", station, "--id", station+"-1", "--", "sh", "-c", script)
	if err := worker.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = worker.Process.Kill() // it may have ended
		_ = worker.Wait()
	})
}

// once has a plan run, and waits until it has settled.
func (s *server) once(station, id string) {
	s.t.Helper()
	s.rest("POST", "/plans/"+station+"/"+id+"/trigger", body{})
	until(s.t, "the run of "+station+"/"+id, func() bool { _, open := s.plan(station, id)["open"]; return !open })
}

// ended starts a program with runs that have ended in several ways, one ok, one error and one
// skip.
func ended(t *testing.T, args ...string) *server {
	s := serve(t, args...)
	s.work("mail", `case "$PLAN_KEY" in *bad*) echo "no disk" >&2; exit 1;; esac; echo done`)
	s.create("mail", "good", nil)
	s.create("mail", "bad", body{"retry": body{"strategy": "none"}})
	s.create("nobody", "waits", body{"overlap": "skip", "start_timeout": 0})
	s.once("mail", "good")
	s.once("mail", "bad")
	s.rest("POST", "/plans/nobody/waits/trigger", body{})
	until(t, "a run that waits for a worker", func() bool { return s.plan("nobody", "waits")["waits"] != nil }) // the next replaces it then
	s.rest("POST", "/plans/nobody/waits/trigger", body{})
	until(t, "three runs", func() bool { runs, _ := s.rest("GET", "/runs", nil)["runs"].([]any); return len(runs) == 3 })
	return s
}

// columns returns the headers of a table.
func (p *page) columns(name string) string {
	p.t.Helper()
	text, _ := p.call(p.find("table", name), `function() { return [...this.tHead.rows[0].cells].map(c => c.innerText).join(", ") }`).(string)
	return text
}

func TestRunsOfAllPlans(t *testing.T) {
	t.Parallel()
	s := ended(t)
	p := openPage(t, s, "/ui/runs")
	if got := p.columns("Runs"); got != "Plan, Run, State, Reason, Due, Started, Took, Worker" {
		t.Errorf("the columns are %s", got)
	}
	plans := func() (names []string) {
		for _, row := range p.rows("Runs") {
			names = append(names, row[0]+" "+row[2])
		}
		return names
	}
	shows := func(what string, want ...string) {
		t.Helper()
		until(t, fmt.Sprintf("%s: %q", what, want), func() bool { return slices.Equal(plans(), want) })
	}
	shows("all", "nobody/waits skipped", "mail/bad failure", "mail/good ok")
	p.click("checkbox", "Trouble")
	shows("trouble", "mail/bad failure")
	if at, _ := p.eval("location.search").(string); at != "?trouble=true" {
		t.Errorf("the address is %s", at)
	}
	p.eval("history.back()")
	shows("all again", "nobody/waits skipped", "mail/bad failure", "mail/good ok")
	p.set("reason", "overlap")
	shows("by reason", "nobody/waits skipped")
	p.set("reason", "")
	p.set("text", "NO DISK")
	p.press("\r")
	shows("by text", "mail/bad failure")
	p.goTo("/ui/runs?worker_id=mail-1&state=ok")
	shows("by worker and state, from a link", "mail/good ok")
	p.goTo("/ui/runs?from=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z")
	shows("of another time")
	p.find("link", "Show all")
	if typed := p.eval(`document.querySelector("[name=until]").value`); typed != "2020-01-02T00:00" && typed != "2020-01-02T00:00:00" {
		t.Errorf("the control of the time shows %v", typed)
	}
	p.click("link", "Show all")
	shows("without filters", "nobody/waits skipped", "mail/bad failure", "mail/good ok")
	for _, of := range []string{"Why run 1 mail/bad", "Why run 1 nobody/waits"} {
		if n := len(p.all("link", of)); n > 1 {
			t.Errorf("%d links are %s", n, of)
		}
	}
	p.click("link", "Why run 1 mail/bad")
	p.find("heading", "mail/bad run 1")
	p.quiet()
}

// The time that is typed goes as an instant, in the zone that is shown.
func TestATimeOfAFilterIsAnInstant(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/runs?tz=utc")
	p.eval(`(() => { const c = document.querySelector("[name=from]"); c.value = "2026-03-01T09:30:00"; c.dispatchEvent(new Event("change", {bubbles: true})) })()`)
	until(t, "an instant in the address", func() bool {
		at, _ := p.eval(`new URL(location).searchParams.get("from")`).(string)
		return at == "2026-03-01T09:30:00Z"
	})
	p.awaitText("main", "", "No run that is kept fits from=2026-03-01T09:30:00Z")
	p.quiet()
}

// Rows stay where they are while the pointer is on them; new ones wait behind a button.
func TestRunsDoNotMoveUnderThePointer(t *testing.T) {
	t.Parallel()
	s := ended(t)
	p := openPage(t, s, "/ui/runs")
	until(t, "the rows", func() bool { return len(p.rows("Runs")) == 3 })
	at, _ := p.call(p.find("table", "Runs"), `function() { const r = this.getBoundingClientRect(); return [r.x + 40, r.y + r.height / 2] }`).([]any)
	p.do(chromedp.MouseEvent("mouseMoved", at[0].(float64), at[1].(float64)))
	s.once("mail", "good")
	p.find("button", "1 new")
	if rows := p.rows("Runs"); len(rows) != 3 || rows[2][0] != "mail/good" {
		t.Errorf("the rows are %q", rows)
	}
	p.click("button", "1 new")
	until(t, "the new row", func() bool {
		rows := p.rows("Runs")
		return len(rows) == 4 && strings.HasPrefix(rows[0][0], "mail/good")
	})
	p.quiet()
}

// A search that ran out of time shows how far it came, and goes on.
func TestASearchThatRanOutOfTimeGoesOn(t *testing.T) {
	t.Parallel()
	s := ended(t)
	p := openPage(t, s, "/ui/runs?limit=1")
	if found := p.all("link", "Search on"); len(found) > 0 {
		t.Error("a search that was not cut off goes on")
	}
	// Nothing makes a real search of three runs take two seconds, so the answer is changed on its way.
	p.eval(`(() => { const real = fetch; window.fetch = async (...a) => {
		const r = await real(...a);
		return new Response((await r.text()).replace(/"looked_at":\d+/, '"looked_at":340000').replace('"complete":true', '"complete":false'), {status: r.status, headers: r.headers});
	} })()`)
	p.awaitText("main", "", "340,000 runs were looked at")
	p.click("link", "Search on")
	p.awaitText("table", "Runs", "mail/bad")
	p.click("link", "Previous page")
	p.awaitText("table", "Runs", "nobody/waits")
	p.quiet()
}
