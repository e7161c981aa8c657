package console

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// skips has a plan skip occurrences, each of which is a result and an event.
func (s *server) skips(n int) {
	s.t.Helper()
	for range n {
		s.rest("POST", "/plans/nobody/waits/trigger", body{})
	}
}

// happening starts a program with a plan whose occurrences are all skipped.
func happening(t *testing.T, args ...string) *server {
	s := serve(t, args...)
	s.create("nobody", "waits", body{"overlap": "skip", "start_timeout": 0})
	s.create("mail", "good", nil)
	s.skips(1)
	return s
}

// holds waits until the table Live holds a text.
func (p *page) holds(text string) {
	p.t.Helper()
	p.awaitText("table", "Live", text)
}

func TestLive(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live")
	if got := p.columns("Live"); got != "Plan, Run, What, Reason, Time, Worker" {
		t.Errorf("the columns are %s", got)
	}
	p.awaitText("main", "", "Nothing has happened since the page follows")
	s.skips(3)
	p.holds("skipped")
	p.holds("overlap")
	p.awaitText("main", "", "Events by kind")
	p.set("kind", "result")
	p.awaitText("main", "", "Nothing that fits kind=result has happened")
	s.skips(1)
	p.awaitText("main", "", "Since the page follows: 1 shown, 0 left out.")
	p.eval("history.back()")
	p.awaitText("main", "", "Nothing has happened since the page follows")
	p.goTo("/ui/live?station=mail")
	s.skips(1)
	s.rest("POST", "/plans/mail/good/pause", body{})
	p.holds("paused")
	for _, row := range p.rows("Live") {
		if row[0] != "mail/good" {
			t.Errorf("%q is shown", row)
		}
	}
	p.click("button", "Clear")
	p.awaitText("status", "", "The list is empty.")
	p.goTo("/ui/live?state=%3Cb%3E")
	p.find("alert", "")
	p.quiet("400")
}

// More than a sample is left out, and counted; most rows are not in the document.
func TestLiveUnderLoad(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live?kind=created")
	const plans = 600
	var all []any
	for i := range plans {
		all = append(all, body{"station": "mail", "plan_id": fmt.Sprint("p", i), "command": "c", "plan_type": "cron", "cron": "0 0 1 1 *"})
	}
	s.rest("POST", "/plans/import", body{"plans": all})
	p.holds("more in this second are left out")
	until(t, "all plans", func() bool {
		text := p.text("main", "")
		_, text, _ = strings.Cut(text, "Since the page follows: ")
		var shown, out int
		_, err := fmt.Sscanf(text, "%d shown, %d left out", &shown, &out)
		return err == nil && shown > 0 && shown+out == plans
	})
	if rows := p.rows("Live"); len(rows) > 60 {
		t.Errorf("%d rows are in the document", len(rows))
	}
	p.quiet()
}

// The banner's button pauses the page, by keyboard; the page's own is the same.
func TestLiveIsPaused(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live")
	s.skips(1)
	p.holds("skipped")
	p.tabTo("button", "Pause updates")
	p.press(kb.Enter)
	p.awaitText("main", "", "updates are paused")
	until(t, "the end of the stream", func() bool { return streams(t, s) == 0 })
	before := len(p.rows("Live"))
	s.skips(2)
	if now := len(p.rows("Live")); now != before {
		t.Errorf("%d rows, then %d", before, now)
	}
	p.tabTo("button", "Pause")
	p.press(" ")
	until(t, "a stream", func() bool { return streams(t, s) == 1 })
	s.skips(1)
	p.holds("Here is a gap")
	p.press("g", "p")
	p.find("table", "Plans")
	until(t, "the end of the stream", func() bool { return streams(t, s) == 0 })
	p.press("g", "l")
	p.find("table", "Live")
	p.quiet()
}

// streams is how many streams the program has open.
func streams(t *testing.T, s *server) (n int) {
	t.Helper()
	answer, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := bytes.Cut(text, []byte("\nstationmaster_api_streams "))
	if _, err := fmt.Sscan(string(text), &n); !found || err != nil {
		t.Fatalf("the metrics have no streams: %v", err)
	}
	return n
}

// The list can be taken away as a file.
func TestLiveIsDownloaded(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live?kind=result")
	s.create("nobody", "large", body{"overlap": "skip", "start_timeout": 0, "messages": []any{hostile[0]}})
	for range 2 {
		s.rest("POST", "/plans/nobody/large/trigger", body{})
	}
	p.holds("nobody/large")
	dir := t.TempDir()
	ask(p, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: dir, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID})
	p.click("button", "Download NDJSON")
	var text []byte
	until(t, "the file", func() bool {
		text, _ = os.ReadFile(filepath.Join(dir, "live.ndjson"))
		return len(text) > 0
	})
	if got := string(text); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"plan_id":"large"`) || !strings.Contains(got, `"state":"skipped"`) {
		t.Errorf("the file is %s", got)
	}
	p.quiet()
}

// A node that comes back is followed again, and the gap is shown.
func TestLiveGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live?kind=result")
	s.skips(1)
	p.holds("overlap")
	s.kill()
	p.awaitText("alert", "", "Connection lost")
	s.restart()
	p.gone("alert", "")
	seldom := time.NewTicker(300 * time.Millisecond) // because the gap is seen only while few lines are above it
	defer seldom.Stop()
	until(t, "something new", func() bool {
		select {
		case <-seldom.C:
			s.skips(1)
		default:
		}
		return strings.Contains(p.text("table", "Live"), "Here is a gap")
	})
	p.quiet("ERR_", "503")
}

// Names and contents of others are text.
func TestLiveShowsHostileTextsAsText(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live?station="+url.QueryEscape(hostile[0]))
	p.find("alert", "")
	p.goTo("/ui/live")
	for _, text := range hostile[:30] {
		s.rest("POST", "/plans/nobody/waits/trigger", body{"by": text, "note": text})
	}
	p.holds("overlap")
	if hacked := p.eval("window.hacked === undefined"); hacked != true {
		t.Error("the page runs what others wrote")
	}
	p.quiet("400")
}

// There is at most one live message in five seconds, however much happens.
func TestLiveIsQuietForThoseWhoHearIt(t *testing.T) {
	t.Parallel()
	s := happening(t)
	p := openPage(t, s, "/ui/live")
	p.eval(`window.said = 0; new MutationObserver(() => window.said++).observe(document.querySelector("[role=status]"), {childList: true, subtree: true, characterData: true}); 0`)
	end := time.Now().Add(3 * time.Second)
	until(t, "three seconds", func() bool { s.skips(1); return time.Now().After(end) })
	p.holds("overlap")
	if n := p.eval("window.said"); n != 0.0 {
		t.Errorf("%v messages", n)
	}
	if n := p.eval(`document.querySelectorAll("main [aria-live]").length`); n != 0.0 {
		t.Errorf("%v other live regions", n)
	}
}
