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

// A veil hides from what is told of a call what it was made with, wherever the target
// repeats it.
type veil struct {
	values []string // hidden
	own    []string // for the origin that is called, and for no other; of any length
	steps  int      // what looking for them has cost
}

// mostSteps bounds what looking for the values of a call may cost: some tenths of a second.
// A target that is asked with thousands of the same letter may answer the same, and each
// place of that could be where the value begins. What cannot be looked through is hidden.
const mostSteps = 1 << 23

// hide adds a value. A short one stands in texts by chance, and its place would tell it.
func (v *veil) hide(value string) {
	for _, form := range []string{value, inHeader("", "", value)} {
		if len(form) >= len(schema.Hidden) && !slices.Contains(v.values, form) {
			v.values = append(v.values, form)
		}
	}
}

// over hides the values in a text. Of one that was cut, or broke off, the beginning of a value
// at its end is left out.
func (v *veil) over(text string, cut bool) string {
	if len(v.values) == 0 {
		return text
	}
	var b strings.Builder
	told := 0 // so much of text is in b
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
		b.WriteString(text[told:at])
		b.WriteString(schema.Hidden)
		at += length
		told = at
	}
	b.WriteString(text[told:])
	return b.String()
}

// overBody is over for bodies.
func (v *veil) overBody(body []byte, cut bool) []byte {
	if len(v.values) == 0 {
		return body
	}
	return []byte(v.over(string(body), cut))
}

// repeated is [repeats] of the value that text repeats most of.
func (v *veil) repeated(text string) (length int, open bool) {
	for _, value := range v.values {
		n, begun, steps := repeats(text, value)
		length, open = max(length, n), open || begun
		v.steps += steps
	}
	return length, open
}

// blinds reports that what is in an answer's body cannot be seen here: it is compressed, or
// only a part, which may begin and end within a value.
func (v *veil) blinds(resp *http.Response) bool {
	if len(v.values) == 0 {
		return false
	}
	encoding := resp.Header.Get("Content-Encoding")
	return resp.StatusCode == http.StatusPartialContent || encoding != "" && !strings.EqualFold(encoding, "identity")
}

// leaves reports that a call to an address would tell another origin what is for the first
// one alone.
func (v *veil) leaves(to *url.URL) bool {
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

// confide puts the secrets that a call names among its words. They are read for each call,
// so one that was put again counts from the next on; and held against whom they are for each
// time, since a plan may have been made before that was said.
func (w *Worker) confide(ctx context.Context, x *worker.Execution, call *schema.HTTPCall, words words, v *veil) error {
	for _, name := range call.Secrets() {
		if w.named == nil {
			return fmt.Errorf("this worker has no secrets, and the call is made with {{secret:%s}}", name)
		}
		secret, err := w.named(ctx, name)
		if err != nil {
			return fmt.Errorf("{{secret:%s}} cannot be had: %w", name, err)
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
