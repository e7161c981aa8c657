package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A dialog shows the changes that the verb would make, as the server computes them; Back makes none.
func TestDialogsShowTheDryRun(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", body{"start_timeout": 0, "cron": "0 9 * * *"})
	s.rest("POST", "/plans/mail/digest/trigger", body{})
	p := openPage(t, s, "/ui/plans/mail/digest")
	for _, one := range []struct{ verb, dialog, shows string }{
		{"Pause", "Pause mail/digest", "status executing paused"},
		{"Skip", "Skip mail/digest", "skip_next 0 1"},
		{"Close", "Close mail/digest", "1 execution is cancelled"}, // no worker has begun it
		{"Remove", "Remove mail/digest", "1 execution is cancelled"},
		{"Remove", "Remove mail/digest", "status executing closed"},
		{"Remove", "Remove mail/digest", "It would not be due any more"},
		{"Cancel run", "Cancel run 1", "1 execution is cancelled"},
	} {
		p.click("button", one.verb)
		p.find("dialog", one.dialog)
		until(t, one.verb+": "+one.shows, func() bool {
			text := strings.Join(strings.Fields(p.text("dialog", one.dialog)), " ")
			return strings.Contains(text, one.shows)
		})
		p.press(kb.Escape)
		p.gone("dialog", one.dialog)
	}
	if state := s.plan("mail", "digest"); state["status"] != "executing" || state["skip_next"] != nil {
		t.Errorf("a dry run changed the plan: %v", state)
	}
	p.quiet()
}

// The dry run follows the typed count.
func TestSkipShowsTheTimesThatAreSkipped(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", body{"cron": "0 9 * * *"})
	p := openPage(t, s, "/ui/plans/mail/digest")
	p.click("button", "Skip")
	p.find("dialog", "Skip mail/digest")
	for _, n := range []string{"1", "3"} {
		p.set("count", n)
		until(t, n+" times that fall away", func() bool {
			return strings.Count(p.text("dialog", "Skip mail/digest"), "no longer") == int(n[0]-'0')
		})
	}
	p.quiet()
}

func TestAReviewShowsWhatTheServerWouldChange(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", body{"cron": "0 9 * * *", "overlap": "queue"})
	p := openPage(t, s, "/ui/plans/mail/digest/edit")
	p.set("cron", "0 9 * * 8-")
	p.click("button", "Review")
	until(t, "the refusal at its field", func() bool {
		return p.eval(`document.querySelector("[name=cron]").getAttribute("aria-invalid")`) == "true"
	})
	p.gone("dialog", "Change mail/digest")
	p.set("cron", "0 7 * * *")
	p.set("overlap", "")
	p.click("button", "Review")
	p.find("dialog", "Change mail/digest")
	rows := fmt.Sprint(p.rows("Changes"))
	if rows != "[[cron 0 9 * * * 0 7 * * *] [overlap queue none: the default holds]]" {
		t.Errorf("it shows the changes %s", rows)
	}
	text := p.text("dialog", "Change mail/digest")
	if strings.Count(text, "new") < 4 || strings.Count(text, "no longer") < 4 {
		t.Errorf("it shows the times\n%s", text)
	}
	p.click("button", "Back")
	p.gone("dialog", "Change mail/digest")
	if plan, _ := s.rest("GET", "/plans/mail/digest", nil)["plan"].(map[string]any); plan["cron"] != "0 9 * * *" {
		t.Errorf("it was changed: %v", plan)
	}
	p.quiet("400")
}

func TestANewPlanIsReviewed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/plans/new?station=mail&command=send&plan_type=cron&cron=0+9+*+*+*")
	p.click("button", "Review")
	p.find("dialog", "Create mail")
	p.awaitText("dialog", "Create mail", "A new plan, queued.")
	count := func() int {
		plans, _ := s.rest("GET", "/plans", nil)["plans"].([]any)
		return len(plans)
	}
	if n := count(); n != 0 {
		t.Errorf("the review created %d plans", n)
	}
	p.click("button", "Create")
	p.find("button", "Pause") // on the plan's page
	if n := count(); n != 1 {
		t.Errorf("there are %d plans", n)
	}
	p.quiet()
}
