package gateway_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// libraryWords are words of Go and of libraries, which users should not see.
var libraryWords = regexp.MustCompile(`strconv|[^-_a-z]time: |[^-_a-z]json: |yaml: |msgpack: |cannot unmarshal|!!|interface \{\}|\[[A-Za-z_]+( [A-Za-z_]+)+\]|%!|net/http|invalid syntax`)

// No error has the words of a library. Every route gets meaningless requests.
func TestWrongRequestsAreReportedInPlainWords(t *testing.T) {
	s := newSite(t, nil)
	for _, r := range gateway.Routes() {
		if strings.HasSuffix(r.Path, "/events") || r.Path == "/openapi.json" {
			continue // it has no end, or nothing of the caller's
		}
		for _, name := range []string{"x", "a%20b", "%FF", "q1%2F2", strings.Repeat("n", 700)} {
			path := strings.ReplaceAll(r.Path, "/x", "/"+name)
			bodies := []any{nil}
			if r.Body || r.BodyAny {
				bodies = []any{"", "{", "hello", "[1]", `{"nonsense":1}`, `{"name":7,"cron_expr":"61 * * * *","target_url":"x","timeout_seconds":"x","headers_json":"{","status":"no"}`,
					`{"station":7,"plan_id":[],"plan_type":"x","plan_value":1e30,"plan_time":"noon","count":"x","task":1,"ontime":"x","number":"x"}`}
			}
			for _, body := range bodies {
				for _, query := range []string{"", "?limit=x", "?nonsense=1", "?status=%5D%5B&from=x&to=x&state=no&failed=x&history=x&due_from=x&cursor=%25", "?%zz"} {
					if r.Method != http.MethodGet && query != "" && query != "?nonsense=1" {
						continue
					}
					answer := s.do(r.Method, path+query, body)
					if found := libraryWords.FindString(string(answer.body)); found != "" {
						t.Errorf("%s %s%s %v: %q in %s", r.Method, path, query, body, found, answer.body)
					}
				}
			}
		}
	}
}
