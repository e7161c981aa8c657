package httpworker

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A redactor hides the secrets of a call in its outcome, where the target repeats them.
type redactor struct {
	values []string // hidden
	own    []string // for the origin that is called, and for no other; of any length
	steps  int      // the cost of the search so far
}

// mostSteps bounds the cost of the search for the values of a call: some tenths of a second.
// A target that gets thousands of the same letter may repeat them, so that the value could
// begin at each of them. A text that cannot be searched is hidden as a whole.
const mostSteps = 1 << 23

// hide adds a value. A short value is left out, because it occurs in texts by chance, and its
// place would disclose it.
func (v *redactor) hide(value string) {
	for _, form := range []string{value, inHeader("", "", value)} {
		if len(form) >= len(schema.Hidden) && !slices.Contains(v.values, form) {
			v.values = append(v.values, form)
		}
	}
}

// redact hides the values in a text. In a text that was cut, or broke off, it also removes the
// beginning of a value at the end.
func (v *redactor) redact(text string, cut bool) string {
	if len(v.values) == 0 {
		return text
	}
	var b strings.Builder
	done := 0 // bytes of text that are in b
	for at := 0; at < len(text); {
		length, open := v.repeated(text[at:])
		if v.steps > mostSteps {
			return schema.Hidden
		}
		if open && cut {
			text = text[:at]
			break
		}
		if length == 0 {
			at++
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(schema.Hidden)
		at += length
		done = at
	}
	b.WriteString(text[done:])
	return b.String()
}

// redactBody is redact for bodies.
func (v *redactor) redactBody(body []byte, cut bool) []byte {
	if len(v.values) == 0 {
		return body
	}
	return []byte(v.redact(string(body), cut))
}

// repeated is [repeats] of the value that text repeats most of.
func (v *redactor) repeated(text string) (length int, open bool) {
	for _, value := range v.values {
		n, begun, steps := repeats(text, value)
		length, open = max(length, n), open || begun
		v.steps += steps
	}
	return length, open
}

// isOpaque reports that the body of a response cannot be searched, because it is compressed, or
// only a part, which may begin and end within a value.
func (v *redactor) isOpaque(resp *http.Response) bool {
	if len(v.values) == 0 {
		return false
	}
	encoding := resp.Header.Get("Content-Encoding")
	return resp.StatusCode == http.StatusPartialContent || encoding != "" && !strings.EqualFold(encoding, "identity")
}

// leaks reports whether a call to an address would give another origin a value that is for the
// first origin alone.
func (v *redactor) leaks(to *url.URL) bool {
	text := to.String()
	for at := range text {
		for _, value := range v.own {
			length, _, steps := repeats(text[at:], value)
			if v.steps += steps; length > 0 || v.steps > mostSteps {
				return true
			}
		}
	}
	return false
}

// addSecrets puts the secrets that a call names among its words. They are read for each call, so
// that a change counts from the next call on; and their hosts and tenants are checked each
// time, because a plan may be older than these.
func (w *Worker) addSecrets(ctx context.Context, x *worker.Execution, call *schema.HTTPCall, words words, v *redactor) error {
	for _, name := range call.Secrets() {
		if w.named == nil {
			return fmt.Errorf("this worker has no secrets, and the call is made with {{secret:%s}}", name)
		}
		secret, err := w.named(ctx, name)
		if err != nil {
			return fmt.Errorf("{{secret:%s}} cannot be had: %w", name, err)
		}
		if secret == nil {
			return fmt.Errorf("there is no secret %s, with which the call is made: printf %%s \"$VALUE\" | stationmaster secret put %[1]s --host %s", name, call.Origin())
		}
		if err := secret.MayGo(call.Origin(), x.TenantID); err != nil {
			return err
		}
		words["secret:"+name] = string(secret.Value)
		v.own = append(v.own, string(secret.Value))
		v.hide(string(secret.Value))
	}
	return nil
}
