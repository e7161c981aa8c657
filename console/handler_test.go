package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/console"
)

// get asks the console at base path /sm, with header pairs.
func get(t *testing.T, path string, headers ...string) *http.Response {
	t.Helper()
	h := console.Handler(console.Config{Base: "/sm", Session: func(*http.Request) []byte {
		return []byte(`{"role":"reader","name":"<script>\"'"}`)
	}})
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	all, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestAPageIsTheShellWithTheSession(t *testing.T) {
	r := get(t, "/ui/plans")
	body := text(t, r)
	if r.StatusCode != 200 || r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got status %d with %v", r.StatusCode, r.Header)
	}
	for _, part := range []string{
		`<html lang="en">`, `<meta name="base" content="/sm">`,
		`<meta name="session" content="{&#34;role&#34;:&#34;reader&#34;,&#34;name&#34;:&#34;&lt;script&gt;\&#34;&#39;&#34;}">`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("the document lacks %s:\n%s", part, body)
		}
	}
}

func TestPagesAndOthers(t *testing.T) {
	for path, status := range map[string]int{
		"/ui/": 200, "/ui/plans/new": 200, "/ui/plans/mail/digest": 200, "/ui/plans/mail/a%2Fb": 200, "/ui/plans/mail/digest/runs/4": 200,
		"/ui/runs": 200, "/ui/stations": 200, "/ui/stations/mail": 200, "/ui/workers": 200, "/ui/tasks": 200, "/ui/tasks/review/a": 200, "/ui/tasks/review": 404, "/ui/task-types": 200, "/ui/queues": 200, "/ui/queues/a%2Fb": 200, "/ui/queues/a/b": 404, "/ui/cluster": 200, "/ui/jobs": 200, "/ui/jobs/a%2Fb": 200, "/ui/jobs/a/b": 404, "/ui/periodic": 200, "/ui/periodic/nightly": 200, "/ui/callbacks": 200, "/ui/callbacks/x": 404,
		"/ui/nothing": 404, "/ui/runs/1": 404, "/ui/stations/": 200, "/ui/stations/mail/x": 404, "/ui/plans/mail": 404, "/ui/plans/mail/digest/nothing": 404, "/ui/plans//digest": 404,
		"/ui/plans/": 200, "/ui/dist/app.js": 404,
	} {
		r := get(t, path)
		if r.StatusCode != status || !strings.Contains(text(t, r), "<html") {
			t.Errorf("%s: got status %d, want %d within the shell", path, r.StatusCode, status)
		}
	}
}

// The address that is preloaded is the one that the application asks for, byte for byte.
func TestThePagesDataIsPreloaded(t *testing.T) {
	for path, want := range map[string]string{
		"/ui/":              "/overview?lang=en",
		"/ui/?lang=zh":      "/overview?lang=zh",
		"/ui/plans":         "/plans?fields=brief&amp;runs=20&amp;words=en",
		"/ui/plans?lang=zh": "/plans?fields=brief&amp;runs=20&amp;words=zh",
		"/ui/plans?limit=5&text=a+b~*é&status=&": "/plans?text=a+b%7E*%C3%A9&amp;limit=5&amp;fields=brief&amp;runs=20&amp;words=en",
		"/ui/plans/mail/a%2Fb":                   "/plans/mail/a%2Fb",
		"/ui/plans/mail/digest/edit":             "/plans/mail/digest",
		"/ui/plans/mail/digest/runs/4":           "/plans/mail/digest/runs/4",
		"/ui/plans/new?copy=mail/digest":         "/plans/mail/digest",
		"/ui/runs":                               "/runs",
		"/ui/runs?reason=a+b&trouble=true&from=2026-03-01T18:00:00Z&tab=x": "/runs?trouble=true&amp;reason=a+b&amp;from=2026-03-01T18%3A00%3A00Z",
		"/ui/stations?limit=5":            "/stations?limit=5&amp;used=true",
		"/ui/stations/eu.mail":            "/stations/eu.mail?used=true",
		"/ui/workers":                     "/workers",
		"/ui/workers?limit=5&station=a+b": "/workers?station=a+b&amp;limit=5",
		"/ui/workers/a%2Fb":               "/workers/a%2Fb",
		"/ui/tasks?type=a":                "/async-tasks?type=a&amp;order=status",
		"/ui/tasks?history=true&limit=2":  "/async-tasks?history=true&amp;limit=2",
		"/ui/tasks/review/a":              "/async-tasks/review/a",
		"/ui/task-types?code=review":      "/task-types",
		"/ui/queues?limit=5&station=a+b":  "/queues?station=a+b&amp;limit=5",
		"/ui/queues/a%2Fb%20c":            "/queues/a%2Fb%20c",
		"/ui/queues/-a":                   "",
		"/ui/periodic?status=new&type=x":  "/periodic-tasks?type=x&amp;status=new",
		"/ui/periodic/a%2Fb":              "/periodic-tasks/a%2Fb",
		"/ui/callbacks?text=x":            "/plans?text=x&amp;station=callback.%3E&amp;fields=brief",
		"/ui/cluster":                     "/nodes",
		"/ui/jobs?status=ENABLED&name=x":  "/tasks?name=x&amp;status=ENABLED&amp;words=en&amp;state=true",
		"/ui/jobs/a%2Fb?lang=zh":          "/tasks/a%2Fb?words=zh&amp;state=true",
		"/ui/plans/new":                   "", "/ui/login": "", "/ui/nothing": "", "/ui/plans/mail/a%ff": "", "/ui/stations/a%ff": "",
	} {
		link := ""
		if want != "" {
			link = `<link rel="preload" id="data" as="fetch" crossorigin href="/sm/api/v1` + want + `">`
		}
		body := strings.ReplaceAll(text(t, get(t, path)), "&#43;", "+")
		if !strings.Contains(body, link) || link == "" && strings.Contains(body, "preload") {
			t.Errorf("%s preloads not %s:\n%s", path, link, body)
		}
	}
}

func TestTheLanguageOfTheDocument(t *testing.T) {
	for _, test := range []struct{ path, accepted, want string }{
		{"/ui/", "", "en"}, {"/ui/", "de, zh-TW;q=0.8, en;q=0.5", "zh-CN"}, {"/ui/", "en-GB,zh", "en"}, {"/ui/?lang=zh", "en", "zh-CN"}, {"/ui/?lang=xx", "fr", "en"},
	} {
		if body := text(t, get(t, test.path, "Accept-Language", test.accepted)); !strings.Contains(body, `<html lang="`+test.want+`">`) {
			t.Errorf("%s with %q: the language is not %s", test.path, test.accepted, test.want)
		}
	}
}

func TestFilesAreKeptByTheirVersion(t *testing.T) {
	found := regexp.MustCompile(`src="/sm(/ui/app\.js\?v=[\w-]+)"`).FindStringSubmatch(text(t, get(t, "/ui/")))
	if found == nil {
		t.Fatal("the document names no script with a version")
	}
	want, err := os.ReadFile("dist/app.js")
	if err != nil {
		t.Fatal(err)
	}
	r := get(t, found[1], "Accept-Encoding", "br, gzip;q=0.5")
	if r.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("got %v", r.Header)
	}
	plain, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(plain); err != nil || string(got) != string(want) {
		t.Errorf("the compressed script is not dist/app.js: %v", err)
	}
	r = get(t, "/ui/app.js?v=older", "Accept-Encoding", "gzip;q=0")
	if r.Header.Get("Content-Encoding") != "" || r.Header.Get("Cache-Control") != "no-cache" || text(t, r) != string(want) {
		t.Errorf("without gzip and with another version: got %v", r.Header)
	}
	if r = get(t, "/ui/app.js", "If-None-Match", r.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
		t.Errorf("with its tag: got status %d", r.StatusCode)
	}
}

func TestEveryAnswerHasTheHeadersOfSecurity(t *testing.T) {
	for _, path := range []string{"/ui/", "/ui/nothing", "/ui/app.js", "/ui/app.css"} {
		h := get(t, path).Header
		for name, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy":              "no-referrer",
			"X-Content-Type-Options":       "nosniff",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if !strings.Contains(h.Get("Permissions-Policy"), "camera=()") {
			t.Errorf("%s: Permissions-Policy is %q", path, h.Get("Permissions-Policy"))
		}
	}
}

// TestTheShellHasNoInlineCode, which the policy would refuse.
func TestTheShellHasNoInlineCode(t *testing.T) {
	body := text(t, get(t, "/ui/"))
	if inline := regexp.MustCompile(`<style|<script>|<script [^>]*>[^<]|\son\w+=|style=`).FindString(body); inline != "" {
		t.Errorf("the shell has %q", inline)
	}
}
