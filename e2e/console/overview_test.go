package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	screen "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The overview has the numbers of REST, and each leads to a list of those that it counts.
func TestTheOverviewShowsWhereThingsStand(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	until(t, "a skipped run", func() bool {
		hour, _ := s.rest("GET", "/overview", nil)["results"].(map[string]any)["1h"].(map[string]any)
		return hour != nil && hour["reasons"].(map[string]any)["overlap"] == 1.0
	})
	p := openPage(t, s, "/ui/")
	p.find("heading", "Overview")
	if title := p.eval("document.title"); title != "Overview · Stationmaster" {
		t.Errorf("the title is %v", title)
	}
	for name, columns := range map[string]string{"Next due": "Plan,Due", "Trouble": "What,Plan,Since", "Partitions": "Name", "Lateness": "Lateness", "Throughput": "Time,skipped"} {
		if got, _ := p.call(p.find("table", name), `function() { return [...this.tHead.rows[0].cells].map(c => c.innerText).join() }`).(string); !strings.HasPrefix(got, columns) {
			t.Errorf("table %s has the columns %s", name, got)
		}
	}
	if due := p.rows("Next due"); len(due) != 2 || !strings.HasPrefix(due[0][0], "bills/monthly") && !strings.HasPrefix(due[0][0], "mail/digest") {
		t.Errorf("next due are %q", due)
	}
	if trouble := p.rows("Trouble"); len(trouble) != 1 || !strings.HasPrefix(trouble[0][0], "no_worker") || trouble[0][1] != "bills" || trouble[0][2] == "" {
		t.Errorf("trouble is %q", trouble)
	}
	if rows := p.rows("Throughput"); len(rows) != 1 || rows[0][1] != "1" || rows[0][2] != "1" {
		t.Errorf("throughput is %q", rows)
	}
	for link, list := range map[string]string{
		"3": "/ui/plans", "paused 1": "/ui/plans?status=paused", "queued 1": "/ui/plans?status=queued", "1": "/ui/plans?status=executing", "waits for worker 1": "/ui/plans?waits=worker",
		"no_worker": "/ui/plans?station=bills&waits=worker",
	} {
		if at, _ := p.call(p.find("link", link), `function() { return this.getAttribute("href") }`).(string); at != list {
			t.Errorf("%s leads to %s", link, at)
		}
	}
	runs := map[string]string{"skipped 1": "/ui/runs?state=skipped&from=", "overlap 1": "/ui/runs?reason=overlap&from="}
	if len(p.all("link", "Runs")) == 0 {
		runs = nil // there is no such page
	}
	for link, list := range runs {
		if at, _ := p.call(p.find("link", link), `function() { return this.getAttribute("href") }`).(string); !strings.HasPrefix(at, list) {
			t.Errorf("%s leads to %s", link, at)
		}
	}
	p.click("link", "paused 1")
	p.find("heading", "Plans")
	p.awaitText("table", "Plans", "mail/weekly")
	p.press("g", "o")
	p.find("heading", "Overview")
	p.quiet()
}

// The document brings the first numbers along; the series are asked for when these are there.
func TestTheOverviewAsksForItsSeriesBehindItsNumbers(t *testing.T) {
	t.Parallel()
	p := openPage(t, crowded(t), "/ui/cluster")
	held := make(chan fetch.RequestID, 1)
	if err := chromedp.Listen(p.ctx, func(event any) {
		if e, is := event.(*fetch.EventRequestPaused); is {
			held <- e.RequestID
		}
	}); err != nil {
		t.Fatal(err)
	}
	ask(p, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/overview*"}}})
	asked := func() []string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.DeleteFunc(slices.Clone(p.requests), func(r string) bool { return !strings.Contains(r, "/stats/series") })
	}
	ask(p, screen.Navigate, screen.NavigateParams{URL: p.s.url + "/ui/"})
	p.find("heading", "Overview")
	p.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
	if early := asked(); len(early) > 0 {
		t.Errorf("before the numbers it asks for %q", early)
	}
	ask(p, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: <-held})
	ask(p, fetch.Disable, cdp.Empty{})
	p.find("table", "Throughput")
	if behind := asked(); len(behind) < 2 {
		t.Errorf("behind the numbers it asks for %q", behind)
	}
	p.quiet()
}

// Results show other versions of workers, in the reader's language.
func TestTheOverviewTellsOfVersions(t *testing.T) {
	t.Parallel()
	p := openPage(t, crowded(t), "/ui/?lang=zh")
	// A version counts as new half a minute after the first, so the answer is changed on its way.
	p.eval(`(() => { const real = fetch; window.fetch = async (...a) => {
		const r = await real(...a);
		if (!String(a[0]).includes("/stats/series")) return r;
		const points = JSON.parse(await r.text());
		points.marks = [{t: points.t.at(-2), kind: "version", text: "lang of " + a[0]}];
		return new Response(JSON.stringify(points), {status: r.status, headers: r.headers});
	} })()`)
	p.awaitText("main", "", "&lang=zh")
	p.quiet()
}

// It follows changes until the reader stops that.
func TestTheOverviewFollowsWhatHappens(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	p := openPage(t, s, "/ui/")
	p.eval("window.sameDocument = true")
	p.find("link", "queued 1")
	s.create("mail", "more", nil)
	p.find("link", "queued 2")
	p.tabTo("button", "Pause updates")
	p.press(kb.Enter)
	s.create("mail", "unseen", nil)
	// A page asks again after four seconds; this one is asked to, and to nothing else.
	p.eval("new Promise(done => setTimeout(done, 6000))")
	if len(p.all("link", "queued 2")) != 1 {
		t.Error("paused, it goes on")
	}
	p.press(kb.Enter)
	p.find("link", "queued 3")
	if p.eval("window.sameDocument") != true {
		t.Error("it is another document")
	}
	p.quiet()
}

// The chart draws the numbers of its table in the colours of its legend, in each theme.
func TestTheChartDrawsItsNumbers(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	for _, theme := range []string{"light", "dark"} {
		for step, rows := range map[string]int{"1s": 0, "": 1, "1h": 1} {
			p := openPage(t, s, fmt.Sprintf("/ui/?theme=%s&step=%s", theme, step))
			until(t, "pixels of a skipped result at step "+step, func() bool {
				return p.eval(`(() => {
					const chart = document.querySelector(".chart"), canvas = chart?.querySelector("canvas");
					if (!canvas) return false;
					const [r, g, b] = getComputedStyle(chart.querySelector(".swatch.skipped")).color.match(/\d+/g).map(Number);
					const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
					let n = 0;
					for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) n++;
					return n > 20;
				})()`) == true
			})
			if got := p.rows("Throughput"); rows > 0 && len(got) != rows {
				t.Errorf("step %s: the table has %q", step, got)
			}
			p.quiet()
		}
	}
}

// Without a plan it shows how to begin.
func TestTheEmptyOverviewTeaches(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := serve(t)
	for _, lang := range []string{"en", "zh"} {
		p := openPage(t, s, "/ui/?lang="+lang)
		if got, _ := p.eval("document.querySelector('main').innerText").(string); !strings.Contains(got, "stationmaster plan create") {
			t.Errorf("it says %s", got)
		}
		for _, v := range p.violations(axe) {
			t.Errorf("%s: %s", lang, v)
		}
		p.quiet()
	}
}
