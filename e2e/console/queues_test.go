package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// withQueues fills queues: chores, which workers get from, broken, whose service is refused, and two items
// under -alone, which are not merged.
func withQueues(s *server) {
	s.t.Helper()
	for i := range 12 {
		s.rest("POST", "/queues/chores/push", body{"task": body{"sweep": fmt.Sprintf("hall %d", i)}, "data": body{"house": 7}})
	}
	s.rest("POST", "/queues/broken/push", body{"task": "hello", "method": "POST", "service": "http://127.0.0.1:9/hook"})
	for i := range 2 {
		s.rest("POST", "/queues/-alone/push", body{"task": i, "method": "POST", "service": "https://example.org/hook", "ontime": "2100-01-01T00:00:00Z"})
	}
	until(s.t, "a failed hand-over", func() bool { return s.queue("broken")["last_error"] != nil })
}

// queue is a queue as REST has it; empty: it holds nothing.
func (s *server) queue(key string) body {
	_, q := s.ask("GET", "/queues/"+url.PathEscape(key), nil)
	return q
}

func TestQueues(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/queues")
	p.awaitText("main", "", "stationmaster queue push")
	withQueues(s)
	p.goTo("/ui/queues")
	if got := p.columns("Queues"); got != "Name, Status, Length, Bytes, Locked, Due, Last error" {
		t.Errorf("the columns are %s", got)
	}
	rows := map[string][]string{}
	for _, row := range p.rows("Queues") {
		rows[strings.Fields(row[0])[0]] = row
	}
	if len(rows) != 3 || rows["chores"][2] != "12" || !strings.Contains(rows["broken"][6], "127.0.0.1") || !strings.Contains(rows["broken"][0], "POST http://127.0.0.1:9/hook") {
		t.Errorf("the rows are %q", rows)
	}
	p.set("text", "chor")
	p.press(kb.Enter)
	until(t, "one queue", func() bool { return len(p.rows("Queues")) == 1 })
	p.click("link", "chores")
	p.find("heading", "chores")
	p.settled()
	p.awaitText("region", "First items", "hall 0")
	p.awaitText("region", "First items", "2 more behind them")
	p.awaitText("region", "First items", "house: 7")
	if len(p.all("button", "Retry"))+len(p.all("button", "Complete")) > 0 {
		t.Error("a queue that is neither handed over nor locked has verbs of such ones")
	}
	p.goTo("/ui/queues/broken")
	p.awaitText("main", "", "Last error")
	p.awaitText("main", "", "Errors in a row")
	p.goTo("/ui/queues/-alone")
	if got := len(p.rows("Queues")); got != 2 {
		t.Errorf("%d queues are shown of a key that is not merged", got)
	}
	p.find("button", "Push")
	p.goTo("/ui/queues/nothing")
	p.awaitText("main", "", "holds nothing")
	p.quiet("404")
}

// Every verb of a queue, by keyboard alone, and REST shows it.
func TestVerbsOfAQueue(t *testing.T) {
	t.Parallel()
	s := serve(t)
	length := func(n float64) func() bool {
		return func() bool { l, _ := s.queue("a/b")["length"].(float64); return l == n }
	}
	p := openPage(t, s, "/ui/queues")
	use := func(verb string, fields ...string) {
		t.Helper()
		p.tabTo("button", verb)
		p.press(kb.Enter)
		for i := 0; i < len(fields); i += 2 {
			p.set(fields[i], fields[i+1])
		}
		p.tabTo("button", verb)
		p.press(kb.Enter)
		p.gone("dialog", verb+" a/b")
	}
	p.tabTo("button", "Push to a queue")
	p.press(kb.Enter)
	p.find("dialog", "Push to a queue")
	p.write("a/b")
	p.set("task", "[")
	p.tabTo("button", "Push")
	p.press(kb.Enter)
	p.awaitText("alert", "", "This is not JSON")
	p.set("task", `{"n": 9007199254740993}`)
	p.tabTo("button", "Push")
	p.press(kb.Enter)
	p.find("heading", "a/b")
	p.awaitText("region", "First items", "9007199254740993")
	use("Push", "task", `"second"`, "data", `{"house": 7}`)
	until(t, "two items", length(2))
	p.awaitText("region", "First items", "second")

	lock := func() {
		t.Helper()
		s.rest("POST", "/queues/a%2Fb/get", body{"random": "r1"})
		p.find("button", "Release")
		p.find("button", "Complete")
	}
	lock()
	p.tabTo("button", "Release")
	p.press(kb.Enter)
	p.find("dialog", "Release a/b")
	p.write("other")
	p.press(kb.Enter)
	p.awaitText("alert", "", "locked with another random")
	p.set("random", "r1")
	p.press(kb.Enter)
	p.gone("dialog", "Release a/b")
	p.awaitText("status", "", "The lock of a/b has ended")
	if q := s.queue("a/b"); q["length"] != 2.0 || q["locked"] != nil {
		t.Errorf("released, it is %v", q)
	}
	lock()
	use("Complete", "random", "r1")
	until(t, "one item", length(1))
	p.gone("button", "Complete")

	s.rest("POST", "/queues/later/push", body{"task": 1, "method": "POST", "service": "http://127.0.0.1:9/hook", "ontime": "2100-01-01T00:00:00Z"})
	p.goTo("/ui/queues/later")
	p.tabTo("button", "Retry")
	p.press(kb.Enter)
	until(t, "a hand-over", func() bool { return s.queue("later")["last_error"] != nil })
	p.awaitText("main", "", "Last error")

	p.goTo("/ui/queues/a%2Fb")
	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.awaitText("dialog", "Delete a/b", ": 1")
	p.press(kb.Escape)
	p.gone("dialog", "Delete a/b")
	if s.queue("a/b")["length"] != 1.0 {
		t.Fatal("Esc deletes")
	}
	p.tabTo("button", "Delete")
	p.press(kb.Enter)
	p.find("dialog", "Delete a/b")
	p.press(kb.Enter)
	until(t, "no queue", func() bool { return s.queue("a/b")["length"] == nil })
	p.awaitText("main", "", "holds nothing")
	p.gone("button", "Delete")
	p.quiet("404", "409")
}

// Keys and items of others are shown as texts.
func TestHostileQueuesAreText(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i, text := range hostile {
		s.rest("POST", "/queues/all/push", body{"task": body{text: text}, "data": body{fmt.Sprint(i): text}})
		if i < 60 && len(text) < 600 && text[0] != '-' {
			s.rest("POST", "/queues/"+url.PathEscape(text)+"/push", body{"task": []any{text}})
		}
	}
	for _, path := range []string{"/ui/queues", "/ui/queues?lang=zh&text=" + url.QueryEscape(hostile[0]), "/ui/queues/all", "/ui/queues/" + url.PathEscape(hostile[0]), "/ui/queues/" + url.PathEscape(hostile[30]), "/ui/queues/" + url.PathEscape("-"+hostile[1])} {
		openPage(t, s, path).harmless(path)
	}
}

// A reader sees queues, and no verb.
func TestAReaderOfQueuesSeesNoVerb(t *testing.T) {
	t.Parallel()
	s := serve(t, "--http-token-file", tokenFile(t))
	withQueues(s)
	p := openPage(t, s, "/ui/login?next=%2Fui%2Fqueues%2Fchores")
	p.logIn(readerToken)
	p.awaitText("region", "First items", "hall 0")
	for _, path := range []string{"/ui/queues", "/ui/queues/chores", "/ui/queues/-alone", "/ui/queues/nothing"} {
		p.goTo(path)
		if len(p.all("group", "Actions"))+len(p.all("button", "Push to a queue")) > 0 {
			t.Errorf("%s has verbs", path)
		}
	}
	p.quiet("404", "401")
}
