package e2e

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A documented request, as the nats command line takes it, and the answer below it on the
// page; empty: none.
type documented struct{ subject, request, answer string }

// byHand reads the requests of a page.
func byHand(t *testing.T, page string) (all []documented) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^nats req '?([^' ]+)'? '([^']*)'[^\n]*\n(\{.*\}\n)?`)
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		all = append(all, documented{m[1], m[2], m[3]})
	}
	return all
}

// The page on pull workers is followed to the letter. Its requests are sent as they stand there,
// in their order, and the answers have the members on the page.
func TestAPullWorkerByHand(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	results := c.results("resize")
	var reply string
	var seen []string
	for _, d := range byHand(t, "../docs/pull.md") {
		subject := d.subject
		if strings.HasPrefix(subject, "plan.reply.") {
			subject = reply
		}
		answer := c.open(c.ask(subject, []byte(d.request)))
		if answer.has("error") {
			t.Fatalf("%s %s: %v", subject, d.request, answer)
		}
		seen = append(seen, strings.Join(strings.Split(d.subject, ".")[:2], "."))
		if got := answer.list("executions"); len(got) == 1 {
			reply = got[0].text("reply")
			for name, want := range map[string]string{"station": "resize", "command": "thumb"} {
				if got[0].text(name) != want {
					t.Errorf("%s is %q, want %q", name, got[0].text(name), want)
				}
			}
			continue
		}
		if d.answer == "" {
			continue
		}
		var shown body
		if err := json.Unmarshal([]byte(d.answer), &shown); err != nil {
			t.Fatalf("%s shows %s: %v", d.subject, d.answer, err)
		}
		match(t, d.request, answer, body(plainNumbers(map[string]any(shown)).(map[string]any)))
	}
	if want := "stations.put plans.create plans.claim plan.reply plan.reply"; strings.Join(seen, " ") != want {
		t.Errorf("the page shows %q, want %q", seen, want)
	}
	match(t, "the result", results.next(), body{"state": "ok", "content": "cat.thumb.png", "worker_id": "me", "final": true})
}

// The requests of the programs in Python and Node of docs/pull.md, byte by byte, on a
// connection that receives answers at a shared inbox, as their libraries do.
func TestPullWorkersInOtherLanguages(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	for language, replies := range map[string]struct{ claim, ping, ok, failed string }{
		"Python": {
			`{"limit": 1, "wait_ms": 5000, "worker_id": "py-1"}`, `{"state": "running", "worker_id": "py-1"}`,
			`{"state": "ok", "content": "cat.thumb.png", "worker_id": "py-1"}`, `{"state": "error", "error": "no cat", "worker_id": "py-1"}`,
		},
		"Node": {
			`{"worker_id":"node-1","limit":1,"wait_ms":5000}`, `{"worker_id":"node-1","state":"running"}`,
			`{"worker_id":"node-1","state":"ok","content":"cat.thumb.png"}`, `{"worker_id":"node-1","state":"error","error":"Error: no cat"}`,
		},
	} {
		t.Run(language, func(t *testing.T) {
			c := &client{t: t, nc: c.nc, enc: c.enc}
			station := c.station()
			c.req("stations.put", body{"station": station, "kind": "pull", "ping_timeout_ms": 15000})
			results := c.results(station)
			c.create(once(station).with(body{"messages": []any{"cat.png"}}))
			for _, last := range []string{replies.failed, replies.ok} {
				got := c.open(c.ask("plans.claim."+station, []byte(replies.claim))).list("executions")
				if len(got) != 1 {
					t.Fatalf("executions %v", got)
				}
				match(t, "a ping", c.open(c.ask(got[0].text("reply"), []byte(replies.ping))), body{"ack": true, "accepted": true, "ping_interval_ms": 5000})
				match(t, "the end", c.open(c.ask(got[0].text("reply"), []byte(last))), body{"ack": true, "accepted": true})
			}
			match(t, "a result", results.next(), body{"state": "error", "attempt": 1})
			match(t, "a result", results.next(), body{"state": "ok", "attempt": 2, "content": "cat.thumb.png"})
		})
	}
}
