package httpworker

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/stationmaster-io/stationmaster/schema"
)

const maxRedirects = 5

var errRedirects = errors.New("more than 5 redirects")

// redirect decides about one hop, before it is made. Its address is checked like the
// first one's, when it is dialled.
func (w *Worker) redirect(next *http.Request, via []*http.Request, call *schema.HTTPCall, v *redactor) error {
	if call.Succeeds(next.Response.StatusCode) {
		return http.ErrUseLastResponse // the plan wants the redirect itself
	}
	if len(via) > maxRedirects {
		return errRedirects
	}
	if !sameOrigin(next, via[0]) && v.leaks(next.URL) { // first: other refusals name the host
		return &refusal{"the redirect takes a secret, or the callback's token, to another host in its address"}
	}
	if err := schema.CheckURL(next.URL.String()); err != nil {
		return &refusal{"the redirect leads to no valid target:  it " + err.Error()}
	}
	if err := w.guard.checkHost(next.URL.Hostname()); err != nil {
		return err
	}
	if loss(via[len(via)-1], next.Response) != "" {
		return http.ErrUseLastResponse // because the plan's request would not be made there
	}
	for _, hop := range append(via[1:len(via):len(via)], next) {
		if sameOrigin(hop, via[0]) {
			continue
		}
		if word := secretWord(call); word != "" && next.Body != nil && next.Body != http.NoBody {
			return &refusal{fmt.Sprintf("the redirect takes the body to another host, %s, and there is {{%s}} in it", next.URL.Host, word)}
		}
		forget(next.Header)
		break
	}
	return nil
}

// loss is the part of a request that its redirect would drop, so that the next response would
// not be about it; empty: none. A 301 moves to a GET without a body, as browsers do it. A 302
// or 303 may be the response of a target that has done the work (RFC 9110, 15.4.4), but not to a
// GET: of a 302 to one, the body belongs to the query.
func loss(asked *http.Request, by *http.Response) string {
	moved := by.StatusCode == http.StatusMovedPermanently
	switch {
	case by.Header.Get("Location") == "":
		return ""
	case moved && !readsOnly(asked.Method):
		return "make a GET of this " + asked.Method
	case (moved || by.StatusCode == http.StatusFound) && readsOnly(asked.Method) && hasBody(asked):
		return "lose the body of this " + asked.Method
	}
	return ""
}

func readsOnly(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

// followed names the redirect that made a GET of a call, or lost the body of one, so that the
// response is that of another address; empty: none did.
func followed(resp *http.Response) string {
	for asked := resp.Request; asked.Response != nil; asked = asked.Response.Request {
		switch before := asked.Response.Request; {
		case asked.Method != before.Method && !readsOnly(before.Method):
			return fmt.Sprintf("%s made a GET of this %s, which another address answered", statusText(asked.Response), before.Method)
		case hasBody(before) && !hasBody(asked):
			return fmt.Sprintf("%s lost the body of this %s, which another address answered", statusText(asked.Response), before.Method)
		}
	}
	return ""
}

// secretWord is a word of the call's body that is for its own host alone; empty: there is none.
func secretWord(call *schema.HTTPCall) string {
	body, err := schema.ParseTemplate(call.BodyTemplate)
	if err != nil {
		return "" // such a call is not made
	}
	for _, word := range body.Parts() {
		if _, secret := schema.SecretOf(word); secret || word == tokenWord {
			return word
		}
	}
	return ""
}

// tokenWord is the word for the token of a callback.
const tokenWord = "callback_token"

func sameOrigin(a, b *http.Request) bool { return schema.OriginOf(a.URL) == schema.OriginOf(b.URL) }

// known are the headers that another host than the plan's may get. Any other may hold a
// secret, not only Authorization; Referer holds the address, which may have one, too.
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
