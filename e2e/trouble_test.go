package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trouble returns the entry of a kind in the overview, once there is one.
func (v visitor) trouble(kind string) (found map[string]any) {
	v.t.Helper()
	await(v.t, "the overview has trouble of kind "+kind, func() bool {
		for _, one := range v.object("/api/v1/overview")["trouble"].([]any) {
			if one := one.(map[string]any); one["kind"] == kind {
				found = one
			}
		}
		return found != nil
	})
	return found
}

// An execution that begins late because the process stood still is shown as trouble.
func TestALateExecutionIsTrouble(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, v := connect(t, s, inJSON), visitor{t, "http://" + s.http}
	c.req("stations.put", body{"station": "out", "kind": "pub"})
	due := time.Now().Add(2 * time.Second).Truncate(time.Second)
	c.create(body{"station": "out", "plan_id": "p", "command": "c", "plan_type": "time", "plan_time": c.moment(due), "catch_up": "full"})
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	await(t, "the plan is late", func() bool { return time.Now().After(due.Add(2 * time.Second)) })
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	late := v.trouble("late")
	since, _ := late["since"].(string)
	if at, err := time.Parse(time.RFC3339, since); err != nil || !at.Equal(due) {
		t.Errorf("it is late since %s, and was due at %s", since, due)
	}
	if ms, _ := late["count"].(float64); late["station"] != "out" || late["plan_id"] != "p" || ms < 2000 || !strings.Contains(late["text"].(string), "out/p began ") {
		t.Errorf("trouble: %v", late)
	}
}

// Callbacks that their receiver refuses are shown as trouble until it takes them.
func TestACallbackThatIsNotTakenIsTrouble(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow", "127.0.0.1")
	c, v := connect(t, s, inJSON), visitor{t, "http://" + s.http}
	to := listening(t, -1)
	c.req("stations.put", body{"station": "calls", "callback": body{"success": body{"url": to.URL}}})
	work := c.worker("calls")
	for _, id := range []string{"p", "q"} {
		c.create(once("calls").with(body{"plan_id": id}))
		work.take().request(body{"state": "ok"})
	}
	entry := v.trouble("callback")
	has(t, "the entry", entry, "since", "text")
	await(t, "both are counted", func() bool { entry = v.trouble("callback"); return entry["count"] == 2.0 })
	if entry["station"] != "calls" || entry["plan_id"] != nil || entry["text"] != "2 callbacks of station calls are not taken." {
		t.Errorf("trouble: %v", entry)
	}
	to.open()
	c.req("plans.trigger", body{"station": "callback.calls", "plan_id": "p"}) // it would be tried again later
	c.req("plans.trigger", body{"station": "callback.calls", "plan_id": "q"})
	await(t, "the trouble is gone", func() bool {
		_, text := v.wants(http.StatusOK, "GET", "/api/v1/overview", "")
		return !strings.Contains(text, `"callback"`)
	})
}
