package console

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The help has the docs as pages: links lead from one to another, pictures are there, and other pages
// of the console are left and come back to.
func TestHelp(t *testing.T) {
	t.Parallel()
	p := openPage(t, serve(t), "/ui/plans")
	p.tabTo("link", "Help")
	p.press(kb.Enter)
	p.find("heading", "Help")
	p.settled()
	p.click("link", "callbacks")
	p.find("heading", "Callbacks")
	p.goTo("/ui/help/queues")
	if title := p.eval("document.title"); title != "Merge queues · Stationmaster" {
		t.Errorf("the title is %v", title)
	}
	if n := p.eval(`document.querySelectorAll("h1").length`); n != 1.0 {
		t.Errorf("it has %v h1", n)
	}
	if at := p.eval(`document.querySelector('nav [aria-current="page"]').textContent`); at != "Help" {
		t.Errorf("the present page is %v", at)
	}
	p.awaitText("main", "", "stationmaster queue push digest-789")
	p.eval("window.sameDocument = true")
	p.click("link", "Plans")
	p.find("heading", "Plans")
	if p.eval("window.sameDocument") != true {
		t.Error("it is another document")
	}
	p.eval("history.back()")
	p.find("heading", "Merge queues")
	p.settled()
	p.awaitText("main", "", "stationmaster queue push digest-789")
	p.click("link", "allowed")
	p.find("heading", "HTTP calls")
	p.settled()
	if y := p.eval(`document.getElementById("which-targets").getBoundingClientRect().top`); y.(float64) > 900 || y.(float64) < -1 {
		t.Errorf("the heading of the link is at %v", y)
	}
	for _, path := range []string{"/ui/help/console", "/ui/help/performance"} {
		p.goTo(path)
		until(t, "pictures", func() bool {
			return p.eval(`[...document.querySelectorAll("article img")].every(i => i.complete && i.naturalWidth > 100)`) == true
		})
	}
	p.goTo("/ui/help/adr?lang=zh&theme=dark")
	until(t, "the navigation in Chinese", func() bool { return len(p.all("link", "帮助")) == 2 }) // and the way back
	if shown := p.eval(`[document.documentElement.lang, document.documentElement.dataset.theme, document.querySelector("article").lang].join(" ")`); shown != "zh-CN dark en" {
		t.Errorf("the page is %v", shown)
	}
	p.quiet()
}

// The pages of help ask for a session as the others do.
func TestHelpAfterLogin(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	p := openPage(t, s, "/ui/help/queues")
	p.find("heading", "Log in")
	if at, _ := p.eval("location.search").(string); !strings.Contains(at, "next=%2Fui%2Fhelp%2Fqueues") {
		t.Errorf("the address has %s", at)
	}
	p.logIn(readerToken)
	p.find("heading", "Merge queues")
	p.quiet("401")
}
