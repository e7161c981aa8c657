package e2e

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A callback is a request as its receiver sees it.
type callback struct{ method, uri, key, body string }

// A proof is the signature of a callback, with its key, time and nonce.
type proof struct{ ak, time, nonce, signature string }

// A receiver is the target of callbacks. It refuses all of them until it is open.
type receiver struct {
	*httptest.Server
	calls  chan callback
	proofs chan proof
	mu     sync.Mutex
	fails  int // the next requests that are answered 503; -1: all
}

func listening(t *testing.T, fails int) *receiver {
	t.Helper()
	r := &receiver{calls: make(chan callback, 1000), proofs: make(chan proof, 1000), fails: fails}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.fails != 0 {
			r.fails = max(r.fails-1, -1)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		h := q.Header
		r.proofs <- proof{h.Get("X-Stationmaster-Key"), h.Get("X-Stationmaster-Time"), h.Get("X-Stationmaster-Nonce"), h.Get("X-Stationmaster-Signature")}
		r.calls <- callback{q.Method, q.RequestURI, q.Header.Get("Idempotency-Key"), string(body)}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails = 0
}

func (r *receiver) next(t *testing.T) callback {
	t.Helper()
	select {
	case call := <-r.calls:
		return call
	case <-time.After(patience):
		t.Fatal("there is no callback")
		return callback{}
	}
}

// delivered waits until no callback of a plan is pending.
func (c *client) delivered(watch *feed, station, id string) {
	c.t.Helper()
	for {
		if e := watch.of("closed"); e.text("station") == "callback."+station && e.text("plan_id") == id {
			break
		}
	}
	match(c.t, "what delivers", c.refused("plans.get", name("callback."+station, id)), body{"code": "not_found"})
}

func TestACallbackIsRepeatedUntilItIsTaken(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private", "--partitions", "4")
	for _, enc := range []codec{inJSON, inMsgPack} {
		c := connect(t, s, enc)
		station := c.station()
		to := listening(t, 2)
		c.req("stations.put", body{"station": station, "callback": body{
			"success": body{"url": to.URL + "/done?a=1"}, "error": body{"url": to.URL + "/failed", "method": "PUT"},
		}})
		watch, work := c.events("callback."+station), c.worker(station)
		c.create(body{"station": station, "plan_id": "p", "command": "c", "ext": body{"order": 7}, "retry": body{"max_error_count": 0}})
		match(t, "the answer", work.take().request(body{"state": "ok", "content": body{"size": 3}}), body{"accepted": true})

		first := to.next(t)
		if want := (callback{"POST", "/done?a=1", first.key, `{"ext":{"order":7},"result":{"size":3}}`}); first != want || first.key == "" {
			t.Errorf("called back with %+v, want %+v", first, want)
		}
		match(t, "what delivers", c.req("plans.get", name("callback."+station, "p")).obj("state").obj("inbox"), body{"length": 1})

		// The plan is created again under its name; the callbacks of the new one queue
		// behind those of the first.
		c.create(body{"station": station, "plan_id": "p", "command": "c", "ext": "again", "retry": body{"max_error_count": 0}})
		work.take().request(body{"state": "error", "error": "broken"})
		for range 2 {
			if again := to.next(t); again != first {
				t.Errorf("called back again with %+v, want %+v", again, first)
			}
		}
		second := to.next(t)
		if want := (callback{"PUT", "/failed", second.key, `{"task_id":"p","error_info":"broken","ext":"again"}`}); second != want || second.key == first.key {
			t.Errorf("then called back with %+v, want %+v", second, want)
		}
		c.delivered(watch, station, "p")
	}
}

// With defaults alone each occurrence gives way to the next before its retries are used up.
func TestACronJobThatAlwaysFailsIsCalledBack(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private")
	c := connect(t, s, inJSON)
	station := c.station()
	to := listening(t, 0)
	c.req("stations.put", body{"station": station, "callback": body{"error": body{"url": to.URL + "/alarm"}}})
	c.serve(station, func(*execution) any { return body{"state": "error", "error": "exit status 1"} })
	c.create(body{"station": station, "plan_id": "p", "command": "c", "plan_type": "cron", "cron": "*/2 * * * * *"})
	for range 2 {
		call := to.next(t)
		if want := (callback{"POST", "/alarm", call.key, `{"task_id":"p","error_info":"exit status 1","ext":null}`}); call != want {
			t.Errorf("called back with %+v, want %+v", call, want)
		}
	}
	if failed := c.req("plans.get", name(station, "p")).obj("state"); failed.int("skip_num") < 2 {
		t.Errorf("its state is %v", failed)
	}
	c.req("plans.remove", name(station, "p"))
}

// A worker's reply can ask for no callback and for no retry.
func TestAWorkerMayWantNoCallbackAndNoRetry(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private")
	c := connect(t, s, inJSON)
	station := c.station()
	to := listening(t, 0)
	c.req("stations.put", body{
		"station": station, "retry": body{"strategy": "fixed_period", "interval": 3600, "need_manual": true},
		"callback": body{"success": body{"url": to.URL + "/done"}, "error": body{"url": to.URL + "/failed"}},
	})
	work := c.worker(station)
	c.create(body{"station": station, "plan_id": "quiet", "command": "c"})
	work.take().request(body{"state": "ok", "callback": false})
	match(t, "what delivers", c.refused("plans.get", name("callback."+station, "quiet")), body{"code": "not_found"})

	c.create(body{"station": station, "plan_id": "final", "command": "c"})
	work.take().request(body{"state": "error", "error": "no such file", "retry": false})
	if got := to.next(t); got.uri != "/failed" || got.body != `{"task_id":"final","error_info":"no such file","ext":null}` {
		t.Errorf("called back with %+v", got)
	}
	match(t, "the plan", c.refused("plans.get", name(station, "final")), body{"code": "not_found"})
	match(t, "the run", c.runs(station, "final")[0], body{"state": "failure", "reason": "worker", "final": true})

	// An occurrence that waits for a person causes a callback, and so does its outcome.
	c.create(body{"station": station, "plan_id": "stuck", "command": "c", "retry": body{"max_error_count": 0, "need_manual": true}})
	work.take().request(body{"state": "error", "error": "help"})
	if got := to.next(t); got.body != `{"task_id":"stuck","error_info":"help","ext":null}` {
		t.Errorf("called back with %+v", got)
	}
	match(t, "the plan", c.state(station, "stuck"), body{"status": "pending"})
	c.req("plans.reset", name(station, "stuck"))
	work.take().request(body{"state": "ok", "content": "helped"})
	if got := to.next(t); got.uri != "/done" || got.body != `{"ext":null,"result":"helped"}` {
		t.Errorf("called back with %+v", got)
	}
}

// A settlement before a kill -9 is delivered after it, once in each plan's order, and under
// the same idempotency key.
func TestNoCallbackIsLostByKill9(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private")
	c := connect(t, s, inJSON)
	station := c.station()
	to := listening(t, -1)
	c.req("stations.put", body{"station": station, "callback": body{"success": body{"url": to.URL}}})
	// A call that was under way when its worker was killed is made again after that.
	c.req("stations.put", body{"station": "callback." + station, "exec_timeout": 2})
	work := c.worker(station)
	const plans = 40
	keys := map[string]string{} // by body, the key of the first attempt
	for i := range plans {
		id := fmt.Sprintf("p%d", i)
		c.create(body{"station": station, "plan_id": id, "command": "c", "ext": id})
		match(t, "the answer", work.take().request(body{"state": "ok"}), body{"accepted": true})
		switch i {
		case plans / 4: // between one settlement and the next, during any delivery
			s.kill9()
			s.restart(t)
			c.flush()
		case plans / 2:
			call := to.next(t)
			keys[call.body] = call.key
		}
	}
	s.kill9()
	for len(to.calls) > 0 { // none of them was accepted; later ones may be
		call := <-to.calls
		keys[call.body] = call.key
	}
	to.open()
	s.restart(t)
	c.flush()
	seen := map[string]int{}
	for len(seen) < plans {
		call := to.next(t)
		if was := keys[call.body]; was != "" && was != call.key {
			t.Errorf("%s has the key %s, and had %s", call.body, call.key, was)
		}
		seen[call.body]++
	}
	for i := range plans {
		if want := fmt.Sprintf(`{"ext":"p%d","result":null}`, i); seen[want] == 0 {
			t.Errorf("%s was never delivered: %v", want, slices.Collect(func(yield func(string) bool) {
				for body := range seen {
					if !yield(body) {
						return
					}
				}
			}))
		}
	}
	for { // and then none is pending
		if left := c.pages("plans.list", "plans", body{"station": "callback.>"}); len(left) == 0 {
			break
		}
		if t.Failed() || t.Context().Err() != nil {
			t.Fatal("something is never delivered")
		}
		c.passed(time.Now().Add(20 * time.Millisecond))
	}
}

// The largest definition and the largest answer are delivered together.
func TestALargeResultIsDeliveredInFull(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private")
	for _, enc := range []codec{inJSON, inMsgPack} {
		c := connect(t, s, enc)
		station := c.station()
		to := listening(t, 1)
		c.req("stations.put", body{"station": station, "callback": body{"success": body{"url": to.URL}}})
		work := c.worker(station)
		ext, content := strings.Repeat("e", 512<<10-500), strings.Repeat("c", 256<<10-100)
		c.create(body{"station": station, "plan_id": "p", "command": "c", "ext": ext})
		match(t, "the answer", work.take().request(body{"state": "ok", "content": content}), body{"accepted": true})
		for range 2 {
			if got, want := to.next(t).body, fmt.Sprintf(`{"ext":%q,"result":%q}`, ext, content); got != want {
				t.Errorf("called back with %d bytes, want %d", len(got), len(want))
			}
		}
	}
}

// A type's callbacks are signed with its secret, which appears in no answer. The task is
// Completed until its callback is delivered, then Success.
func TestATaskTypeSignsItsCallbacks(t *testing.T) {
	t.Parallel()
	const secret = "hush-hush-hush"
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(strings.Repeat("0f", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--http-allow-private", "--secrets-key-file", keys)
	c := connect(t, s, inJSON)
	to := listening(t, 2)
	put := body{"code": "transcode", "config": body{"kind": "api", "callback": body{
		"success":  body{"url": to.URL + "/done?x=%20", "method": "PUT"},
		"security": body{"type": "aksk", "ak": "AK", "sk": secret},
	}}}
	c.req("task_types.put", put)
	work := c.worker("transcode")
	c.req("tasks.submit", body{"type": "transcode", "id": "T1", "ext": body{"order": 7}})
	work.take().request(body{"state": "ok", "content": "done"})

	nonces := map[string]bool{}
	for try := range 3 {
		call, proof := to.next(t), <-to.proofs
		if want := (callback{"PUT", "/done?x=%20", call.key, `{"ext":{"order":7},"result":"done"}`}); call != want {
			t.Errorf("called back with %+v, want %+v", call, want)
		}
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "PUT\n/done?x=%%20\n%s\n%s\n%s", proof.time, proof.nonce, call.body)
		if want := hex.EncodeToString(mac.Sum(nil)); proof.signature != want || proof.ak != "AK" {
			t.Errorf("signed %+v, want %s", proof, want)
		}
		nonces[proof.nonce] = true
		if try == 0 {
			match(t, "the task", c.req("tasks.get", body{"type": "transcode", "id": "T1"}), body{"status": "Completed", "result": "done"})
		}
	}
	if len(nonces) != 1 {
		t.Errorf("the tries have the nonces %v", nonces)
	}
	for c.req("tasks.get", body{"type": "transcode", "id": "T1"}).text("status") == "Completed" {
		c.passed(time.Now())
	}
	match(t, "the task", c.req("tasks.get", body{"type": "transcode", "id": "T1"}), body{"status": "Success"})

	for subject, request := range map[string]body{
		"task_types.get": {"code": "transcode"}, "task_types.list": {}, "stations.get": {"station": "transcode"}, "stations.list": {},
	} {
		if shown := string(c.ask(subject, c.encode(request)).Data); strings.Contains(shown, secret) || !strings.Contains(shown, `"AK"`) {
			t.Errorf("%s shows %s", subject, shown)
		}
	}
	backup, _, code := command(t, "", "export", "--nats-url", "nats://"+s.nats)
	if code != 0 || strings.Contains(backup, secret) || !strings.Contains(backup, "transcode") {
		t.Errorf("export ends with %d and prints %s", code, backup)
	}
	if log := s.log.String(); strings.Contains(log, secret) {
		t.Error("the log has the secret")
	}
	s.kill9() // and on disk it is sealed
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
