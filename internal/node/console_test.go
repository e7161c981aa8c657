package node_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestTheConsoleIsBelowTheBasePath asks a node whose proxy passes on all below /sm, and may take
// that off.
func TestTheConsoleIsBelowTheBasePath(t *testing.T) {
	cfg := local(t)
	cfg.HTTPBasePath = "/sm"
	s := open(t, cfg)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer browser.CloseIdleConnections()
	for _, tt := range []struct {
		path, accepts string
		status        int
		location      string
	}{
		{"/", "text/html", 302, "/sm/ui/"}, {"/sm", "text/html", 302, "/sm/ui/"}, {"/sm/", "text/html,*/*", 302, "/sm/ui/"},
		{"/sm/", "application/json", 404, ""}, {"/sm/ui", "*/*", 302, "/sm/ui/"},
		{"/sm/ui/", "text/html", 200, ""}, {"/ui/plans/a/b%2Fc", "text/html", 200, ""}, {"/sm/ui/plans/a/b%2Fc", "text/html", 200, ""},
		{"/smui/", "text/html", 404, ""}, {"/sm/api/v1/plans", "*/*", 200, ""}, {"/api/v1/plans", "*/*", 200, ""},
		{"/sm/api/v1/plans/mail/no%2Fplan", "*/*", 400, ""},
	} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.HTTPAddr()+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Accept", tt.accepts)
		r, err := browser.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != tt.status || r.Header.Get("Location") != tt.location {
			t.Errorf("%s for %s: status %d to %q, want %d to %q", tt.path, tt.accepts, r.StatusCode, r.Header.Get("Location"), tt.status, tt.location)
		}
		if tt.status == 200 && strings.Contains(tt.path, "/ui/") && !strings.Contains(string(body), `<meta name="base" content="/sm">`) {
			t.Errorf("%s is no page of the console: %s", tt.path, body)
		}
	}
}
