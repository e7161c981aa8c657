package httpworker

import (
	"errors"
	"net/http"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

const maxRedirects = 5

var errRedirects = errors.New("more than 5 redirects")

// redirect decides about one hop, before it is made. Its address is checked like the
// first one's, when it is dialled.
func (w *Worker) redirect(next *http.Request, via []*http.Request, call *schema.HTTPCall) error {
	if call.Succeeds(next.Response.StatusCode) {
		return http.ErrUseLastResponse // the plan wants the redirect itself
	}
	if len(via) > maxRedirects {
		return errRedirects
	}
	if err := schema.CheckURL(next.URL.String()); err != nil {
		return &refusal{"the redirect leads to what is no target: it " + err.Error()}
	}
	if err := w.guard.checkHost(next.URL.Hostname()); err != nil {
		return err
	}
	for _, hop := range append(via[1:len(via):len(via)], next) {
		if !sameOrigin(hop, via[0]) {
			forget(next.Header)
			break
		}
	}
	return nil
}

func sameOrigin(a, b *http.Request) bool {
	return strings.EqualFold(a.URL.Scheme, b.URL.Scheme) && strings.EqualFold(a.URL.Host, b.URL.Host)
}

// known are the headers that another host than the plan's may see. Any other may hold a
// secret, not only Authorization; Referer holds the address, which may, too.
var known = map[string]bool{
	"Accept": true, "Accept-Language": true, "Content-Type": true, "User-Agent": true,
	"X-Run-Id": true, "X-Task-Id": true, "X-Plan-Time": true, "X-Attempt": true,
	"Idempotency-Key": true, "Traceparent": true,
}

func forget(h http.Header) {
	for name := range h {
		if !known[name] {
			delete(h, name)
		}
	}
}
