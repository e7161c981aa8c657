package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axeScript is the source of axe-core, which npm has installed beside the application.
func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "..", "console", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("axe-core is not there: npm ci in the folder console")
	}
	return string(script)
}

// violations returns the violations that axe finds on the page.
func (p *page) violations(axe string) []string {
	p.t.Helper()
	p.eval(axe + "; 0")
	value := p.eval(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + " " + n.failureSummary)))`)
	text, err := json.Marshal(value)
	if err != nil {
		p.t.Fatal(err)
	}
	var all []string
	if err := json.Unmarshal(text, &all); err != nil {
		p.t.Fatal(err)
	}
	return all
}

// covered returns the controls and links of the page that lie over one another. Bars of a timeline do,
// and a label its own control.
func (p *page) covered() string {
	p.t.Helper()
	text, _ := p.eval(`(() => {
		const all = [...document.querySelectorAll("main :is(a, button, input, select, textarea, summary)")].filter(e => e.checkVisibility() && !e.closest(".track"));
		const boxes = all.map(e => [...e.getClientRects()].filter(r => r.width > 1 && r.height > 1));
		const meets = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom;
		const found = [];
		for (let i = 0; i < all.length; i++)
			for (let j = i + 1; j < all.length && j < i + 20; j++)
				if (!all[i].contains(all[j]) && all[i].closest(".scroll") === all[j].closest(".scroll") && boxes[i].some(a => boxes[j].some(b => meets(a, b)))) found.push(all[i].outerHTML.slice(0, 120) + " and " + all[j].outerHTML.slice(0, 120));
		return found.join("\n");
	})()`).(string)
	return text
}

// crowded starts a program with plans of many states.
func crowded(t *testing.T, args ...string) *server {
	s := serve(t, args...)
	s.create("mail", "digest", body{"description": "the daily digest", "labels": body{"team": "core"}, "timezone": "Europe/Berlin", "start_timeout": 0})
	s.create("mail", "weekly", body{"exec_timeout": 5})
	s.rest("POST", "/plans/mail/weekly/pause", body{"by": "ann", "note": "migration"})
	s.create("bills", "monthly", body{"overlap": "skip", "start_timeout": 0, "retry": body{"strategy": "none"}})
	s.rest("POST", "/plans/bills/monthly/trigger", body{})
	s.rest("POST", "/plans/bills/monthly/trigger", body{})
	return s
}

// withJobs adds an HTTP job and a periodic task.
func withJobs(s *server) {
	s.periodic("nightly", "bills", body{"log": "trans_log", "timezone": "Europe/Berlin", "ext": body{"full": true}})
	s.called(s.job("ping", "http://127.0.0.1:9/"+strings.Repeat("a-long-path/", 12), body{"description": "is refused"}))
}

var everyPage = []string{
	"/ui/", "/ui/plans", "/ui/plans?text=nothing-fits", "/ui/plans/new?plan_type=cron&cron=0+9+*+*+*", "/ui/plans/mail/digest", "/ui/plans/mail/weekly",
	"/ui/plans/mail/digest?tab=upcoming", "/ui/plans/mail/digest?tab=definition", "/ui/plans/bills/monthly", "/ui/plans/mail/digest/edit",
	"/ui/workers", "/ui/workers/nobody", "/ui/workers/mail-1", "/ui/workers?station=nobody", "/ui/cluster", "/ui/plans/bills/monthly/runs/1", "/ui/plans/mail/nothing", "/ui/nowhere",
	"/ui/runs", "/ui/runs?trouble=true", "/ui/runs?reason=overlap&limit=1", "/ui/timeline", "/ui/timeline?lanes=worker&span=24h", "/ui/timeline?max=1", "/ui/timeline?station=nobody", "/ui/calendar", "/ui/calendar?cell=2100-01-01T00:00:00Z", "/ui/calendar?step=1d", "/ui/calendar?text=nothing-fits", "/ui/calendar?from=2027-03-26T00:00:00Z&zone=Europe/Berlin", "/ui/stations", "/ui/stations/mail", "/ui/stations/never.used", "/ui/live", "/ui/live?station=nobody&kind=result",
	"/ui/periodic", "/ui/periodic/nightly", "/ui/periodic?status=new", "/ui/periodic/nothing", "/ui/callbacks", "/ui/callbacks?text=nothing-fits",
	"/ui/jobs", "/ui/jobs/ping", "/ui/jobs?status=DISABLED", "/ui/jobs/nothing",
	"/ui/queues", "/ui/queues?text=nothing-fits", "/ui/queues/chores", "/ui/queues/broken", "/ui/queues/-alone", "/ui/queues/nothing",
	"/ui/tasks", "/ui/tasks?type=nothing", "/ui/tasks?history=true", "/ui/tasks/review/pending", "/ui/tasks/review/nothing", "/ui/task-types", "/ui/task-types?code=review&secret=key",
	"/ui/help", "/ui/help/queues", "/ui/help/console", "/ui/help/performance", "/ui/help/adr",
}

func TestAxeFindsNothing(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := crowded(t)
	withJobs(s)
	withQueues(s)
	withTasks(s)
	work(t, s, "mail", "mail-1", "sleep 600")
	s.rest("POST", "/plans/mail/digest/trigger", body{})
	until(t, "an execution at the worker", func() bool {
		_, w := s.ask("GET", "/workers/mail-1", nil)
		held, _ := w["executions"].([]any)
		return len(held) == 1
	})
	for _, theme := range []string{"light", "dark"} {
		for _, lang := range []string{"en", "zh"} {
			for _, width := range []int64{1280, 320} {
				t.Run(fmt.Sprint(theme, lang, width), func(t *testing.T) {
					t.Parallel()
					p := openPage(t, s, "/ui/plans?theme="+theme+"&lang="+lang)
					p.do(chromedp.EmulateViewport(width, 900))
					for _, path := range everyPage {
						p.goTo(path)
						for _, v := range p.violations(axe) {
							t.Errorf("%s: %s", path, v)
						}
						if wide := p.eval("document.documentElement.scrollWidth - innerWidth"); wide.(float64) > 0 {
							t.Errorf("%s is %v pixels too wide", path, wide)
						}
						if covered := p.covered(); covered != "" {
							t.Errorf("%s: %s", path, covered)
						}
					}
					p.quiet("404")
				})
			}
		}
	}
}

// dialogs opens the dialog of each of some verbs of a thing, in which axe finds nothing.
func (p *page) dialogs(axe, name string, verbs ...string) {
	p.t.Helper()
	for _, verb := range verbs {
		p.click("button", verb)
		p.find("dialog", verb+" "+name)
		p.settled()
		for _, v := range p.violations(axe) {
			p.t.Errorf("%s: %s", verb, v)
		}
		p.press(kb.Escape)
		p.gone("dialog", verb+" "+name)
	}
}

func TestAxeFindsNothingInDialogs(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := crowded(t)
	withJobs(s)
	p := openPage(t, s, "/ui/plans/mail/digest?theme=dark")
	p.dialogs(axe, "mail/digest", "Pause", "Skip", "Close", "Remove")
	p.goTo("/ui/stations/mail")
	s.rest("PUT", "/stations/mail", body{"kind": "pull"})
	p.find("button", "Delete")
	p.dialogs(axe, "mail", "Put", "Send a test", "Delete")
	p.goTo("/ui/periodic/nightly")
	p.dialogs(axe, "nightly", "Put", "Delete")
	p.goTo("/ui/jobs/ping")
	p.dialogs(axe, "ping", "Disable", "Change", "Delete")
	p.click("button", "Search")
	p.find("combobox", "Search")
	p.write("mail/")
	until(t, "options", func() bool { return len(p.all("option", "")) >= 2 })
	for _, v := range p.violations(axe) {
		t.Errorf("search: %s", v)
	}
	p.press(kb.Enter)
	p.find("heading", "mail/digest")
	p.goTo("/ui/login")
	for _, v := range p.violations(axe) {
		t.Errorf("login: %s", v)
	}
}

// Every animation ends where the reader wants none.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	p := openPage(t, crowded(t), "/ui/plans")
	ask(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	if n := p.eval("document.getAnimations().length"); n != 0.0 {
		t.Errorf("%v animations run", n)
	}
}
