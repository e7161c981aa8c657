package httpworker

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
)

// keptHeaders are the response headers that an outcome shows.
var keptHeaders = []string{"Content-Type", "Location", "Retry-After", "X-Request-Id"}

// maxHeaderText bounds each of them.
const maxHeaderText = 1024

// answered makes the outcome of a response, without its class, with the secrets of r redacted.
// Broken: the body was not read to the end.
func answered(resp *http.Response, body []byte, broken bool, v *redactor) schema.HTTPOutcome {
	o := schema.HTTPOutcome{Status: int64(resp.StatusCode), Headers: someHeaders(resp.Header, v)}
	switch {
	case v.isOpaque(resp):
		o.Truncated = len(body) > 0
		return o
	case len(body) > schema.MaxHTTPBody:
		o.Truncated = true
		body = body[:schema.MaxHTTPBody]
	}
	body = v.redactBody(body, o.Truncated || broken)
	if text, ok := asText(body, o.Truncated); ok {
		o.Body = text
	} else {
		o.BodyBase64 = body
	}
	return o
}

func someHeaders(h http.Header, v *redactor) map[string]string {
	var kept map[string]string
	for _, name := range keptHeaders {
		if value := v.redact(h.Get(name), false); value != "" { // as a whole, because a value that was cut would not be found
			if kept == nil {
				kept = make(map[string]string, len(keptHeaders))
			}
			kept[strings.ToLower(name)] = plainText(value[:min(len(value), maxHeaderText)])
		}
	}
	return kept
}

// asText returns a body that people can read. A cut body may end within a letter, which is
// left out. Control characters would be six bytes each in JSON, and could make a result
// larger than one may be.
func asText(body []byte, cut bool) (string, bool) {
	if cut {
		for i := 0; i < utf8.UTFMax && len(body) > 0; i++ {
			if r, size := utf8.DecodeLastRune(body); r != utf8.RuneError || size > 1 {
				break
			}
			body = body[:len(body)-1]
		}
	}
	if !utf8.Valid(body) {
		return "", false
	}
	for _, c := range body {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' {
			return "", false
		}
	}
	return string(body), true
}

// plainText makes valid text of untrusted bytes.
func plainText(s string) string { return schema.HeaderText(strings.ToValidUTF8(s, "\uFFFD")) }

// statusText is "503 Service Unavailable", in the standard text and not the target's.
func statusText(resp *http.Response) string {
	return strings.TrimSpace(strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
}
