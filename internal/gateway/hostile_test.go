package gateway_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// inUTF16 is a text as Windows writes it.
func inUTF16(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return b.String()
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// No route accepts a body that other readers would read in another way, or that grows when
// it is read.
func TestNoRouteTakesAHostileBody(t *testing.T) {
	s := newSite(t, nil)
	bodies := map[string]string{
		"a name twice":             `{"a":1,"a":1}`,
		"a name twice, escaped":    `{"a":1,"\u0061":1}`,
		"a name twice, deep down":  `{"a":{"b":[{"c":1,"c":1}]}}`,
		"objects in objects":       strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
		"lists in lists":           `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"lists that do not end":    strings.Repeat("[", 1<<20-1),
		"a number too large":       `{"a":1e400}`,
		"500,000 digits":           `{"a":` + strings.Repeat("9", 500_000) + "e500000}",
		"a high surrogate alone":   `{"a":"\ud800"}`,
		"a low surrogate alone":    `{"a":"\udc00x"}`,
		"surrogates in disorder":   `{"a":"\udc00\ud800"}`,
		"not a number":             `{"a":NaN}`,
		"infinity":                 `{"a":-Infinity}`,
		"hexadecimal":              `{"a":0x10}`,
		"a number with zeros":      `{"a":010}`,
		"a byte order mark":        "\ufeff{}",
		"UTF-16":                   inUTF16(`{"a":1}`),
		"no UTF-8":                 "{\"a\":\"\xc0\xaf\"}",
		"a NUL behind it":          "{}\x00",
		"a line end in a text":     "{\"a\":\"\n\"}",
		"single quotation marks":   `{'a':1}`,
		"a comment":                `{/**/}`,
		"a comma too many":         `{"a":1,}`,
		"cut off in an escape":     `{"a":"\u00`,
		"MessagePack of any size":  "\xdf\xff\xff\xff\xff",
		"compressed":               zipped(t, `{}`),
		"two values":               `{}{}`,
		"a value and what is none": `{}x`,
	}
	for _, r := range gateway.Routes() {
		if !r.Body {
			continue
		}
		wrong := func(what string, got *response, statuses ...int) {
			if strings.HasPrefix(r.Path, "/api/v1/callbacks/") { // its token is checked first, and there is none
				statuses = []int{http.StatusUnauthorized}
			}
			if !slices.Contains(statuses, got.status) {
				t.Errorf("%s %s, %s: %d %.200s", r.Method, r.Path, what, got.status, got.body)
			}
		}
		for what, body := range bodies {
			wrong(what, s.do(r.Method, r.Path, body), http.StatusBadRequest, http.StatusRequestEntityTooLarge)
		}
		// A body that is only large is refused where its members are read.
		for _, body := range []string{`{"a":[` + strings.Repeat("0,", 20_000) + "0]}", "{" + members(20_000) + "}"} {
			wrong("20,000 of something", s.do(r.Method, r.Path, body), http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge)
		}
		wrong("what is compressed", s.do(r.Method, r.Path, zipped(t, `{"a":1}`), "Content-Encoding", "gzip"), http.StatusUnsupportedMediaType)
		if r.BodyAny {
			continue // any Content-Type
		}
		for _, kind := range []string{
			"text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/msgpack",
			"application/json; charset=utf-16", "application/json; charset=iso-8859-1", ";;", "application/json, text/plain",
		} {
			wrong(kind, s.do(r.Method, r.Path, `{"a":1}`, "Content-Type", kind), http.StatusUnsupportedMediaType)
		}
	}
}

// members are so many members of an object, with different names.
func members(count int) string {
	var b strings.Builder
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.Repeat("a", i%7) + string(rune('a'+i%26)) + strings.Repeat("b", i/26%26) + strings.Repeat("c", i/676) + `":0`)
	}
	return b.String()
}

// A page of another origin, in a browser on this machine or with a token at hand, changes
// nothing and reads nothing, on any route.
func TestNoRouteIsForPagesOfOthers(t *testing.T) {
	s := newSite(t, nil)
	for _, r := range gateway.Routes() {
		for _, headers := range [][]string{
			{"Origin", "https://evil.example"},
			{"Origin", "null"},
			{"Origin", "file://"},
			{"Origin", strings.Replace(s.server.URL, "127.0.0.1", "localhost", 1)},
			{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
			{"Origin", "https://evil.example", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "iframe"},
		} {
			if r.Method != http.MethodGet {
				s.do(r.Method, r.Path, `{}`, headers...).want(http.StatusForbidden)
			}
			asks := append([]string{"Access-Control-Request-Method", r.Method, "Access-Control-Request-Private-Network", "true"}, headers...)
			got := s.do(http.MethodOptions, r.Path, nil, asks...).want(http.StatusNoContent)
			for name := range got.header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s with %q: %s: %s", r.Path, headers, name, got.header.Get(name))
				}
			}
		}
	}
}
