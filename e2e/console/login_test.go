package console

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// logIn types a token into the form of the page.
func (p *page) logIn(token string) {
	p.t.Helper()
	p.find("form", "Log in")
	p.set("token", token)
	p.press(kb.Enter)
}

func TestLoggingInLeadsToThePageThatWasAsked(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	s.create("mail", "digest", nil)
	p := openPage(t, s, "/ui/plans/mail/digest?tab=upcoming")
	p.find("heading", "Log in")
	p.logIn("no such token")
	p.find("alert", "")
	if role, name := p.focused(); role != "textbox" || name != "Token" {
		t.Errorf("after a wrong token the focus is at %s %q", role, name)
	}
	p.logIn(operatorToken)
	p.find("heading", "mail/digest")
	if at := p.eval("location.pathname + location.search"); at != "/ui/plans/mail/digest?tab=upcoming" {
		t.Errorf("it leads to %s", at)
	}
	if kept := p.eval("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])").(string); strings.Contains(kept, operatorToken[:12]) {
		t.Errorf("the token is kept: %s", kept)
	}
	p.click("button", "Log out")
	p.find("heading", "Log in")
	p.goTo("/ui/plans")
	p.find("heading", "Log in")
	p.quiet("401")
}

// The page that led here has to be one of the console, because no other address is followed.
func TestLoggingInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	for _, next := range []string{"https://evil.example/", "//evil.example/ui/", "/api/v1/plans", "/ui/../api/v1/plans", "javascript:alert(1)", `/\evil.example/ui/`} {
		p := openPage(t, s, "/ui/login?next="+strings.NewReplacer("/", "%2F", ":", "%3A", `\`, "%5C").Replace(next))
		p.logIn(operatorToken)
		p.find("heading", "Overview")
		if at := p.eval("location.href"); at != s.url+"/ui/" {
			t.Errorf("next=%s leads to %s", next, at)
		}
	}
}

func TestAReaderSeesNoVerbAndIsRefusedWhenItForgesOne(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	s.create("mail", "digest", nil)
	p := openPage(t, s, "/ui/login?next=%2Fui%2Fplans%2Fmail%2Fdigest")
	p.logIn(readerToken)
	p.find("heading", "mail/digest")
	p.settled()
	for _, path := range []string{"/ui/plans/mail/digest", "/ui/plans", "/ui/plans/new", "/ui/plans/mail/digest/edit"} {
		p.goTo(path)
		for _, verb := range []string{"Pause", "Trigger", "Skip", "Close", "Remove", "Create", "Review", "Cancel run", "Trigger again"} {
			if n := len(p.all("button", verb)); n > 0 {
				t.Errorf("%s has a button %s", path, verb)
			}
		}
		if n := len(p.all("link", "New plan")) + len(p.all("link", "Edit")); n > 0 {
			t.Errorf("%s has a link to a form", path)
		}
	}
	for _, one := range [][2]string{{"POST", "/plans/mail/digest/pause"}, {"DELETE", "/plans/mail/digest"}, {"POST", "/plans"}, {"PATCH", "/plans/mail/digest"}} {
		code := p.eval(fmt.Sprintf(`fetch("/api/v1%s", {method: %q, headers: {"Content-Type": "application/json"}, body: "{}"}).then(r => r.status)`, one[1], one[0]))
		if code != 403.0 {
			t.Errorf("%s %s answers %v", one[0], one[1], code)
		}
	}
	p.quiet("403", "401")
}

// A browser keeps no session by plain HTTP from another machine; the page explains it, and names two ways.
func TestLoggingInByPlainHTTPFromElsewhere(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	p := openPage(t, s, "/ui/login")
	if text := p.text("main", ""); strings.Contains(text, "tunnel") {
		t.Errorf("on this machine it says\n%s", text)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	p.do(chromedp.Navigate("http://" + elsewhere + ":" + port + "/ui/login"))
	p.find("form", "Log in")
	for _, part := range []string{elsewhere, "--http-public-url", "ssh -L 8080:127.0.0.1:" + port + " " + elsewhere} {
		if text := p.text("main", ""); !strings.Contains(text, part) {
			t.Errorf("%s is not in\n%s", part, text)
		}
	}
}

// A token that is taken out of the file ends its sessions under an open page.
func TestATokenThatEnds(t *testing.T) {
	t.Parallel()
	file := tokenFile(t)
	s := serve(t, "--http-token-file", file)
	s.create("mail", "digest", nil)
	p := openPage(t, s, "/ui/login?next=%2Fui%2Fplans%2Fmail%2Fdigest")
	p.logIn(readerToken)
	p.find("heading", "mail/digest")
	p.settled()
	if err := os.WriteFile(file, []byte(operatorToken+" operator\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "an alert with a link", func() bool { return len(p.all("alert", "")) == 1 })
	p.find("link", "Log in")
	p.find("heading", "mail/digest") // the shown content stays
	p.quiet("401")
}

func TestTheConnectionIsLostAndComesBack(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", nil)
	p := openPage(t, s, "/ui/plans/mail/digest")
	p.eval("window.same = true")
	s.kill()
	until(t, "Connection lost", func() bool {
		all := p.all("alert", "")
		return len(all) == 1 && strings.Contains(p.call(all[0], "function() { return this.innerText }").(string), "Connection lost")
	})
	s.restart()
	s.rest("POST", "/plans/mail/digest/pause", body{})
	p.gone("alert", "")
	p.find("button", "Resume")
	if p.eval("window.same") != true {
		t.Error("the document was loaded anew")
	}
}

func TestTwoTabsSeeTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", nil)
	one, other := openPage(t, s, "/ui/plans/mail/digest"), openPage(t, s, "/ui/plans/mail/digest")
	one.click("button", "Pause")
	one.find("dialog", "Pause mail/digest")
	one.press(kb.Enter)
	one.find("button", "Resume")
	other.find("button", "Resume")
	other.click("button", "Resume")
	other.find("button", "Pause")
	one.find("button", "Pause")
	one.quiet()
	other.quiet()
}

// A page loads script and style of at most 150 KB, and four requests.
func TestTheBudgetOfAPage(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", nil)
	for path, most := range map[string]int{"/ui/": 6, "/ui/workers": 4, "/ui/cluster": 6, "/ui/timeline": 4, "/ui/calendar": 4, "/ui/plans": 4, "/ui/plans/mail/digest": 6, "/ui/plans/mail/digest/edit": 5} {
		p := openPage(t, s, path)
		p.mu.Lock()
		var asked []string
		for _, r := range p.requests {
			if !strings.Contains(r, "data:") {
				asked = append(asked, r)
			}
		}
		p.mu.Unlock()
		if len(asked) > most {
			t.Errorf("%s asks for %d things: %q", path, len(asked), asked)
		}
		// The document has the page's data be asked for, before the script does.
		if how := p.eval(`performance.getEntriesByType("resource").filter(e => e.initiatorType === "link" && e.name.includes("/api/")).length`); how != 1.0 {
			t.Errorf("%s preloads %v answers", path, how)
		}
		p.quiet()
		weight := p.eval(`performance.getEntriesByType("resource").filter(e => /app\.(js|css)/.test(e.name)).reduce((sum, e) => sum + e.encodedBodySize, 0)`)
		if weight.(float64) < 1000 || weight.(float64) > 150_000 {
			t.Errorf("script and style of %s have %v bytes", path, weight)
		}
	}
}
