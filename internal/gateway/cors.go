package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Origins are the origins whose pages may send requests from a browser: cross-origin
// resource sharing. Nil: none may.
type Origins struct {
	listed []string
	check  *http.CrossOriginProtection
}

// ReadOrigins takes origins such as https://console.example.org, each as a browser writes
// it: scheme and host, a port where it is not the scheme's default, and no slash at the
// end. There is no wildcard.
func ReadOrigins(list []string) (*Origins, error) {
	o := &Origins{check: http.NewCrossOriginProtection()}
	for _, origin := range list {
		origin = strings.TrimSpace(origin)
		if strings.Contains(origin, "*") || origin == "null" {
			return nil, fmt.Errorf("%q would let many pages in; name each origin, such as https://console.example.org", origin)
		}
		if origin != strings.ToLower(origin) {
			return nil, fmt.Errorf("%q: browsers write origins in lower case", origin)
		}
		if hasUsualPort(origin) {
			return nil, fmt.Errorf("%q: browsers leave out the port that is the scheme's own", origin)
		}
		if err := o.check.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("%q is no origin such as https://console.example.org", origin)
		}
		o.listed = append(o.listed, origin)
	}
	return o, nil
}

func hasUsualPort(origin string) bool {
	return strings.HasPrefix(origin, "https://") && strings.HasSuffix(origin, ":443") ||
		strings.HasPrefix(origin, "http://") && strings.HasSuffix(origin, ":80")
}

const (
	// corsHeaders are the request headers that a page may send beside the safelisted ones.
	corsHeaders = "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Traceparent, X-Callback-Token, X-Request-Id"
	// corsExposed are the response headers that a page may read beside the safelisted ones.
	corsExposed = "Allow, ETag, Location, Retry-After, X-Request-Id"
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsMaxAge  = "600"
)

// share adds the headers that let a page of a listed origin read an answer. Credentials are
// not allowed, because the token alone authorises a request.
func (o *Origins) share(h http.Header, r *http.Request) {
	if len(o.listed) == 0 {
		return
	}
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(o.listed, origin) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", corsExposed)
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", corsHeaders)
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
}
