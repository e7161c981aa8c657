package node_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// Clients that connect, send a request and vanish leave no goroutine behind, over NATS,
// REST or a live stream.
func TestVisitorsLeaveNothingBehind(t *testing.T) {
	n := guarded(t)
	by := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	const visitors, slack = 100, 40 // the first ones start goroutines that may stay
	before := runtime.NumGoroutine()
	for i := range visitors {
		visit(t, n, by, i)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before+slack; <-tick.C {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines after %d visitors, %d before:\n%s", runtime.NumGoroutine(), visitors, before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// visit is a client that creates, claims, subscribes and asks, and waits for few of the
// answers.
func visit(t *testing.T, n *node.Node, by *http.Client, i int) {
	t.Helper()
	nc, err := nats.Connect(n.URL(), nats.Timeout(patience), nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	id := "v" + strconv.Itoa(i)
	for _, subject := range []string{"station.v", "plan.result.>", "plan.event.>"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := nc.Request("plans.create", []byte(`{"station":"v","plan_id":"`+id+`","command":"c","plan_type":"none","on_conflict":"keep"}`), patience); err != nil {
		t.Fatal(err)
	}
	for subject, body := range map[string]string{
		"plans.claim.v": `{"worker_id":"` + id + `","limit":1,"wait_ms":100}`, "plans.list": `{}`, "tasks.list": `{"history":true}`, "plans.export": `{}`, "plans.create": `{`,
	} {
		if err := nc.PublishRequest(subject, nc.NewRespInbox(), []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := nc.Request("plans.remove", []byte(`{"station":"v","plan_id":"`+id+`"}`), patience); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/plans", "/api/v1/events", "/api/v1/none", "/metrics", "/readyz"} {
		ctx, leave := context.WithCancel(t.Context())
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.HTTPAddr()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer "+readerToken)
		r, err := by.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if path != "/api/v1/events" { // the stream of events never ends
			_, _ = io.Copy(io.Discard, r.Body)
		}
		leave()
		_ = r.Body.Close()
	}
	half := dial(t, n)
	if _, err := io.WriteString(half, "POST /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+operatorToken+"\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	_ = half.Close()
}
