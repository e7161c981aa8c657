package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
)

// Values that are used while a log is written, and may not appear in it.
const (
	natsPassword   = "pa$$word-of-nats-&-0123"
	wrongPassword  = "pa$$word-that-is-wrong-4"
	operatorToken  = "token-of-an-operator-0123456789"
	readersToken   = "token-of-a-reader-0123456789"
	wrongToken     = "token-that-is-wrong-0123456789"
	callbackSecret = "hush-of-callbacks/0123"
	namedSecret    = "hush \"of\" targets & 0123"
	headersSecret  = "hush-of-a-header-0123"
	secretsKey     = "a5d1c3f70b2946e88f10d2c4b6a8907f5e3d1c0b9a8f7e6d5c4b3a2918070605"
)

// No secret is in the output of a program with the most verbose log and printed stacks while
// secrets are put and used, also without success. This holds with the embedded server and with an
// external one.
func TestNoSecretIsInTheLogOrInStacks(t *testing.T) {
	t.Parallel()
	tokens := file(t, "tokens", operatorToken+" operator\n"+readersToken+" reader\n")
	users := file(t, "users", "ops "+natsPassword+" operator\nhello "+natsPassword+" worker hello\n")
	flags := []string{
		"--log-level", "debug", "--http-allow-private", "--http-token-file", tokens, "--secrets-key-file", file(t, "keys", secretsKey+"\n"),
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		s := start(t, slices.Concat(flags, []string{"--nats-users-file", users})...)
		unsaid(t, s, s.nats)
	})
	t.Run("beside", func(t *testing.T) {
		t.Parallel()
		g := guard(t, fmt.Sprintf("authorization { users: [{ user: ops, password: %q }, { user: hello, password: %[1]q }] }", natsPassword))
		at := fmt.Sprintf("127.0.0.1:%d", g.port)
		s := &server{dir: t.TempDir(), nats: "127.0.0.1:0", http: "127.0.0.1:0"}
		s.flags = slices.Concat(flags, []string{"--nats-url", natsURL(at, natsPassword)})
		s.spawn()
		t.Cleanup(s.kill9)
		if err := s.ready(); err != nil {
			t.Fatal(err)
		}
		unsaid(t, s, at)
	})
}

func natsURL(at, password string) string {
	return (&url.URL{Scheme: "nats", Host: at, User: url.UserPassword("ops", password)}).String()
}

// unsaid uses secrets of all kinds and looks for them in the log.
func unsaid(t *testing.T, s *server, natsAt string) {
	t.Helper()
	as := func(user string) *client {
		nc, err := nats.Connect("nats://"+natsAt, nats.UserInfo(user, natsPassword), nats.CustomInboxPrefix("_INBOX."+user), nats.Timeout(patience))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return &client{t, nc, inJSON}
	}
	c := as("ops")
	if nc, err := nats.Connect("nats://"+natsAt, nats.UserInfo("ops", wrongPassword), nats.Timeout(patience)); err == nil {
		nc.Close()
		t.Error("a wrong password connects")
	}
	out, errs, code := command(t, "", "plan", "ls", "--nats-url", natsURL(natsAt, wrongPassword))
	if code != 1 || !strings.Contains(errs, "Authorization Violation") {
		t.Errorf("plan ls ends with %d: %s", code, errs)
	}
	for token, want := range map[string]int{operatorToken: 200, readersToken: 200, wrongToken: 401} {
		s.wants(t, "GET", "/api/v1/plans", token, want)
	}

	callbackToken := s.callsBack(t, c)
	s.calls(t, c)
	s.answersBack(t, c, as("hello"))

	_ = s.cmd.Process.Signal(syscall.SIGQUIT)
	<-s.ended
	output := s.log.String() + out + errs
	for _, part := range []string{"level=DEBUG", "http call", "msg=request", "\ngoroutine 1 ", "SIGQUIT"} {
		if !strings.Contains(output, part) {
			t.Errorf("the log lacks %q: it is not the most verbose", part)
		}
	}
	for _, secret := range []string{
		natsPassword, wrongPassword, operatorToken, readersToken, wrongToken, callbackSecret, namedSecret, headersSecret, secretsKey, callbackToken,
	} {
		for _, form := range []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(fmt.Sprintf("%q", secret), `"`),
			base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)),
		} {
			for line := range strings.Lines(output) {
				if strings.Contains(line, form) {
					t.Errorf("%q is printed: %s", secret, line)
				}
			}
		}
	}
}

// wants sends a request to REST, with the token in its place, and checks the status.
func (s *server) wants(t *testing.T, method, path, token string, want int) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.http+path, strings.NewReader(`{"status":"SUCCESS"}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+token)
	if method == http.MethodPost {
		q.Header = http.Header{"Content-Type": {"application/json"}}
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != want {
		t.Errorf("%s %s: %d %s, %v", method, path, resp.StatusCode, body, err)
	}
}

// callsBack has an ASYNC job ended with its token, which it returns.
func (s *server) callsBack(t *testing.T, c *client) string {
	t.Helper()
	asked := make(chan string, 1)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked <- q.Header.Get("X-Callback")
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(target.Close)
	results := c.results("http")
	c.create(httpPlan("async", body{"target_url": target.URL, "exec_type": "ASYNC", "headers": body{"X-Callback": "{{callback_token}}"}}))
	token := <-asked
	s.wants(t, "POST", "/api/v1/callbacks/async.1?token=x"+token, "", http.StatusForbidden)
	s.wants(t, "POST", "/api/v1/callbacks/async.1?token="+url.QueryEscape(token), "", http.StatusOK)
	match(t, "the result", results.next(), body{"plan_id": "async", "state": "ok"})
	return token
}

func httpPlan(id string, call body) body {
	return body{"station": "http", "plan_id": id, "command": "http", "retry": body{"strategy": "none"}, "messages": []any{call}}
}

// calls makes calls with secrets to a target that repeats them, to one that redirects, and
// to some that do not exist.
func (s *server) calls(t *testing.T, c *client) {
	t.Helper()
	var target *httptest.Server
	target = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/away" {
			http.Redirect(w, q, target.URL+"/?"+q.URL.RawQuery, http.StatusTemporaryRedirect)
			return
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %v", q.RequestURI, q.Header)
	}))
	t.Cleanup(target.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	tls := "https://" + strings.TrimPrefix(target.URL, "http://")
	results := c.results("http")
	c.req("secrets.put", body{"name": "partner", "value": namedSecret, "hosts": []any{target.URL, gone.URL, tls, "https://nobody.invalid"}})
	for i, at := range []string{target.URL + "/", target.URL + "/away", gone.URL + "/", tls + "/", "https://nobody.invalid/"} {
		id := fmt.Sprintf("c%d", i)
		c.create(httpPlan(id, body{
			"target_url": at + "?key={{secret:partner}}", "http_method": "POST", "body_template": "{{secret:partner}}",
			"headers": body{"X-Key": "{{secret:partner}}", "Authorization": "Bearer " + headersSecret},
		}))
		match(t, at, results.next(), body{"plan_id": id, "state": "failure"})
	}
}

// answersBack causes a signed callback that is accepted at the second attempt.
func (s *server) answersBack(t *testing.T, c, worker *client) {
	t.Helper()
	to := listening(t, 1)
	c.req("task_types.put", body{"code": "hello", "config": body{"kind": "api", "callback": body{
		"success": body{"url": to.URL}, "security": body{"type": "aksk", "ak": "AK", "sk": callbackSecret},
	}}})
	watch, work := c.events("callback.hello"), worker.worker("hello")
	c.req("tasks.submit", body{"type": "hello", "id": "T1"})
	work.take().request(body{"state": "ok"})
	for range 2 {
		to.next(t)
		if proof := <-to.proofs; proof.ak != "AK" || proof.signature == "" {
			t.Errorf("signed %+v", proof)
		}
	}
	c.delivered(watch, "hello", "T1")
}
