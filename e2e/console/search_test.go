package console

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// search opens the search and types a text.
func (p *page) search(text string) {
	p.t.Helper()
	p.click("button", "Search")
	p.find("combobox", "Search")
	p.write(text)
}

// opens waits until the page of a path is there.
func (p *page) opens(path, heading string) {
	p.t.Helper()
	p.find("heading", heading)
	if at, _ := p.eval("location.pathname").(string); at != path {
		p.t.Errorf("%s is open, want %s", at, path)
	}
}

func TestTheSearchOpensWhatItNames(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-allow", "127.0.0.1")
	s.create("mail", "digest", nil)
	s.create("mail", "digest-2", body{"description": "the second one"})
	job := s.job("fine", target(t), nil)
	s.called(job)
	p := openPage(t, s, "/ui/")

	p.search("mail/digest")
	p.press(kb.Enter) // also before the list is there
	p.opens("/ui/plans/mail/digest", "mail/digest")

	p.search("mail/dig")
	p.awaitText("listbox", "Plans", "mail/digest-2")
	p.write("est-2") // Enter means the text, not the list of the one before
	p.press(kb.Enter)
	p.opens("/ui/plans/mail/digest-2", "mail/digest-2")

	p.search(job + ".1")
	p.awaitText("listbox", "Plans", "http/"+job+" run 1")
	p.press(kb.Enter)
	p.opens("/ui/plans/http/"+job+"/runs/1", "http/"+job+" run 1")

	p.search(job + ".99")
	p.awaitText("dialog", "Search", "No plan's name begins so")
	p.press(kb.Escape)

	p.search("second one")
	p.click("button", "Search names, descriptions and commands")
	p.awaitText("listbox", "Plans", "mail/digest-2")
	p.click("option", "mail/digest-2 queued · the second one")
	p.opens("/ui/plans/mail/digest-2", "mail/digest-2")
	p.quiet("404")
}
