package e2e

import (
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A visitor asks REST as a browser or a program does.
type visitor struct {
	t    *testing.T
	base string
}

// ask returns the status, the headers and the body of an answer; headers are pairs.
func (v visitor) ask(method, path, body string, headers ...string) (int, http.Header, string) {
	v.t.Helper()
	q, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	r, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return r.StatusCode, r.Header, string(text)
}

func (v visitor) wants(status int, method, path, body string, headers ...string) (http.Header, string) {
	v.t.Helper()
	got, h, text := v.ask(method, path, body, headers...)
	if got != status {
		v.t.Fatalf("%s %s with %q: %d %s, want %d", method, path, headers, got, text, status)
	}
	return h, text
}

// A browser's session, from the login to the day on which its token is taken out of the file.
func TestASessionOfABrowser(t *testing.T) {
	t.Parallel()
	tokens := file(t, "tokens", operatorToken+" operator ann\n"+readersToken+" reader\n")
	s := start(t, "--http-token-file", tokens, "--http-public-url", "https://sm.example/sm", "--http-base-path", "/sm")
	v := visitor{t, "http://" + s.http}

	v.wants(401, "GET", "/sm/api/v1/session", "", "Sec-Fetch-Site", "same-origin")
	v.wants(401, "POST", "/sm/api/v1/session", `{"token":"`+wrongToken+`"}`, "Sec-Fetch-Site", "same-origin")
	v.wants(403, "POST", "/sm/api/v1/session", `{"token":"`+operatorToken+`"}`, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
	h, text := v.wants(200, "POST", "/sm/api/v1/session", `{"token":"`+operatorToken+`"}`, "Sec-Fetch-Site", "same-origin")
	cookie, rest, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	if !strings.HasPrefix(cookie, "__Host-sm_session=") || rest != " Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict" {
		t.Fatalf("the cookie is %q", h.Get("Set-Cookie"))
	}
	if !strings.Contains(text, `"role":"operator","name":"ann","login":true,"read_only":false`) {
		t.Errorf("the session is %s", text)
	}
	ours := []string{"Cookie", cookie, "Sec-Fetch-Site", "same-origin"}
	h, _ = v.wants(201, "POST", "/sm/api/v1/plans", `{"station":"w","plan_id":"p","command":"c","plan_type":"cron","cron":"0 0 1 1 *","paused":true}`, ours...)
	if h.Get("Location") != "/sm/api/v1/plans/w/p" {
		t.Errorf("the plan is at %q", h.Get("Location"))
	}
	_, text = v.wants(200, "GET", "/sm/api/v1/plans/w/p", "", ours...)
	if !strings.Contains(text, `"by":"ann"`) {
		t.Errorf("it was made by another: %s", text)
	}
	v.wants(401, "GET", "/sm/api/v1/plans", "", "Cookie", cookie)
	v.wants(401, "GET", "/sm/api/v1/plans", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site")
	v.wants(401, "GET", "/sm/api/v1/plans", "", append(ours, "Authorization", "Bearer "+wrongToken)...)
	v.wants(403, "DELETE", "/sm/api/v1/plans/w/p", "", append(ours, "Authorization", "Bearer "+readersToken)...)
	v.wants(403, "DELETE", "/sm/api/v1/plans/w/p", "", "Cookie", cookie, "Sec-Fetch-Site", "same-site", "Authorization", "Bearer "+operatorToken)

	// The document of a page has the session, and the session's secret is nowhere but in the
	// cookie.
	_, text = v.wants(200, "GET", "/sm/ui/plans/w/p", "", "Cookie", cookie, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	if !strings.Contains(text, `<meta name="session" content="{&#34;role&#34;:&#34;operator&#34;,&#34;name&#34;:&#34;ann&#34;`) || strings.Contains(text, operatorToken) {
		t.Errorf("the document is %s", text)
	}
	_, text = v.wants(200, "GET", "/sm/ui/plans/w/p", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	if !strings.Contains(text, `<meta name="session" content="">`) {
		t.Errorf("the document of a link from another site is %s", text)
	}

	// Another node of the installation would take it, and so does this one after a restart.
	if code := s.terminate(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	s.restart(t)
	v.base = "http://" + s.http
	v.wants(200, "GET", "/sm/api/v1/session", "", ours...)

	if err := os.WriteFile(tokens, []byte(readersToken+" reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if line, ok := s.log.await("file of tokens was read again", s.ended); !ok {
		t.Fatalf("it ended: %s", line)
	}
	v.wants(401, "GET", "/sm/api/v1/session", "", ours...)
	v.wants(200, "GET", "/sm/api/v1/session", "", "Authorization", "Bearer "+readersToken)
	if line := s.log.grep(operatorToken); len(line) > 0 {
		t.Errorf("the token is in the log: %s", line)
	}
}

// This machine needs no login without tokens, and a page whose name resolves to it gets nothing.
func TestThisMachineNeedsNoLogin(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-read-only")
	v := visitor{t, "http://" + s.http}
	_, text := v.wants(200, "GET", "/api/v1/session", "")
	if !strings.Contains(text, `"role":"reader","login":false,"read_only":true`) {
		t.Errorf("the session is %s", text)
	}
	v.wants(409, "POST", "/api/v1/session", `{"token":"`+operatorToken+`"}`)
	_, text = v.wants(403, "POST", "/api/v1/plans", `{"station":"w","plan_id":"p","command":"c","plan_type":"none"}`)
	if !strings.Contains(text, "--http-read-only") {
		t.Errorf("the refusal is %s", text)
	}
	q, err := http.NewRequestWithContext(t.Context(), "GET", v.base+"/api/v1/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Host = "evil.example"
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 403 {
		t.Errorf("by another name: %d", r.StatusCode)
	}
}
