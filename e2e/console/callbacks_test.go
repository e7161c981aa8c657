package console

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// undelivered starts a program with callbacks of two plans that are not delivered, because their
// address answers 503.
func undelivered(t *testing.T, args ...string) *server {
	s := serve(t, append(args, "--http-allow", "127.0.0.1")...)
	s.rest("PUT", "/stations/shop", body{"callback": body{"success": body{"url": target(t) + "/503", "method": "POST"}}})
	s.work("shop", "echo done")
	for _, id := range []string{"order", "refund"} {
		s.create("shop", id, nil)
		s.once("shop", id)
	}
	s.once("shop", "order")
	until(t, "tries", func() bool {
		for _, id := range []string{"order", "refund"} {
			if tries, _ := s.callback(id); tries == 0 {
				return false
			}
		}
		return true
	})
	return s
}

// callback returns how often the first callback of a plan was tried, and whether one waits.
func (s *server) callback(id string) (tries float64, waits bool) {
	status, view := s.ask("GET", "/plans/callback.shop/"+id, nil)
	state, _ := view["state"].(map[string]any)
	if open, _ := state["open"].([]any); len(open) > 0 {
		tries, _ = open[0].(map[string]any)["errors"].(float64)
	}
	return tries, status == 200
}

func TestCallbacks(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := undelivered(t)
	p := openPage(t, s, "/ui/callbacks")
	if got := p.columns("Callbacks"); got != "Name, Not delivered, Last answer, Tries, Next try, Act" {
		t.Errorf("the columns are %s", got)
	}
	until(t, "two rows", func() bool { return len(p.rows("Callbacks")) == 2 })
	for _, v := range p.violations(axe) {
		t.Error(v)
	}
	row := p.rows("Callbacks")[0]
	if row[0] != "callback.shop/order" || row[1] != "2" || row[3] == "0" || !strings.Contains(row[2], "503") || !strings.Contains(row[4], "retrying") && !strings.Contains(row[4], "executing") {
		t.Errorf("the row is %q", row)
	}
	p.set("text", "refund")
	p.press(kb.Enter)
	until(t, "one row", func() bool { return len(p.rows("Callbacks")) == 1 })

	tries, _ := s.callback("refund")
	p.tabTo("button", "Try now")
	p.press(kb.Enter)
	p.awaitText("status", "", "callback.shop/refund is tried now.")
	until(t, "another try", func() bool { more, _ := s.callback("refund"); return more > tries })

	p.tabTo("button", "Give up")
	p.press(kb.Enter)
	p.awaitText("dialog", "Give up callback.shop/refund", "Not delivered are 1.")
	p.press(kb.Escape)
	p.gone("dialog", "Give up callback.shop/refund")
	if _, waits := s.callback("refund"); !waits {
		t.Fatal("Esc gives up")
	}
	p.click("button", "Give up")
	p.find("dialog", "Give up callback.shop/refund")
	p.press(kb.Enter)
	until(t, "nothing of refund", func() bool { _, waits := s.callback("refund"); return !waits })
	p.awaitText("main", "", "text=refund")
	p.goTo("/ui/callbacks")
	p.click("link", "callback.shop/order")
	p.find("heading", "callback.shop/order")
	p.quiet()
}

// A callback that its address takes leaves the list.
func TestNoCallbackWaits(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/callbacks")
	p.find("table", "Callbacks")
	p.awaitText("main", "", "Every callback is delivered.")
	p.quiet()
}

// A reader sees callbacks, and no verb.
func TestAReaderOfCallbacksSeesNoVerb(t *testing.T) {
	t.Parallel()
	s := undelivered(t, "--http-token-file", tokenFile(t))
	p := openPage(t, s, "/ui/login?next=/ui/callbacks")
	p.logIn(readerToken)
	p.find("table", "Callbacks")
	until(t, "two rows", func() bool { return len(p.rows("Callbacks")) == 2 })
	if got := p.columns("Callbacks"); strings.Contains(got, "Act") || len(p.all("group", "Actions")) > 0 {
		t.Errorf("a reader has verbs: %s", got)
	}
	p.goTo("/ui/callbacks?text=%3Cscript%3E")
	p.awaitText("main", "", "text=<script>")
	p.quiet("401")
}
