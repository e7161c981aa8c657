package console

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestEveryPageHasItsNameAndItsLandmarks(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", nil)
	s.rest("POST", "/plans/mail/digest/trigger", body{})
	for _, one := range []struct{ path, name string }{
		{"/ui/plans", "Plans"},
		{"/ui/plans/new", "New plan"},
		{"/ui/stations", "Stations"},
		{"/ui/tasks", "Tasks"},
		{"/ui/tasks/review/a", "review/a"},
		{"/ui/task-types", "Task types"},
		{"/ui/queues", "Queues"},
		{"/ui/queues/a%2Fb", "a/b"},
		{"/ui/stations/mail", "mail"},
		{"/ui/plans/mail/digest", "mail/digest"},
		{"/ui/plans/mail/digest/edit", "Edit mail/digest"},
		{"/ui/plans/mail/digest/runs/1", "mail/digest run 1"},
		{"/ui/plans/mail/nothing", "mail/nothing"},
	} {
		t.Run(one.path, func(t *testing.T) {
			t.Parallel()
			p := openPage(t, s, one.path)
			p.find("heading", one.name)
			if title := p.eval("document.title"); title != one.name+" · Stationmaster" {
				t.Errorf("its title is %q", title)
			}
			if n := p.eval(`document.querySelectorAll("h1").length`); n != 1.0 {
				t.Errorf("it has %v h1", n)
			}
			p.find("banner", "")
			p.find("navigation", "Main")
			p.find("main", "")
			p.press(kb.Tab)
			if role, name := p.focused(); role != "link" || name != "Skip to content" {
				t.Errorf("first in the tab order is %s %q", role, name)
			}
			p.quiet("404")
		})
	}
}

func TestAnAddressThatNoPageHas(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/nowhere/at/all")
	for _, path := range []string{"/ui/nowhere/at/all", "/ui/queues/a/b", "/ui/help/nothing", "/ui/plans/mail", "/ui/plans/mail/digest/nothing"} {
		p.goTo(path)
		p.find("heading", "Not found")
		if status := p.eval(`performance.getEntriesByType("navigation")[0].responseStatus`); status != 404.0 {
			t.Errorf("%s is answered with %v", path, status)
		}
	}
	p.eval(`document.querySelector("main a").focus()`)
	p.press(kb.Enter)
	p.find("heading", "Plans")
	p.quiet("404")
}

// The navigation leads to pages alone that there are.
func TestTheNavigationLeadsToPages(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/plans")
	links, _ := p.eval(`[...document.querySelectorAll("nav#navigation a")].map(a => a.pathname)`).([]any)
	if len(links) == 0 {
		t.Fatal("it has no links")
	}
	for _, path := range links {
		p.goTo(path.(string))
		if n := len(p.all("heading", "Not found")); n > 0 {
			t.Errorf("%s is no page", path)
		}
	}
	p.quiet()
}

// Every verb works by the mouse, which the server's state shows.
func TestEveryVerbByMouse(t *testing.T) {
	t.Parallel()
	everyVerb(t, func(p *page, role, name string) { p.click(role, name) })
}

// The same with nothing but a keyboard.
func TestEveryVerbByKeyboard(t *testing.T) {
	t.Parallel()
	everyVerb(t, func(p *page, role, name string) {
		p.tabTo(role, name)
		p.press(kb.Enter)
	})
}

func everyVerb(t *testing.T, use func(p *page, role, name string)) {
	s := serve(t)
	s.create("mail", "digest", body{"start_timeout": 0, "retry": body{"strategy": "none"}})
	p := openPage(t, s, "/ui/plans/mail/digest")
	status := func(want string) {
		t.Helper()
		until(t, "status "+want, func() bool { return s.plan("mail", "digest")["status"] == want })
	}

	use(p, "button", "Pause")
	p.find("dialog", "Pause mail/digest")
	p.write("migration")
	p.press(kb.Enter) // the field of the note has the focus, so Enter does it
	status("paused")
	if paused, _ := s.plan("mail", "digest")["paused"].(map[string]any); paused["note"] != "migration" {
		t.Errorf("it is paused with %v", paused)
	}
	p.gone("dialog", "Pause mail/digest")
	p.gone("button", "Pause")

	use(p, "button", "Resume")
	status("queued")

	p.find("button", "Pause") // the buttons have their places again
	use(p, "button", "Skip")
	p.find("dialog", "Skip mail/digest")
	p.press("2", kb.Enter)
	until(t, "12 skips", func() bool {
		return s.plan("mail", "digest")["skip_next"] == 12.0 || s.plan("mail", "digest")["skip_next"] == 2.0
	})
	p.gone("dialog", "Skip mail/digest")

	use(p, "button", "Trigger")
	status("executing")
	p.awaitText("table", "Open executions", "dispatched")

	p.find("button", "Cancel run")
	use(p, "button", "Cancel run")
	p.find("dialog", "Cancel run 1")
	p.press(kb.Enter)
	until(t, "the run's end", func() bool { _, open := s.plan("mail", "digest")["open"]; return !open })
	p.gone("dialog", "Cancel run 1")

	p.find("button", "Remove")
	use(p, "button", "Remove")
	p.find("dialog", "Remove mail/digest")
	p.press(kb.Escape) // Esc is Back
	p.gone("dialog", "Remove mail/digest")
	if role, name := p.focused(); role != "button" || name != "Remove" {
		t.Errorf("after Esc the focus is at %s %q", role, name)
	}
	use(p, "button", "Close")
	p.find("dialog", "Close mail/digest")
	p.press(kb.Enter)
	until(t, "the plan to be gone", func() bool { code, _ := s.ask("GET", "/plans/mail/digest", nil); return code == 404 })
	p.quiet("404")
}

// A verb that is done takes its button away, and then the heading has the focus.
func TestTheFocusIsNotLost(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", nil)
	p := openPage(t, s, "/ui/plans/mail/digest")
	for _, one := range []struct{ verb, gone string }{{"Pause", "Pause"}, {"Resume", "Resume"}, {"Remove", "Remove"}} {
		p.tabTo("button", one.verb)
		p.press(kb.Enter)
		if one.verb != "Resume" {
			p.find("dialog", one.verb+" mail/digest")
			p.press(kb.Enter)
		}
		p.gone("button", one.gone)
		until(t, "the focus at the heading after "+one.verb, func() bool {
			role, name := p.focused()
			return role == "heading" && name == "mail/digest"
		})
	}
	p.quiet("404")
}

// A user who has read nothing creates a schedule, sees when it runs, and watches it run.
func TestAScheduleIsCreatedAndRuns(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/plans")
	p.click("link", "New plan")
	p.settled()
	p.set("station", "mail")
	p.set("plan_id", "digest")
	p.set("command", "send")
	p.set("plan_type", "cron")
	p.set("cron", "0 9 * *")
	p.click("button", "Create")
	p.find("textbox", "Cron expression cron")
	until(t, "an error at the field", func() bool {
		return p.eval(`document.querySelector("[name=cron]").getAttribute("aria-invalid")`) == "true"
	})
	p.set("cron", "0 9 * * mon-fri")
	p.set("timezone", "Europe/Berlin")
	until(t, "six next occurrences", func() bool { return len(p.rows("Next occurrences")) == 6 })
	p.awaitText("region", "Request", "nats req plans.create")
	p.click("button", "Create")
	p.find("heading", "mail/digest")
	plan, _ := s.rest("GET", "/plans/mail/digest", nil)["plan"].(map[string]any)
	for name, want := range map[string]any{"cron": "0 9 * * mon-fri", "timezone": "Europe/Berlin", "command": "send"} {
		if plan[name] != want {
			t.Errorf("%s is %v", name, plan[name])
		}
	}
	if _, there := plan["overlap"]; there {
		t.Error("what nobody filled in was sent")
	}
	p.quiet("400")
}

func TestAPlanIsChangedAfterAReview(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", body{"labels": body{"team": "core"}, "overlap": "queue"})
	p := openPage(t, s, "/ui/plans/mail/digest/edit")
	p.set("cron", "0 7 * * *")
	p.set("overlap", "")
	p.click("button", "Review")
	p.find("dialog", "Change mail/digest")
	rows := p.rows("Changes")
	if len(rows) != 2 {
		t.Fatalf("it shows the changes %q", rows)
	}
	p.click("button", "Save")
	p.find("heading", "mail/digest")
	plan, _ := s.rest("GET", "/plans/mail/digest", nil)["plan"].(map[string]any)
	if plan["cron"] != "0 7 * * *" || plan["overlap"] != nil || plan["labels"] == nil {
		t.Errorf("it is %v now", plan)
	}
	p.quiet("400") // the preview of an expression that is being typed
}

// A change that is made elsewhere is shown without a new document; Back undoes a filter.
func TestThePageFollowsAndFiltersStandInTheAddress(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", nil)
	s.create("mail", "weekly", nil)
	p := openPage(t, s, "/ui/plans")
	p.eval("window.same = true")
	s.rest("POST", "/plans/mail/weekly/pause", body{"note": "moved"})
	p.awaitText("table", "Plans", "paused")
	p.set("status", "paused")
	until(t, "one row", func() bool { return len(p.rows("Plans")) == 1 })
	if at, _ := p.eval("location.search").(string); !strings.Contains(at, "status=paused") {
		t.Errorf("the address is %s", at)
	}
	p.eval("history.back()")
	until(t, "two rows", func() bool { return len(p.rows("Plans")) == 2 })
	if p.eval("window.same") != true {
		t.Error("the document was loaded anew")
	}
	p.quiet()
}

// A list in which nothing fits all filters says how much fits without each of them, the most first.
func TestWhichFilterExcludesMost(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.many("mail", 5)
	s.many("other", 2)
	s.rest("POST", "/plans/other/p0000/pause", nil)
	p := openPage(t, s, "/ui/plans?station=mail&status=paused&plan_type=cron")
	p.awaitText("link", "Plans without status=paused", "status=paused")
	p.awaitText("link", "Plans without station=mail", "station=mail")
	if n := len(p.all("link", "Plans without plan_type=cron")); n != 0 {
		t.Error("a filter without which nothing fits either is offered")
	}
	found, _ := p.eval(`[...document.querySelectorAll(".empty li")].map((e) => e.textContent).join("; ")`).(string)
	if want := "Plans without status=paused: 5; Plans without station=mail: 1"; found != want {
		t.Errorf("%q, want %q", found, want)
	}
	p.click("link", "Plans without status=paused")
	until(t, "five plans", func() bool { return len(p.rows("Plans")) == 5 })
	p.quiet()
}
