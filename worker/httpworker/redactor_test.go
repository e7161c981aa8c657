package httpworker

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// knowing makes a worker that has a secret, key, for each of hosts.
func knowing(t *testing.T, value string, hosts ...string) *Worker {
	t.Helper()
	return caller(t, Options{
		AllowPrivate: true, CallbackURL: "https://gateway.example.org",
		Named: func(_ context.Context, name string) (*schema.NamedSecret, error) {
			return &schema.NamedSecret{Name: name, Value: schema.Secret(value), Hosts: hosts}, nil
		},
	})
}

// A redirect may have the secret of an address in its own, at any place and in any form.
func TestARedirectTakesNoSecretToAnotherHost(t *testing.T) {
	there, requests := target(t, ok)
	host := strings.TrimPrefix(there, "http://")
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		k := r.URL.Query().Get("k")
		to := map[string]string{
			"/kept":  there + "/?" + r.URL.RawQuery,
			"/plain": there + "/?k=" + k,
			"/lower": there + "/?k=" + lowerHex(url.QueryEscape(k)),
			"/path":  there + "/" + url.PathEscape(k) + "/x",
			"/host":  "http://" + k + "." + host + "/",
			"/user":  "http://" + url.QueryEscape(k) + "@" + host + "/",
			"/here":  "/?" + r.URL.RawQuery,
			"/none":  there + "/",
			"/hop":   "/kept?" + r.URL.RawQuery,
		}[r.URL.Path]
		if to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusMovedPermanently)
		}
	})
	for _, value := range []string{"a-longer/secret=", "42%"} {
		w := knowing(t, value, s.URL)
		for path, class := range map[string]schema.HTTPClass{
			"/kept": schema.HTTPRefused, "/plain": schema.HTTPRefused, "/lower": schema.HTTPRefused, "/path": schema.HTTPRefused,
			"/user": schema.HTTPRefused, "/hop": schema.HTTPRefused, "/here": schema.HTTPOK, "/none": schema.HTTPOK,
		} {
			o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: s.URL + path + "?k={{secret:key}}"})
			if o.Class != class || len(value) >= len(schema.Hidden) && strings.Contains(fmt.Sprint(o), value) {
				t.Errorf("%s with %s: %+v", path, value, o)
			}
			for len(requests) > 0 {
				if r := <-requests; class == schema.HTTPRefused {
					t.Errorf("%s with %s: another host was asked for %s", path, value, r.uri)
				}
			}
		}
	}
	// Names are resolved by strangers, and stand in errors.
	o := outcome(t.Context(), t, knowing(t, "longer-secret", s.URL), schema.HTTPCall{TargetURL: s.URL + "/host?k={{secret:key}}"})
	if o.Class != schema.HTTPRefused || strings.Contains(fmt.Sprint(o), "longer-secret") {
		t.Errorf("%+v", o)
	}
	o = outcome(t.Context(), t, knowing(t, "x"), schema.HTTPCall{TargetURL: s.URL + "/kept?k={{callback_token}}", ExecType: schema.ExecAsync})
	if o.Class != schema.HTTPRefused || len(requests) > 0 {
		t.Errorf("the token of a callback: %+v", o)
	}
}

func lowerHex(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c == '%' {
			copy(b[i:], strings.ToLower(s[i:i+3]))
		}
	}
	return string(b)
}

// Targets repeat their requests in the forms of their languages, cut off, and in part.
func TestSecretsThatATargetRepeatsAreNotShown(t *testing.T) {
	const value = `Qk/7+"s'e&c ret\ö😀=<9>%41==`
	each := func(form func(r rune) string) string {
		var b strings.Builder
		for _, r := range value {
			b.WriteString(form(r))
		}
		return b.String()
	}
	python := func(r rune) string {
		quoted := fmt.Sprintf("%+q", string(r)) // as JSON of Python, up to the next line
		if r > 0xffff {
			return `\ud83d\ude00`
		}
		return quoted[1 : len(quoted)-1]
	}
	inJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"as it is": value,
		"upper":    strings.ReplaceAll(strings.ToUpper(value), "Ö", "ö"),
		"query":    url.QueryEscape(value),
		"path":     url.PathEscape(value),
		"lower":    lowerHex(url.QueryEscape(value)),
		"all":      each(func(r rune) string { return strings.ReplaceAll(fmt.Sprintf(" % x", string(r)), " ", "%") }),
		"go":       string(inJSON[1 : len(inJSON)-1]),
		"php":      strings.ReplaceAll(string(inJSON[1:len(inJSON)-1]), "/", `\/`),
		"gson":     strings.NewReplacer("=", `\u003d`, "'", `\u0027`).Replace(string(inJSON[1 : len(inJSON)-1])),
		"python":   each(python),
		"repr":     strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value),
		"html":     html.EscapeString(value),
		"entities": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(value),
		"numbers":  each(func(r rune) string { return fmt.Sprintf("&#x%x;", r) }),
	}
	var form string // that the target writes
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, form)
		case "/part":
			http.ServeContent(w, r, "x.txt", time.Time{}, strings.NewReader("you said "+value))
		case "/head":
			w.Header().Set("X-Request-Id", strings.Repeat("x", maxHeaderText-10)+value)
		case "/cut":
			_, _ = io.WriteString(w, strings.Repeat("x", schema.MaxHTTPBody-len(form)/2)+form)
		default:
			_, _ = io.WriteString(w, "["+form+"]"+form)
		}
	})
	w := knowing(t, value, s.URL)
	call := func(path string, headers map[string]string) schema.HTTPOutcome {
		headers["X-Key"] = "{{secret:key}}"
		return outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: s.URL + path, Headers: headers})
	}
	for name, written := range forms {
		form = written
		if o := call("/", map[string]string{}); o.Body != "[(secret)](secret)" {
			t.Errorf("%s, %s: %s", name, form, o.Body)
		}
		if o := call("/cut", map[string]string{}); strings.Trim(o.Body, "x") != "" || !o.Truncated {
			t.Errorf("%s, cut: %s", name, strings.Trim(o.Body, "x"))
		}
	}
	form = value
	if o := call("/gzip", map[string]string{"Accept-Encoding": "gzip"}); o.Class != schema.HTTPOK || len(o.Body)+len(o.BodyBase64) > 0 || !o.Truncated {
		t.Errorf("compressed: %+v", o)
	}
	if o := call("/part", map[string]string{"Range": "bytes=12-20"}); o.Class != schema.HTTPOK || len(o.Body)+len(o.BodyBase64) > 0 || !o.Truncated {
		t.Errorf("a part: %+v", o)
	}
	if o := call("/head", map[string]string{}); strings.Trim(o.Headers["x-request-id"], "x") != "(secret)" {
		t.Errorf("in a header: %q", o.Headers)
	}
}

func TestOtherTextsAreNoSecret(t *testing.T) {
	v := new(redactor)
	v.hide("secret=1")
	for _, text := range []string{"", "secret=2", "secret%3", `secret\`, "ecret=1", "secret&", `\u00`, `\ud83d\u0041`, "%zz&#;+"} {
		if got := v.redact(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got, want := v.redact("secret=1, SECRET%3d1 secret", true), "(secret), (secret) "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The search for values has a bound, because a target may send a text in which a value could
// begin everywhere. A text beyond the bound is hidden as a whole.
func TestLookingForWhatIsHiddenHasABound(t *testing.T) {
	value := strings.Repeat("a", 30_000)
	for name, body := range map[string]string{"all of it": strings.Repeat("a", schema.MaxHTTPBody), "escaped": strings.Repeat("%61", schema.MaxHTTPBody/3)} {
		v := redactor{}
		v.hide(value + "b")
		if shown := v.redact(body, false); shown != schema.Hidden || v.steps > mostSteps+len(value) {
			t.Errorf("%s: %d steps, and %.20q is shown", name, v.steps, shown)
		}
	}
	v := redactor{own: []string{value + "b"}}
	to := url.URL{Scheme: "http", Host: "a", Path: strings.Repeat("a", maxResponseHead)}
	if !v.leaks(&to) || v.steps > mostSteps+len(value) {
		t.Errorf("%d steps for an address", v.steps)
	}
	v = redactor{}
	v.hide(value)
	long := strings.Repeat("nothing of it, ", schema.MaxHTTPBody/16)
	if shown := v.redact(long+value, false); shown != long+schema.Hidden {
		t.Errorf("a cheap text ends with %q", shown[max(len(shown)-20, 0):])
	}
}
