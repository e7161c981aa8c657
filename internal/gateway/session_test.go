package gateway_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/console"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

var secret = bytes.Repeat([]byte{7}, 32)

// sessionSite is a guarded site with sessions, and a clock that the test moves on.
func sessionSite(t *testing.T, change func(*gateway.Config)) (s *site, tokens *gateway.Tokens, clock *atomic.Int64) {
	t.Helper()
	tokens = readTokens(t, reads+" reader ann\n"+changes+" operator\n")
	clock = &atomic.Int64{}
	s = newSite(t, func(c *gateway.Config) {
		c.Tokens, c.Sessions, c.Node = tokens, console.NewSessions(secret, false), "a"
		c.Now = func() time.Time { return time.Unix(1_800_000_000+clock.Load(), 0) }
		if change != nil {
			change(c)
		}
	})
	return s, tokens, clock
}

func readTokens(t *testing.T, text string) *gateway.Tokens {
	t.Helper()
	tokens, err := gateway.ReadTokens(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// login returns the cookie of a new session, as a header's value.
func (s *site) login(token string) string {
	s.t.Helper()
	set := s.do(http.MethodPost, "/api/v1/session", map[string]any{"token": token}).want(200).header.Get("Set-Cookie")
	pair, rest, _ := strings.Cut(set, ";")
	if rest != " Path=/; Max-Age=43200; HttpOnly; SameSite=Strict" || !strings.HasPrefix(pair, "sm_session=") {
		s.t.Fatalf("the cookie is %q", set)
	}
	return pair
}

func TestASessionIsOfItsToken(t *testing.T) {
	s, tokens, clock := sessionSite(t, nil)
	cookie := s.login(changes)
	if strings.Contains(cookie, changes) {
		t.Error("the cookie holds the token")
	}
	ask := func(method string, headers ...string) int {
		t.Helper()
		return s.asked(method, "/api/v1/session", append([]string{"Cookie", cookie}, headers...)...)
	}
	for _, tt := range []struct {
		about   string
		headers []string
		status  int
	}{
		{"a page of ours", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"the user opens a page", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"no page", nil, 401},
		{"none, but no page is opened", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 401},
		{"a page of the same site", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 401},
		{"a page of another", []string{"Sec-Fetch-Site", "cross-site"}, 401},
		{"the header wins", []string{"Sec-Fetch-Site", "same-origin", "Authorization", "Bearer wrong-and-long-enough"}, 401},
		{"an empty header wins, too", []string{"Sec-Fetch-Site", "same-origin", "Authorization", ""}, 401},
		{"a changed cookie", []string{"Sec-Fetch-Site", "same-origin"}, 401},
	} {
		if tt.about == "a changed cookie" {
			cookie = strings.Replace(cookie, "=", "=A", 1)
		}
		if got := ask(http.MethodGet, tt.headers...); got != tt.status {
			t.Errorf("%s: %d, want %d", tt.about, got, tt.status)
		}
	}

	cookie = s.login(changes)
	ours := []string{"Cookie", cookie, "Sec-Fetch-Site", "same-origin"}
	if got := s.asked(http.MethodPost, "/api/v1/plans/mail/x/pause", ours...); got != http.StatusNotFound {
		t.Errorf("a change with a session: %d", got)
	}
	if got := s.asked(http.MethodPost, "/api/v1/plans/mail/x/pause", "Cookie", cookie, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); got != http.StatusUnauthorized {
		t.Errorf("a change with a session that a navigation brings: %d", got)
	}

	tokens.Replace(readTokens(t, reads+" reader"))
	if got := s.asked(http.MethodGet, "/api/v1/session", ours...); got != http.StatusUnauthorized {
		t.Errorf("after its token was taken away: %d", got)
	}
	tokens.Replace(readTokens(t, changes+" reader"))
	if got := s.asked(http.MethodGet, "/api/v1/session", ours...); got != 200 {
		t.Errorf("after its token came back: %d", got)
	}
	if got := s.asked(http.MethodPost, "/api/v1/plans/mail/x/pause", ours...); got != http.StatusForbidden {
		t.Errorf("a change with the session of a token that is a reader's by now: %d", got)
	}
	clock.Store(12*60*60 + 1)
	if got := s.asked(http.MethodGet, "/api/v1/session", ours...); got != http.StatusUnauthorized {
		t.Errorf("after twelve hours: %d", got)
	}
}

func TestWhoASessionSaysThatAsks(t *testing.T) {
	s, _, _ := sessionSite(t, func(c *gateway.Config) { c.Prefix, c.Version = "acme", "1.2.3" })
	got := s.do(http.MethodGet, "/api/v1/session", nil, "Authorization", "Bearer "+reads).want(200)
	v := got.object()
	for name, want := range map[string]any{
		"role": "reader", "name": "ann", "login": true, "read_only": false, "version": "1.2.3", "prefix": "acme", "node": "a", "time": "2027-01-15T08:00:00Z",
	} {
		if v[name] != want {
			t.Errorf("%s is %v, want %v", name, v[name], want)
		}
	}
	if v["expires"] != nil || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("with a token: %v, %v", v, got.header)
	}
	cookie := s.login(changes)
	v = s.do(http.MethodGet, "/api/v1/session", nil, "Cookie", cookie, "Sec-Fetch-Site", "same-origin").want(200).object()
	if name, _ := v["name"].(string); v["role"] != "operator" || v["expires"] != "2027-01-15T20:00:00Z" || !strings.HasPrefix(name, "token-") || len(name) != len("token-")+6 {
		t.Errorf("with a session: %v", v)
	}
	end := s.do(http.MethodDelete, "/api/v1/session", nil).want(http.StatusNoContent)
	if set := end.header.Get("Set-Cookie"); set != "sm_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict" {
		t.Errorf("the end sets %q", set)
	}
	s.do(http.MethodPost, "/api/v1/session", map[string]any{"token": "wrong-and-long-enough"}).want(http.StatusUnauthorized)
	s.do(http.MethodPost, "/api/v1/session", `{"token":"`+strings.Repeat("x", 5000)+`"}`).want(http.StatusRequestEntityTooLarge)
	s.do(http.MethodPost, "/api/v1/session", map[string]any{"token": changes}, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden)
}

// With TLS in front the cookie is for TLS alone, and of this very host.
func TestTheCookieOfASecureSite(t *testing.T) {
	s, _, _ := sessionSite(t, func(c *gateway.Config) { c.Sessions = console.NewSessions(secret, true) })
	set := s.do(http.MethodPost, "/api/v1/session", map[string]any{"token": reads}).want(200).header.Get("Set-Cookie")
	if !strings.HasPrefix(set, "__Host-sm_session=") || !strings.HasSuffix(set, "; Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict") {
		t.Errorf("the cookie is %q", set)
	}
}

// Any node of an installation takes the session of another, and none of another installation.
func TestASessionIsOfItsInstallation(t *testing.T) {
	tokens := readTokens(t, reads+" reader")
	asked := func(cookie string, secret []byte) []byte {
		g := gateway.New(gateway.Config{Tokens: tokens, Sessions: console.NewSessions(secret, false)})
		r := httptest.NewRequest(http.MethodGet, "/ui/", nil)
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		return g.Session(r)
	}
	s, _, _ := sessionSite(t, func(c *gateway.Config) { c.Now = nil })
	cookie := s.login(reads)
	if got := asked(cookie, secret); !strings.Contains(string(got), `"role":"reader"`) {
		t.Errorf("another node of the installation: %s", got)
	}
	if got := asked(cookie, bytes.Repeat([]byte{8}, 32)); got != nil {
		t.Errorf("another installation: %s", got)
	}
}

func TestWithoutTokensThereIsNoLogin(t *testing.T) {
	s := newSite(t, func(c *gateway.Config) { c.Sessions = console.NewSessions(secret, false) })
	v := s.do(http.MethodGet, "/api/v1/session", nil).want(200).object()
	if v["login"] != false || v["role"] != "operator" || v["name"] != nil {
		t.Errorf("got %v", v)
	}
	s.do(http.MethodPost, "/api/v1/session", map[string]any{"token": changes}).want(http.StatusConflict)
	s.do(http.MethodDelete, "/api/v1/session", nil).want(http.StatusNoContent)
}

func TestAReadOnlyNodeTakesNoChanges(t *testing.T) {
	s, _, _ := sessionSite(t, func(c *gateway.Config) { c.ReadOnly = true })
	s.token = changes
	v := s.do(http.MethodGet, "/api/v1/session", nil).want(200).object()
	if v["role"] != "reader" || v["read_only"] != true {
		t.Errorf("got %v", v)
	}
	for _, r := range gateway.Routes() {
		if r.Role != "operator" && r.Role != "worker" {
			continue
		}
		if status := s.asked(r.Method, r.Path, "Authorization", "Bearer "+changes); status != http.StatusForbidden {
			t.Errorf("%s %s: %d", r.Method, r.Path, status)
		}
	}
}

// Ten wrong tokens a minute are answered as such. Then wrong ones are put off, and never a right
// one.
func TestGuessingIsSlow(t *testing.T) {
	var log bytes.Buffer
	s, _, clock := sessionSite(t, func(c *gateway.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for i := range 15 {
		want := http.StatusUnauthorized
		if i >= 10 {
			want = http.StatusTooManyRequests
		}
		if i%2 == 0 {
			got := s.do(http.MethodPost, "/api/v1/session", map[string]any{"token": "wrong-and-long-enough"}).want(want)
			if again := got.header.Get("Retry-After"); (want == 429) != (again == "60") {
				t.Errorf("Retry-After is %q with status %d", again, want)
			}
		} else if got := s.asked(http.MethodGet, "/api/v1/plans", "Authorization", "Bearer wrong-and-long-enough"); got != want {
			t.Errorf("wrong token %d: %d, want %d", i+1, got, want)
		}
	}
	s.login(reads)
	if got := s.asked(http.MethodGet, "/api/v1/plans", "Authorization", "Bearer "+reads); got != 200 {
		t.Errorf("a right one among them: %d", got)
	}
	if got := s.asked(http.MethodGet, "/api/v1/plans"); got != http.StatusUnauthorized {
		t.Errorf("none at all: %d", got)
	}
	if lines := strings.Count(log.String(), "wrong tokens"); lines != 1 {
		t.Errorf("%d lines in the log: %s", lines, log.String())
	}
	clock.Store(60)
	if got := s.asked(http.MethodGet, "/api/v1/plans", "Authorization", "Bearer wrong-and-long-enough"); got != http.StatusUnauthorized {
		t.Errorf("a minute later: %d", got)
	}
}

// A stream ends when its token is taken out of the file, and another goes on.
func TestAStreamEndsWithItsToken(t *testing.T) {
	s, tokens, _ := sessionSite(t, func(c *gateway.Config) { c.Heartbeat = time.Millisecond })
	s.token = changes
	stays := s.watch("", "")
	s.token = reads
	goes := s.watch("", "")
	tokens.Replace(readTokens(t, changes+" operator"))
	s.gateway.TokensReplaced()
	for {
		e := next(t, goes.all)
		if e.event == "bye" {
			break
		}
	}
	if e := next(t, stays.all); e.comment != "heartbeat" {
		t.Errorf("the other one: %+v", e)
	}
}
