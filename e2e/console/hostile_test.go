package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// hostile are texts that others may put into names and contents of plans.
var hostile = hostileTexts()

func hostileTexts() (all []string) {
	for _, markup := range []string{
		"<script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", "<svg onload=window.hacked=1>", `"><script>window.hacked=1</script>`,
		"'onmouseover='window.hacked=1", "javascript:window.hacked=1", "<iframe srcdoc='<script>parent.hacked=1</script>'>", "</textarea><script>window.hacked=1</script>",
		"{{constructor.constructor('window.hacked=1')()}}", "${window.hacked=1}", "<style>*{display:none}</style>", "<a href=javascript:window.hacked=1>x</a>",
		"<base href=//evil.example>", "<meta http-equiv=refresh content=0;url=//evil.example>", "<form action=//evil.example><button>go</button></form>",
		"<!--", "-->", "]]>", "<![CDATA[x]]>", "&lt;b&gt;&amp;", "<math><mi//xlink:href='data:x,<script>hacked=1</script>'>", "<template><script>hacked=1</script></template>",
		"\\u003cscript\\u003e", "%3Cscript%3E", "<script src=//evil.example/x.js></script>", "<object data=//evil.example>", "<embed src=//evil.example>",
		"<link rel=stylesheet href=//evil.example>", "<body onload=hacked=1>", "<details open ontoggle=window.hacked=1>",
	} {
		all = append(all, markup)
	}
	for _, r := range []rune{
		'\u202e', '\u202d', '\u2066', '\u2069', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\ufeff', '\u00ad', '\u2028', '\u2029', '\u061c', '\u180e', '\u2060',
		'\x00', '\x01', '\x07', '\x08', '\x1b', '\x7f', '\u0085', '\U000e0041', '\t', '\r', '\n', '\ufffe',
	} {
		all = append(all, "pay"+string(r)+"load")
	}
	return append(all, strings.Repeat("x", 4096), "9007199254740993", strings.Repeat("é", 2048))
}

// Texts of others are shown as texts. They run no script, move no part of the page, and look like
// no part of it.
func TestHostileTextsAreText(t *testing.T) {
	t.Parallel()
	if len(hostile) < 60 {
		t.Fatalf("there are %d of them", len(hostile))
	}
	s := serve(t)
	all := []any{map[string]any{"n": 0}}
	for i, text := range hostile {
		all = append(all, text, map[string]any{text: i})
		if i < 40 {
			s.create("mail", fmt.Sprintf("h%d", i), body{"description": text, "command": text, "messages": []any{text, map[string]any{text: text}}, "labels": body{"k": text}})
		}
	}
	s.rest("POST", "/plans/mail/h0/trigger", body{})
	s.rest("POST", "/plans/mail/h0/trigger", body{"by": hostile[0]})
	s.rest("PUT", "/stations/mail", body{"description": strings.Join(hostile[:40], " ")})
	s.create("mail", "all", body{"messages": all, "ext": all, "description": strings.Join(hostile[:20], " ")})
	for _, path := range []string{
		"/ui/workers/" + url.PathEscape(hostile[0]), "/ui/workers?station=" + url.QueryEscape(hostile[0]), "/ui/workers?cursor=" + url.QueryEscape(hostile[0]), "/ui/cluster",
		"/ui/", "/ui/?step=" + url.QueryEscape(hostile[0]), "/ui/plans", "/ui/plans?lang=zh", "/ui/plans/mail/all?tab=definition", "/ui/plans/mail/h0?tab=definition", "/ui/plans/mail/all/edit",
		"/ui/plans?text=" + url.QueryEscape(hostile[3]), "/ui/plans/mail/" + url.PathEscape(hostile[0]), "/ui/plans/new?command=" + url.QueryEscape(hostile[3]),
		"/ui/plans?cursor=" + url.QueryEscape(hostile[0]), "/ui/timeline?lanes=" + url.QueryEscape(hostile[0]), "/ui/timeline?span=" + url.QueryEscape(hostile[3]) + "&rows=" + url.QueryEscape(hostile[1]), "/ui/timeline?station=" + url.QueryEscape(hostile[3]), "/ui/calendar?text=" + url.QueryEscape(hostile[3]), "/ui/calendar?zone=" + url.QueryEscape(hostile[0]), "/ui/calendar?cell=" + url.QueryEscape(hostile[0]), "/ui/calendar?cell=2100-01-01T00:00:00Z&from=" + url.QueryEscape(hostile[1]), "/ui/stations", "/ui/stations/mail", "/ui/stations/" + url.PathEscape(hostile[0]), "/ui/runs?text=" + url.QueryEscape(hostile[3]), "/ui/runs?state=" + url.QueryEscape(hostile[0]), "/ui/plans/mail/h0/runs/" + url.PathEscape(hostile[1]), "/ui/plans?lang=" + url.QueryEscape(hostile[0]),
	} {
		openPage(t, s, path).harmless(path)
	}
}

// harmless fails the test if a page runs text of others, or shows it as anything but text.
func (p *page) harmless(path string) {
	p.t.Helper()
	if hacked := p.eval("window.hacked === undefined && window.opener === null"); hacked != true {
		p.t.Errorf("%s runs what others wrote", path)
	}
	if at, _ := p.eval("location.host").(string); !strings.HasSuffix(p.s.url, at) {
		p.t.Errorf("%s leads to %s", path, at)
	}
	for _, tag := range []string{"iframe", "object", "embed", "base", "body script", "main style", "main link", "main img"} {
		if n := p.eval("document.querySelectorAll(" + quote(tag) + ").length"); n != 0.0 {
			p.t.Errorf("%s has %v %s", path, n, tag)
		}
	}
	if hidden := p.eval(`/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff\u0000-\u0008\u001b]/.exec(document.body.innerText)?.[0] ?? ""`); hidden != "" {
		p.t.Errorf("%s shows the character %+q as it is", path, hidden)
	}
	p.quiet("404", "400")
}

// An integer beyond 2^53 keeps its digits, on the page and in the form.
func TestLargeIntegersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/plans/new?station=mail&plan_id=large&command=c&plan_type=cron&cron=0+0+1+1+*&messages="+url.QueryEscape("[9007199254740993, 18446744073709551615]"))
	p.click("button", "Create")
	p.find("heading", "mail/large")
	p.goTo("/ui/plans/mail/large?tab=definition")
	shown, _ := p.eval("document.querySelector('main').innerText").(string)
	for _, digits := range []string{"9007199254740993", "18446744073709551615"} {
		if !strings.Contains(shown, digits) {
			t.Errorf("%s is not shown", digits)
		}
	}
	p.goTo("/ui/plans/mail/large/edit")
	until(t, "the form", func() bool { return p.eval(`!!document.querySelector("[name=messages]")`) == true })
	if text, _ := p.eval(`document.querySelector("[name=messages]").value`).(string); !strings.Contains(text, "9007199254740993") {
		t.Errorf("the form has %s", text)
	}
	p.quiet()
}
