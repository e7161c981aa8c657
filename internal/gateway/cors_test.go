package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// A page of a listed origin reads and changes; a page of any other does neither.
func TestAPageOfAListedOriginMayAsk(t *testing.T) {
	const listed, other = "https://console.example.org", "https://console.example.org.evil.example"
	origins, err := gateway.ReadOrigins([]string{listed, "http://localhost:3000"})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.Origins = origins })

	asked := []string{"Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "authorization,content-type,if-match"}
	r := s.do(http.MethodOptions, "/api/v1/tasks/x", nil, append(asked, "Origin", listed)...).want(http.StatusNoContent)
	for name, holds := range map[string]string{
		"Access-Control-Allow-Origin": listed, "Access-Control-Allow-Methods": "PUT", "Access-Control-Allow-Headers": "Authorization",
		"Access-Control-Max-Age": "600", "Vary": "Origin",
	} {
		if got := r.header.Get(name); !strings.Contains(got, holds) {
			t.Errorf("%s: %q", name, got)
		}
	}
	r = s.do(http.MethodPost, "/api/v1/tasks", yearly("a"), "Origin", listed, "Sec-Fetch-Site", "cross-site").want(http.StatusCreated)
	if r.header.Get("Access-Control-Allow-Origin") != listed || !strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "ETag") {
		t.Errorf("%v", r.header)
	}
	if r = s.do(http.MethodGet, "/api/v1/tasks/none", nil, "Origin", listed).want(http.StatusNotFound); r.header.Get("Access-Control-Allow-Origin") != listed {
		t.Error("a page cannot read an error")
	}
	if r.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Error("cookies are asked for")
	}

	r = s.do(http.MethodOptions, "/api/v1/tasks/x", nil, append(asked, "Origin", other)...).want(http.StatusNoContent)
	if got := r.header.Get("Access-Control-Allow-Origin"); got != "" || r.header.Get("Vary") != "Origin" {
		t.Errorf("%s is let in as %q, vary %q", other, got, r.header.Get("Vary"))
	}
	s.do(http.MethodPost, "/api/v1/tasks", yearly("b"), "Origin", other, "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden)
}

func TestOriginsAreNamedOneByOne(t *testing.T) {
	for _, wrong := range []string{"*", "null", "", "console.example.org", "https://a.example/", "https://a.example/path", "https://A.example", "https://*.example", "https://a.example:443", "http://a.example:80"} {
		if _, err := gateway.ReadOrigins([]string{wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	if _, err := gateway.ReadOrigins([]string{"http://a.example:443", "https://a.example:80", "http://localhost:8080"}); err != nil {
		t.Error(err)
	}
}
