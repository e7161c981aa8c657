package httpworker

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A GET loses its body to a redirect of 301, 302 and 303, so that the next target does not get
// the query. Only a 303, which has the response there, is followed, and named in the outcome. A
// redirect of 307 or 308 takes the body along.
func TestARedirectThatLosesABody(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err == nil {
			w.Header().Set("Location", "/there")
			w.WriteHeader(status)
			return
		}
		w.Header().Set("X-Request-Id", fmt.Sprintf("%s %q", r.Method, body))
	})
	for _, method := range []string{"GET", "HEAD"} {
		for status, want := range map[int]struct {
			class            schema.HTTPClass
			status           int64
			arrives, message string
		}{
			301: {schema.HTTPStatus, 301, "", "the target answered 301 Moved Permanently, a redirect that would lose the body of this " + method},
			302: {schema.HTTPStatus, 302, "", "the target answered 302 Found, a redirect that would lose the body of this " + method},
			303: {schema.HTTPOK, 200, method + ` ""`, "303 See Other lost the body of this " + method + ", which another address answered"},
			307: {schema.HTTPOK, 200, method + ` "{}"`, ""},
			308: {schema.HTTPOK, 200, method + ` "{}"`, ""},
		} {
			o := outcome(t.Context(), t, local(t), schema.HTTPCall{
				TargetURL: fmt.Sprintf("%s/%d", s.URL, status), HTTPMethod: schema.HTTPMethod(method), BodyTemplate: "{}",
			})
			if o.Class != want.class || o.Status != want.status || o.Headers["x-request-id"] != want.arrives || o.Message != want.message {
				t.Errorf("%s and %d: %+v; want %+v", method, status, o, want)
			}
		}
	}
}

// A 301 to a POST is not followed as a GET, because its response would be taken for that of the
// POST, which has not been made. A redirect after which it may have been made is followed, and
// named in the outcome.
func TestARedirectThatMakesAGet(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err != nil {
			fmt.Fprint(w, r.Method)
			return
		}
		if r.URL.RawQuery != "nowhere" {
			w.Header().Set("Location", "/there")
		}
		w.WriteHeader(status)
		fmt.Fprint(w, "moved")
	})
	for _, method := range []schema.HTTPMethod{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			call := schema.HTTPCall{TargetURL: fmt.Sprintf("%s/%d", s.URL, status), HTTPMethod: method, BodyTemplate: "x"}
			if method == "HEAD" || method == "GET" {
				call.BodyTemplate = ""
			}
			o := outcome(t.Context(), t, local(t), call)
			switch {
			case status > 303 || method == "GET" || method == "HEAD":
				if o.Class != schema.HTTPOK || o.Status != 200 || o.Message != "" || method != "HEAD" && o.Body != string(method) {
					t.Errorf("%s and %d: %+v; want it followed as %[1]s", method, status, o)
				}
			case status == 301:
				if o.Class != schema.HTTPStatus || o.Status != 301 || o.Body != "moved" || !strings.HasSuffix(o.Message, "a redirect that would make a GET of this "+string(method)) {
					t.Errorf("%s and %d: %+v; want it not followed", method, status, o)
				}
			default:
				if message := fmt.Sprintf("%d %s made a GET of this %s, which another address answered", status, http.StatusText(status), method); o.Class != schema.HTTPOK || o.Status != 200 || o.Body != "GET" || o.Message != message {
					t.Errorf("%s and %d: %+v; want %q", method, status, o, message)
				}
			}
		}
	}
	wanted := schema.HTTPCall{TargetURL: s.URL + "/303", HTTPMethod: "POST", SuccessStatus: statuses("303")}
	if o := outcome(t.Context(), t, local(t), wanted); o.Class != schema.HTTPOK || o.Status != 303 {
		t.Errorf("one that is a success: %+v", o)
	}
	nowhere := schema.HTTPCall{TargetURL: s.URL + "/302?nowhere", HTTPMethod: "POST"}
	if o := outcome(t.Context(), t, local(t), nowhere); o.Class != schema.HTTPStatus || o.Message != "the target answered 302 Found" {
		t.Errorf("one to nowhere: %+v", o)
	}
}
