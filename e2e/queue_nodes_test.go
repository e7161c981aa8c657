package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// A queue's service calls the leader's node, which is killed while it waits for the answer. The
// other node, which accepted pushes meanwhile, leads then, and repeats the delivery under way
// with the same items under the same key, before all later items.
func TestALeaderIsKilledDuringADelivery(t *testing.T) {
	t.Parallel()
	type call struct {
		key   string
		items []int
	}
	calls, answer := make(chan call, 20), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got := call{key: r.Header.Get("Idempotency-Key")}
		if body, err := io.ReadAll(r.Body); err == nil {
			_ = json.Unmarshal(body, &got.items) // missing items are noticed below
		}
		calls <- got
		<-answer
	}))
	defer service.Close()
	next := func() call {
		t.Helper()
		select {
		case got := <-calls:
			return got
		case <-time.After(2 * patience):
			t.Fatal("no call came")
			return call{}
		}
	}
	host := start(t)
	leader := beside(t, host, "q", "--http-allow-private")
	c := connect(t, host, inJSON)
	c.req("q.stations.put", body{"station": "queue", "start_timeout": 1, "exec_timeout": 3})
	push := func(s *server, n int, update string, ontime int64) {
		t.Helper()
		to := base64.URLEncoding.EncodeToString([]byte(service.URL))
		url := fmt.Sprintf("http://%s/v3/queue/k/POST/%s?update=%s&ontime=%d", s.http, to, update, ontime)
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(fmt.Sprint(n)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if response, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusOK {
			t.Fatalf("push %d: %d %s", n, r.StatusCode, response)
		}
	}
	for n := range 19 {
		push(leader, n, "once", time.Now().Add(time.Hour).Unix())
	}
	push(leader, 19, "always", 0)
	first := next()

	second := beside(t, host, "q", "--http-allow-private")
	for n := 20; n < 50; n++ {
		push(second, n, "once", 0)
	}
	leader.kill9()
	close(answer)
	seen, keys := first.items, map[string][]int{first.key: first.items}
	for len(seen) < 50 {
		got := next()
		if before, known := keys[got.key]; known {
			if !slices.Equal(before, got.items) {
				t.Errorf("under %s came %v, then %v", got.key, before, got.items)
			}
			continue
		}
		keys[got.key] = got.items
		seen = append(seen, got.items...)
	}
	for n, item := range seen {
		if n != item {
			t.Fatalf("items came in the order %v", seen)
		}
	}
	if len(first.items) != 20 || len(keys) != 2 {
		t.Errorf("handed over were %v", keys)
	}
	push(second, 50, "once", 0)
	if got := next(); !slices.Equal(got.items, []int{50}) {
		t.Errorf("then came %v", got.items)
	}
}

// A restore through nodes of which another leads has the items of each queue in their order. Which
// node takes a request is a matter of chance, so there are several.
func TestARestoreThroughANodeThatDoesNotLeadKeepsTheOrder(t *testing.T) {
	t.Parallel()
	const queues, items = 12, 100
	host := start(t)
	from := connect(t, host, inJSON)
	for q := range queues {
		for n := range items {
			from.req("queues.push", body{"key": fmt.Sprint(q), "task": n})
		}
	}
	file, _ := export(t, host)
	beside(t, host, "r")
	beside(t, host, "r")
	out, errs, code := command(t, "", "import", "-f", file, "--prefix", "r", "--nats-url", "nats://"+host.nats)
	if want := fmt.Sprintf("%d plans with %d items", queues, queues*items); code != 0 || !strings.Contains(out, want) {
		t.Fatalf("import: exit code %d, %q %q", code, out, errs)
	}
	for q := range queues {
		got := from.req("r.queues.get", body{"key": fmt.Sprint(q), "number": items, "timeout": 60, "random": "r"})
		tasks, _ := got["tasks"].([]any)
		if len(tasks) != items {
			t.Errorf("queue %d has %d items", q, len(tasks))
		}
		for n, task := range tasks {
			if fmt.Sprint(task) != fmt.Sprint(n) {
				t.Errorf("item %d of queue %d is %v", n, q, task)
				break
			}
		}
	}
}
