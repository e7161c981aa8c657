package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// many makes so many plans of a station.
func (s *server) many(station string, n int) {
	s.t.Helper()
	plans := make([]body, n)
	for i := range plans {
		plans[i] = body{"station": station, "plan_id": fmt.Sprintf("p%04d", i), "command": "work", "plan_type": "cron", "cron": "0 0 1 1 *"}
	}
	s.rest("POST", "/plans/import", body{"plans": plans})
}

// count returns how many plans of a station have a status.
func (s *server) count(station, status string) float64 {
	s.t.Helper()
	n, _ := s.rest("GET", "/plans?total=true&limit=1&station="+station+"&status="+status, nil)["total"].(float64)
	return n
}

// All that match, on more pages than one, have a verb after the number was shown.
func TestAVerbForAllThatMatch(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := serve(t)
	s.many("mail", 250)
	s.many("other", 2)
	p := openPage(t, s, "/ui/plans?station=mail")
	p.click("checkbox", "Select all on this page")
	p.awaitText("region", "Selection", "100 selected")
	p.click("button", "Select all 250 that match")
	p.awaitText("region", "Selection", "All 250 that match are selected")
	p.click("button", "Pause")
	p.find("dialog", "Pause 250 plans")
	for _, v := range p.violations(axe) {
		t.Errorf("the dialog: %s", v)
	}
	p.write("migration")
	p.press(kb.Enter)
	p.gone("dialog", "Pause 250 plans")
	p.awaitText("region", "Selection", "Pause: 250 done, 0 refused.")
	p.awaitText("status", "", "Pause: 250 done, 0 refused.")
	if mail, other := s.count("mail", "paused"), s.count("other", "paused"); mail != 250 || other != 0 {
		t.Errorf("%v of mail and %v of others are paused", mail, other)
	}
	if paused, _ := s.plan("mail", "p0249")["paused"].(map[string]any); paused["note"] != "migration" {
		t.Errorf("it is paused with %v", paused)
	}
	p.click("button", "Close this")
	p.gone("region", "Selection")

	// A removal takes the number; another one does nothing.
	p.click("checkbox", "Select all on this page")
	p.click("button", "Select all 250 that match")
	p.click("button", "Remove")
	p.find("dialog", "Remove 250 plans")
	p.press("7", kb.Enter)
	p.awaitText("alert", "", "The number is not 250; nothing was done.")
	p.set("number", "250")
	p.tabTo("button", "Remove")
	p.press(kb.Enter)
	until(t, "no plan of mail", func() bool { return s.count("mail", "paused") == 0 })
	if n := s.count("other", "queued"); n != 2 {
		t.Errorf("%v others are left", n)
	}
	p.quiet("401")
}

// Rows are chosen by x, by a click, and with shift from one to another; refusals are listed.
func TestRowsAreChosen(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.many("mail", 6)
	s.rest("POST", "/plans/mail/p0001/pause", body{})
	p := openPage(t, s, "/ui/plans")
	p.press("j", "x", "j", "x")
	p.awaitText("region", "Selection", "2 selected")
	p.press("x")
	p.awaitText("region", "Selection", "1 selected")
	p.eval(`document.querySelector("[aria-label='Select mail/p0002']").dispatchEvent(new MouseEvent("click", {bubbles: true, shiftKey: false}))`)
	p.eval(`document.querySelector("[aria-label='Select mail/p0005']").dispatchEvent(new MouseEvent("click", {bubbles: true, shiftKey: true}))`)
	p.awaitText("region", "Selection", "5 selected")
	p.click("checkbox", "Select mail/p0001")
	p.awaitText("region", "Selection", "6 selected")
	p.gone("button", "Reset") // none of them takes it
	p.click("button", "Cancel runs")
	p.find("dialog", "Cancel runs of 6 plans")
	p.press(kb.Enter)
	p.awaitText("region", "Selection", "Cancel runs: 0 done, 6 refused.")
	for _, v := range p.violations(axeScript(t)) {
		t.Errorf("%s", v)
	}
	p.do(chromedp.EmulateViewport(320, 900))
	if wide := p.eval("document.documentElement.scrollWidth - innerWidth"); wide.(float64) > 0 {
		t.Errorf("it is %v pixels too wide", wide)
	}
	if rows := p.rows("Refusals"); len(rows) != 6 || !strings.Contains(rows[0][0], "mail/p0000") {
		t.Errorf("refusals: %q", rows)
	}
	p.quiet("409")
}

// A reader has nothing to choose.
func TestAReaderChoosesNoRows(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	s.many("mail", 3)
	p := openPage(t, s, "/ui/plans")
	p.logIn(readerToken)
	p.find("table", "Plans")
	until(t, "three plans", func() bool { return len(p.rows("Plans")) == 3 })
	if n := len(p.all("checkbox", "")); n != 0 {
		t.Errorf("a reader has %d boxes", n)
	}
	p.press("j", "x")
	if n := len(p.all("region", "Selection")); n != 0 {
		t.Error("x chooses a row")
	}
	p.quiet("401")
}

// Runs that failed are chosen, and their plans are triggered, each once: of some rows, and of all that match.
func TestPlansOfFailedRunsAreTriggered(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := serve(t)
	work(t, s, "mail", "mail-1", "exit 1")
	for i := range 3 {
		s.create("mail", fmt.Sprintf("m%d", i), body{"plan_type": "cron", "cron": "0 0 1 1 *", "retry": body{"strategy": "none"}, "on_failure": "settle"})
	}
	failed := func() float64 {
		runs, _ := s.rest("GET", "/runs?state=failure&limit=100", nil)["runs"].([]any)
		return float64(len(runs))
	}
	for range 2 {
		before := failed()
		s.rest("POST", "/bulk", body{"verb": "trigger", "filter": body{"station": "mail"}, "expect": 3})
		until(t, "three more failures", func() bool { return failed() == before+3 })
	}
	p := openPage(t, s, "/ui/runs?state=failure")
	until(t, "six runs", func() bool { return len(p.rows("Runs")) == 6 })
	p.click("checkbox", "Select mail/m0 1")
	p.click("checkbox", "Select mail/m0 2")
	p.click("checkbox", "Select mail/m1 2")
	p.awaitText("region", "Selection", "3 selected, of 2 plans")
	p.click("button", "Trigger")
	p.find("dialog", "Trigger 2 plans")
	for _, v := range p.violations(axe) {
		t.Errorf("the dialog: %s", v)
	}
	p.press(kb.Enter)
	p.awaitText("region", "Selection", "Trigger: 2 done, 0 refused.")
	until(t, "two more failures", func() bool { return failed() == 8 })
	p.click("button", "Close this")

	// By keyboard alone, for all that match.
	p.tabTo("checkbox", "Select all on this page")
	p.press(" ")
	p.tabTo("button", "Select the plans of all that match")
	p.press(kb.Enter)
	p.awaitText("region", "Selection", "All that match are selected: 3 plans")
	p.tabTo("button", "Trigger")
	p.press(kb.Enter)
	p.find("dialog", "Trigger 3 plans")
	p.write("again")
	p.press(kb.Enter)
	p.awaitText("region", "Selection", "Trigger: 3 done, 0 refused.")
	until(t, "three more failures", func() bool { return failed() == 11 })
	runs, _ := s.rest("GET", "/runs?station=mail&plan_id=m2&limit=1", nil)["runs"].([]any)
	if note, _ := runs[0].(map[string]any)["note"].(string); note != "again" {
		t.Errorf("the last run of m2 is %v", runs[0])
	}
	p.quiet()
}
