package console_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/console"
	"github.com/stationmaster-io/stationmaster/docs"
)

var (
	ofHelp    = regexp.MustCompile(`(?:href|src)="/sm(/ui/help[^"#]*)(?:#([^"]*))?"`)
	innerLink = regexp.MustCompile(`href="#([^"]+)"`)
	noHeading = regexp.MustCompile(`<th[^>]*></th>`)
	inline    = regexp.MustCompile(`(?i)<style|<script>|<script [^>]*>[^<]|\son\w+="|style="|<iframe|<object`)
)

// Each page of the docs is a page of the help, whose links lead to pages and headings that there
// are, with nothing inline.
func TestThePagesOfTheDocs(t *testing.T) {
	bodies := map[string]string{} // by their paths
	h := console.Handler(console.Config{Base: "/sm"})
	get := func(path string) *http.Response {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Result()
	}
	visit := func(path string) string {
		if bodies[path] == "" {
			r := get(path)
			if bodies[path] = text(t, r); r.StatusCode != http.StatusOK {
				t.Errorf("%s: got status %d", path, r.StatusCode)
			}
		}
		return bodies[path]
	}
	pages := 0
	err := fs.WalkDir(docs.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		page, is := strings.CutSuffix(name, ".md")
		if err != nil || !is {
			return err
		}
		pages++
		path := "/ui/help/" + strings.TrimSuffix(strings.TrimSuffix(page, "README"), "/")
		body := visit(path)
		if n := strings.Count(body, "<h1"); n != 1 || !strings.Contains(body, "<article") {
			t.Errorf("%s has %d h1", path, n)
		}
		if bad := noHeading.FindString(body); bad != "" {
			t.Errorf("%s has %q", path, bad)
		}
		if bad := inline.FindString(body); bad != "" {
			t.Errorf("%s has %q", path, bad)
		}
		for _, link := range ofHelp.FindAllStringSubmatch(body, -1) {
			if target := visit(link[1]); link[2] != "" && !strings.Contains(target, `id="`+link[2]+`"`) {
				t.Errorf("%s links to %s#%s, which is no heading there", path, link[1], link[2])
			}
		}
		for _, link := range innerLink.FindAllStringSubmatch(body, -1) {
			if !strings.Contains(body, `id="`+link[1]+`"`) {
				t.Errorf("%s links to #%s, which is no heading of it", path, link[1])
			}
		}
		if bad := regexp.MustCompile(`(href|src)="(\.|[a-z-]+\.(md|webp|svg))`).FindString(body); bad != "" {
			t.Errorf("%s has the link %s", path, bad)
		}
		return nil
	})
	if err != nil || pages < 60 {
		t.Fatalf("%d pages: %v", pages, err)
	}
	for path, part := range map[string]string{
		"/ui/help": "<title>Help · Stationmaster</title>", "/ui/help/": "<h1>Help</h1>", "/ui/help/queues": "<title>Merge queues · Stationmaster</title>",
		"/ui/help/adr": `href="/sm/ui/help/adr/0001-clock-changes"`, "/ui/help/console": `src="/sm/ui/help/console-plan.webp"`,
	} {
		if !strings.Contains(visit(path), part) {
			t.Errorf("%s lacks %s", path, part)
		}
	}
	if r := get("/ui/help/console-plan.webp"); r.Header.Get("Content-Type") != "image/webp" || r.StatusCode != http.StatusOK {
		t.Errorf("a picture is %d %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	for _, path := range []string{"/ui/help/nothing", "/ui/help/queues.md", "/ui/helpful", "/ui/help/../queues/a/b", "/ui/help/adr/nothing"} {
		if r := get(path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got status %d", path, r.StatusCode)
		}
	}
}
