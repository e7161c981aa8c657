package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The rows of another page or filter are shown at once, also under the pointer.
func TestOtherRowsAreShownUnderThePointer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 60 {
		s.create("mail", fmt.Sprintf("p%02d", i), nil)
	}
	s.rest("POST", "/plans/mail/p59/pause", body{})
	p := openPage(t, s, "/ui/plans?limit=25")
	first := func() string {
		if rows := p.rows("Plans"); len(rows) > 0 {
			return strings.TrimSpace(rows[0][0])
		}
		return ""
	}
	// After a while what waits behind a button is shown anyway.
	becomes := func(was, want string) {
		t.Helper()
		until(t, "other rows than those of "+was, func() bool { return first() != was })
		if got := first(); got != want {
			t.Errorf("behind %q comes %q, want %q", was, got, want)
		}
	}
	becomes("", "mail/p00")
	p.click("link", "Next page")
	becomes("mail/p00", "mail/p25")
	at, _ := p.call(p.find("checkbox", "Select mail/p30"), `function() { const r = this.getBoundingClientRect(); return [r.x + 5, r.y + 5] }`).([]any)
	p.do(chromedp.MouseEvent("mouseMoved", at[0].(float64), at[1].(float64)))
	p.set("status", "paused")
	becomes("mail/p25", "mail/p59")
	p.eval("history.back()")
	becomes("mail/p59", "mail/p25")
	p.quiet()
}

// A plan that is changed elsewhere meanwhile can be saved behind a second look.
func TestAChangeAgainstAPlanThatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", body{"cron": "0 9 * * *"})
	p := openPage(t, s, "/ui/plans/mail/digest/edit")
	p.set("overlap", "queue")
	p.click("button", "Review")
	p.find("dialog", "Change mail/digest")
	s.rest("PATCH", "/plans/mail/digest", body{"cron": "0 7 * * *"})
	p.click("button", "Save")
	p.awaitText("dialog", "Change mail/digest", "against the plan as it is now")
	if rows := fmt.Sprint(p.rows("Changes")); !strings.HasPrefix(rows, "[[overlap ") || strings.Contains(rows, "cron") {
		t.Errorf("it shows the changes %s", rows)
	}
	p.click("button", "Save")
	p.find("button", "Pause") // on the plan's page
	if plan, _ := s.rest("GET", "/plans/mail/digest", nil)["plan"].(map[string]any); plan["cron"] != "0 7 * * *" || plan["overlap"] != "queue" {
		t.Errorf("it is %v now", plan)
	}
	p.quiet("409", "412")
}

// An error of a dialog is at its control, which has the focus then.
func TestAnErrorOfADialogIsAtItsControl(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/stations")
	p.click("button", "Put a station")
	p.find("dialog", "Put a station")
	p.set("station", "no good name")
	p.click("button", "Put")
	until(t, "the error at its control", func() bool {
		return p.eval(`(c => c.name === "station" && c.getAttribute("aria-invalid") === "true" && document.getElementById(c.getAttribute("aria-describedby")).getAttribute("role") === "alert")(document.activeElement)`) == true
	})
	p.quiet("400")
}

// A page that asks for nothing learns that the connection is lost, too, and what it says of that goes
// with it.
func TestAFormLearnsThatTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/plans/new?station=mail&command=send")
	p.settled()
	s.kill()
	p.awaitText("alert", "", "Connection lost")
	s.restart()
	p.gone("alert", "")
	p.click("button", "Create")
	p.find("button", "Pause")
}
