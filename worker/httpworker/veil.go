package httpworker

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A veil hides from what is told of a call what it was made with, wherever the target
// repeats it.
type veil struct {
	values [][]byte // as they were sent, the longest first
}

// hide adds a value, in the forms that it is sent in. A short one stands in texts by chance,
// and its place would tell it.
func (v *veil) hide(value string) {
	if len(value) < len(schema.Hidden) {
		return
	}
	inside := wire.Text(wire.JSON, value).String()
	for _, form := range []string{
		value, inside[1 : len(inside)-1], url.QueryEscape(value), url.PathEscape(value), inMarkup("", "", value), inHeader("", "", value),
	} {
		at := 0
		for at < len(v.values) && len(v.values[at]) > len(form) {
			at++
		}
		if at == len(v.values) || string(v.values[at]) != form {
			v.values = append(v.values[:at], append([][]byte{[]byte(form)}, v.values[at:]...)...)
		}
	}
}

// over hides the values in a text.
func (v *veil) over(text string) string {
	for _, value := range v.values {
		text = strings.ReplaceAll(text, string(value), schema.Hidden)
	}
	return text
}

// overBody hides the values in a body. The beginning of one at the end of a body that was cut
// is left out.
func (v *veil) overBody(body []byte, cut bool) []byte {
	for _, value := range v.values {
		body = bytes.ReplaceAll(body, value, []byte(schema.Hidden))
	}
	if !cut {
		return body
	}
	left := 0
	for _, value := range v.values {
		for n := min(len(value)-1, len(body)); n > left; n-- {
			if bytes.HasSuffix(body, value[:n]) {
				left = n
			}
		}
	}
	return body[:len(body)-left]
}

// overOutcome hides the values in what is told beside the body.
func (v *veil) overOutcome(o *schema.HTTPOutcome) {
	o.Message = v.over(o.Message)
	for name, value := range o.Headers {
		o.Headers[name] = v.over(value)
	}
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
		v.hide(string(secret.Value))
	}
	return nil
}
