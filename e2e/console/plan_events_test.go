package console

import (
	"strings"
	"testing"
)

// The tab has the events of its plan alone, and no results.
func TestTheEventsOfAPlan(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/plans/mail/good")
	p.click("link", "Events")
	if at, _ := p.eval("location.search").(string); at != "?tab=events" {
		t.Errorf("the address has %s", at)
	}
	p.awaitText("main", "", "Nothing has happened since the page follows")
	s.skips(1)
	s.rest("POST", "/plans/mail/good/pause", body{})
	p.awaitText("table", "Events", "paused")
	for _, row := range p.rows("Events") {
		if row[0] != "mail/good" || strings.Contains(row[2], "skipped") {
			t.Errorf("%q is shown", row)
		}
	}
	p.quiet()
}
