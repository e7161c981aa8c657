package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// full starts a program with a station of one place, which has work in hand and work that waits, one that
// was never put, and one without plans.
func full(t *testing.T, args ...string) *server {
	s := serve(t, args...)
	s.rest("PUT", "/stations/mail", body{"max_concurrency": 1, "overlap": "queue", "description": "sends mail"})
	s.rest("PUT", "/stations/print", body{"kind": "pull"})
	s.work("mail", `case "$PLAN_KEY" in *slow*) sleep 60;; esac; echo done`)
	s.create("nobody", "waits", body{"start_timeout": 0})
	s.rest("POST", "/plans/nobody/waits/trigger", body{})
	s.create("mail", "quick", nil)
	s.once("mail", "quick")
	for _, id := range []string{"slow", "slower"} {
		s.create("mail", id, nil)
		s.rest("POST", "/plans/mail/"+id+"/trigger", body{})
	}
	until(t, "a plan in line", func() bool {
		waiting, _ := s.rest("GET", "/stations/mail/stats", nil)["waiting"].(map[string]any)
		return waiting["room"] == 1.0
	})
	return s
}

func TestStations(t *testing.T) {
	t.Parallel()
	s := full(t)
	p := openPage(t, s, "/ui/stations")
	if got := p.columns("Stations"); !strings.HasPrefix(got, "Name, Kind, Workers, Under way, Waiting") {
		t.Errorf("the columns are %s", got)
	}
	rows := map[string][]string{}
	until(t, "the stations", func() bool {
		for _, row := range p.rows("Stations") {
			rows[strings.Fields(row[0])[0]] = row
		}
		return len(rows) == 3
	})
	for name, want := range map[string][2]string{"mail": {"api", "room: 1"}, "print": {"pull", "0"}, "nobody": {"never put", "worker: 1"}} {
		if row := rows[name]; !strings.Contains(row[1], want[0]) || !strings.Contains(row[4], want[1]) {
			t.Errorf("%s: the row is %q", name, row)
		}
	}
	p.awaitText("table", "Stations", "max 1 a minute")
	p.click("link", "mail")
	p.find("heading", "mail")
	p.settled()
	p.awaitText("main", "", "sends mail")
	p.awaitText("table", "Workers", "mail-1")
	p.awaitText("table", "Waiting for room", "mail/slow")
	p.awaitText("main", "", "max 1 a minute")
	p.find("image", "Results in each of the last 60 minutes")
	p.goTo("/ui/stations/never.used")
	p.awaitText("main", "", "This station was never put")
	p.quiet()
}

// A station is put, tested and deleted; members of its record that the form has not stay.
func TestAStationIsPutTestedAndDeleted(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.work("mail", "echo done")
	s.rest("PUT", "/stations/mail", body{"retry": body{"strategy": "none"}, "failure": "skip"})
	record := func() body { _, r := s.ask("GET", "/stations/mail", nil); return r }
	p := openPage(t, s, "/ui/stations/mail")
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.find("dialog", "Put mail")
	p.write("for all")
	p.set("max_concurrency", "7")
	p.set("failure", "")
	p.tabTo("button", "Put")
	p.press(kb.Enter)
	p.gone("dialog", "Put mail")
	until(t, "the record", func() bool { return record()["max_concurrency"] == 7.0 })
	if r := record(); r["description"] != "for all" || r["retry"] == nil || r["failure"] != nil {
		t.Errorf("the record is %v", r)
	}
	p.awaitText("main", "", "for all")
	p.tabTo("button", "Send a test")
	p.press(kb.Enter)
	p.find("dialog", "Send a test mail")
	p.set("messages", "[")
	p.click("button", "Send a test")
	p.awaitText("dialog", "Send a test mail", "This is not JSON")
	p.set("messages", `["hello"]`)
	p.click("button", "Send a test")
	p.awaitText("main", "", "ok")
	if at, _ := p.eval("location.pathname").(string); !strings.HasPrefix(at, "/ui/plans/mail/") || !strings.HasSuffix(at, "/runs/1") {
		t.Errorf("it leads to %s", at)
	}
	p.goTo("/ui/stations/mail")
	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.awaitText("dialog", "Delete mail", "max_concurrency: 7")
	p.awaitText("dialog", "Delete mail", `retry: {"strategy":"none"}`)
	p.press(kb.Escape)
	p.gone("dialog", "Delete mail")
	if record()["max_concurrency"] == nil {
		t.Fatal("Esc deletes")
	}
	p.click("button", "Delete")
	p.find("dialog", "Delete mail")
	p.press(kb.Enter)
	until(t, "no record", func() bool { code, _ := s.ask("GET", "/stations/mail", nil); return code == 404 })
	p.gone("button", "Delete")
	p.goTo("/ui/stations")
	p.click("button", "Put a station")
	p.find("dialog", "Put a station")
	p.write("print")
	p.set("kind", "pull")
	p.click("button", "Put")
	p.find("heading", "print")
	if _, r := s.ask("GET", "/stations/print", nil); r["kind"] != "pull" {
		t.Errorf("the new record is %v", r)
	}
	p.quiet("/api/v1/plans/mail/") // the plan of the test has closed
}

// A reader sees stations, and no verb.
func TestAReaderOfStationsSeesNoVerb(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-read-only")
	p := openPage(t, s, "/ui/stations/mail")
	p.awaitText("main", "", "This station was never put")
	p.goTo("/ui/stations")
	p.find("table", "Stations")
	for _, path := range []string{"/ui/stations/mail", "/ui/stations"} {
		p.goTo(path)
		if found := p.all("group", "Actions"); len(found) > 0 || len(p.all("button", "Put a station")) > 0 {
			t.Errorf("%s has verbs", path)
		}
	}
	p.quiet()
}

// A put from an outdated page is refused with the change that came between; repeated, it changes
// the record.
func TestAnOutdatedStationIsNotPut(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := serve(t)
	s.rest("PUT", "/stations/mail", body{"max_concurrency": 2, "description": "first"})
	p := openPage(t, s, "/ui/stations/mail")
	for _, station := range []string{"mail", "never.put"} {
		p.goTo("/ui/stations/" + station)
		p.click("button", "Put")
		p.find("dialog", "Put "+station)
		p.set("exec_timeout", "7")
		s.rest("PUT", "/stations/"+station, body{"max_concurrency": 9, "description": "first"})
		p.press(kb.Enter)
		p.awaitText("alert", "", "was changed meanwhile")
		row := []string{"max_concurrency", "2", "9"}
		if station == "never.put" {
			row[1] = "–"
		}
		if rows := p.rows("Changes"); !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r, row) }) {
			t.Errorf("%s was changed, it says, by %q", station, rows)
		}
		for _, v := range p.violations(axe) {
			t.Error(v)
		}
		if r := s.rest("GET", "/stations/"+station, nil); r["exec_timeout"] != nil {
			t.Errorf("it is put nevertheless: %v", r)
		}
		p.press(kb.Enter)
		p.gone("dialog", "Put "+station)
		if r := s.rest("GET", "/stations/"+station, nil); r["exec_timeout"] != 7.0 || r["max_concurrency"] != 9.0 || r["description"] != "first" {
			t.Errorf("%s is %v", station, r)
		}
	}
	p.quiet("412")
}
