package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A surface is a way to send a verb of plans and to see its answer.
type surface func(t *testing.T, verb string, request body) body

// tour takes a plan through every verb; both surfaces have to see the same.
func tour(t *testing.T, c *client, request surface) {
	station := c.station()
	p := func(more body) body { return name(station, "p").with(more) }
	work, results := c.worker(station), c.results(station)
	occurrences := request(t, "preview", grid(station).without("station", "plan_id", "command")).list("occurrences")
	if len(occurrences) != 6 {
		t.Errorf("preview: %v", occurrences)
	}
	match(t, "create", request(t, "create", again(station, -1).with(body{"plan_id": "p", "paused": true, "command": "greet"})), body{"plan_id": "p", "state": "paused", "created": true})
	match(t, "get", request(t, "get", p(nil)).obj("plan"), body{"command": "greet", "plan_value": 0})
	match(t, "update", request(t, "update", p(body{"description": "a tour"})), body{"created": false, "state": "paused"})
	match(t, "trigger", request(t, "trigger", p(nil)), body{"n": 1})
	x := work.take()
	match(t, "the triggered one", x.body, body{"occurrence": 0, "command": "greet", "description": "a tour"})
	x.request(body{"state": "ok", "content": "triggered"})
	match(t, "its result", results.next(), body{"trigger": "manual", "content": "triggered"})
	match(t, "resume", request(t, "resume", p(nil)), body{"state": present})
	x = work.take()
	match(t, "the first", x.body, body{"occurrence": 1})
	match(t, "skip", request(t, "skip", p(body{"count": 2})), body{"state": "executing"})
	x.request(body{"state": "ok"})
	x = work.take()
	match(t, "after two that are skipped", x.body, body{"occurrence": 4})
	x.request(body{"state": "failure", "error": "broken"})
	match(t, "get", request(t, "get", p(nil)).obj("state"), body{"status": "plan_error"})
	match(t, "reset", request(t, "reset", p(nil)), body{"state": present})
	x = work.take()
	match(t, "after the reset", x.body, body{"occurrence": 4, "attempt": 2})
	n := x.n()
	match(t, "pause", request(t, "pause", p(nil)), body{"state": "paused"})
	match(t, "cancel", request(t, "cancel", p(body{"n": n})), body{"plan_id": "p"})
	match(t, "run", request(t, "run", p(body{"n": n})).obj("run"), body{"n": n, "occurrence": 4, "state": "cancelled"})
	match(t, "explain", request(t, "explain", p(body{"n": n})), body{"n": n, "occurrence": 4, "verdict": "cancelled", "reason": "manual"})
	match(t, "explain", request(t, "explain", p(body{"occurrence": 3})), body{"verdict": "skipped", "reason": "manual", "last_ok": present})
	match(t, "explain", request(t, "explain", p(nil)), body{"verdict": "waits", "sentence": present})
	listed := request(t, "list", body{"station": station}).list("plans")
	if len(listed) != 1 || listed[0].obj("plan").text("description") != "a tour" {
		t.Errorf("list: %v", listed)
	}
	var states []string
	for _, r := range request(t, "runs", p(nil)).list("runs") {
		states = append(states, fmt.Sprint(r.int("occurrence"), " ", r.text("state")))
	}
	if diff := cmp.Diff([]string{"4 cancelled", "4 failure", "3 skipped", "1 ok", "0 ok"}, states); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	match(t, "close", request(t, "close", p(nil)), body{"state": "closed"})
	request(t, "create", grid(station).with(body{"plan_id": "q"}))
	match(t, "remove", request(t, "remove", name(station, "q")), body{"plan_id": "q"})
	if left := request(t, "list", body{"station": station}).list("plans"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTheWholeSurfaceByPlainRequests(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		tour(t, c, func(t *testing.T, verb string, request body) body {
			t.Helper()
			if verb == "preview" {
				request = body{"plan": request}
			}
			return c.req("plans."+verb, request)
		})
	})
}

func TestTheWholeSurfaceFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	tour(t, c, func(t *testing.T, verb string, request body) body {
		t.Helper()
		at := request.text("station") + "/" + request.text("plan_id")
		args, stdin := []string{"plan", verb, at}, ""
		definition := func(words ...string) {
			raw, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			args, stdin = append([]string{"plan"}, words...), string(raw)
		}
		switch verb {
		case "create", "preview":
			definition(verb, "-f", "-")
		case "update":
			args = append(args, "--description", request.text("description"))
		case "skip":
			args = append(args, "--count", fmt.Sprint(request.int("count")))
		case "cancel", "run":
			args = append(args, fmt.Sprint(request.int("n")))
		case "explain":
			args[1] = "why"
			for field, flag := range map[string]string{"n": "--run", "occurrence": "--occurrence"} {
				if request.has(field) {
					args = append(args, flag, fmt.Sprint(request.int(field)))
				}
			}
		case "list":
			args = []string{"plan", "ls", request.text("station")}
		case "remove":
			args = []string{"plan", "rm", at}
		}
		out, errs, code := cli(t, stdin, append(args, "--json")...)
		if code != 0 {
			t.Fatalf("%q: exit code %d, %s", args, code, errs)
		}
		v, err := decodeJSON([]byte(strings.TrimSpace(out)))
		answer, ok := v.(map[string]any)
		if err != nil || !ok {
			t.Fatalf("%q prints %q: %v", args, out, err)
		}
		return answer
	})
}
