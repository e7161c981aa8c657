package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The calendar has the numbers of REST, hour by hour, with changes of clocks, and each hour leads to its
// plans; by keyboard alone.
func TestTheCalendarShowsWhichHoursAreFull(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 12 {
		s.create("reports", fmt.Sprintf("r%02d", i), body{"cron": "0 9 * * *", "timezone": "Europe/Berlin"})
	}
	s.create("backup", "nightly", body{"cron": "30 2 * * *", "timezone": "Europe/Berlin", "labels": body{"team": "ops"}})
	s.create("backup", "often", body{"plan_type": "minute", "plan_value": 20, "plan_repet": -1, "plan_time": "2026-01-01T00:10:00Z", "cron": ""})
	const week = "/ui/calendar?from=2027-03-26T00:00:00Z&zone=Europe/Berlin"
	p := openPage(t, s, week)
	p.find("heading", "Calendar")
	if title := p.eval("document.title"); title != "Calendar · Stationmaster" {
		t.Errorf("the title is %v", title)
	}
	rows := p.rows("Calendar")
	sunday := strings.Join(strings.Fields(strings.Join(rows[2], " ")), " ")
	if len(rows) != 8 || !strings.HasPrefix(sunday, "Sun 03-28 3 3 4 ◆ clock change 3") || !strings.Contains(strings.Join(rows[1], " "), " 3 4 3 ") || rows[3][10] != "15" {
		t.Errorf("the days are %q", rows)
	}
	if changes := p.rows("Clock changes"); len(changes) != 1 || changes[0][0] != "2027-03-28 03:00 +02:00" || changes[0][1] != "1" || !strings.Contains(changes[0][2], "02:30") {
		t.Errorf("changes of clocks are %q", changes)
	}
	p.eval("window.sameDocument = true")
	p.tabTo("link", "3")
	p.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowRight) // over the hour that is left out
	if role, name := p.focused(); role != "link" || name != "4 clock change" {
		t.Errorf("arrows lead to %s %q", role, name)
	}
	p.press(kb.Enter)
	p.find("region", "Due in")
	p.awaitText("table", "Plans that are due", "backup/nightly")
	if items := p.rows("Plans that are due"); len(items) != 2 || items[0][0] != "backup/nightly" || items[1][2] != "3" {
		t.Errorf("plans of the hour are %q", items)
	}
	if at, _ := p.eval("location.search").(string); !strings.Contains(at, "cell=2027-03-28T03%3A00%3A00%2B02%3A00") {
		t.Errorf("the address has %s", at)
	}
	p.press("g", "c")
	p.find("heading", "Calendar")
	p.gone("region", "Due in")
	p.set("station", "reports")
	p.press(kb.Enter)
	p.awaitText("main", "", "of 12 plans")
	p.eval("history.back()")
	p.awaitText("main", "", "of 14 plans")
	p.set("step", "1d")
	p.awaitText("table", "Calendar", "Mon")
	if p.eval("window.sameDocument") != true {
		t.Error("it is another document")
	}
	p.quiet()
}

// The hours with the most plans have the darkest shade, whatever rounding makes of their number.
func TestTheFullestHoursAreTheDarkest(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("beat", "forty-five-an-hour", body{"plan_type": "second", "plan_value": 80, "plan_repet": -1, "plan_time": "2026-01-01T00:00:00Z", "cron": ""})
	p := openPage(t, s, "/ui/calendar?from=2027-03-01T00:00:00Z&zone=UTC")
	p.awaitText("table", "Calendar", "45")
	if got := p.eval(`[...new Set([...document.querySelectorAll("table[aria-label=Calendar] td a")].map(a => a.className))].join()`); got != "shade-5" {
		t.Errorf("the hours have %v", got)
	}
	p.quiet()
}

// The address of a wrong zone shows the error, and an empty list teaches how to begin.
func TestTheCalendarWithoutAnyPlan(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/calendar")
	p.awaitText("main", "", "stationmaster plan create")
	p.goTo("/ui/calendar?zone=berlin")
	p.awaitText("main", "", "Europe/Berlin")
	p.quiet("400")
}
