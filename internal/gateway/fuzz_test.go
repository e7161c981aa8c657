package gateway

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzRead reads the query, the If-Match and the body of any request of any route. An accepted
// request fits its route; a refused one is an error of the caller's.
func FuzzRead(f *testing.F) {
	for i, r := range routes {
		f.Add(uint8(i), "limit=7&cursor=x", `"7-1"`, "application/json", []byte(`{"plan":{}}`))
		for _, p := range r.query {
			f.Add(uint8(i), url.Values{p.name: {"ok", "a.>,b"}}.Encode(), "", "", []byte("[1]"))
		}
	}
	for _, name := range []string{"plan", "push", "restore", "task_batch", "periodic_put"} {
		body, err := os.ReadFile(filepath.Join("..", "..", "schema", "testdata", "wire", "v1", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(0), "limit=0", `W/"x"`, "text/plain", body)
		f.Add(uint8(len(name)), "a=%zz&a=1;b", "*", "application/problem+json; charset=utf-8", body)
	}
	g := New(Config{})
	f.Fuzz(func(t *testing.T, which uint8, query, ifMatch, contentType string, body []byte) {
		chosen := routes[int(which)%len(routes)]
		chosen.admit = nil // without a callback's token nothing else is checked
		found := &chosen
		r := &http.Request{
			Method: found.method, URL: &url.URL{Path: "/", RawQuery: query},
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
			Header: http.Header{"If-Match": {ifMatch}, "Content-Type": {contentType}},
		}
		q, err := g.read(found, httptest.NewRecorder(), r)
		if err != nil {
			isProblem(t, err)
			return
		}
		defer q.free()
		if filter, err := readFilter(q); err != nil {
			isProblem(t, err)
		} else if !all(filter.kinds, kinds) || !all(filter.states, states) {
			t.Fatalf("%q is the filter %+v", query, filter)
		}
		for name, values := range q.query {
			i := slices.IndexFunc(found.query, func(p parameter) bool { return p.name == name })
			if i < 0 || len(values) > 1 && !found.query[i].many {
				t.Fatalf("%s takes %s from %q", found.id, name, query)
			}
		}
		if kind := q.body.Kind(); kind != wire.KindAbsent && kind != wire.KindMap && !found.bodyAny || kind == wire.KindAbsent && found.body != "" && !found.bodyOptional {
			t.Fatalf("%s takes the body %q", found.id, body)
		}
		if n, err := q.limit(); err != nil {
			isProblem(t, err)
		} else if n < 1 || n > 1000 {
			t.Fatalf("%q has the limit %d", query, n)
		}
		if _, err := q.ifMatch(); err != nil {
			isProblem(t, err)
		}
	})
}

func all(words, known []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) })
}

// isProblem checks that an error can be shown to the caller, and is not internal.
func isProblem(t *testing.T, err error) {
	t.Helper()
	if p, internal := problemOf(err); internal || p.Status < 400 || p.Status >= 500 || p.Detail == "" {
		t.Fatalf("%v becomes the problem %+v", err, p)
	}
}
