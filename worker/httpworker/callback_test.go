package httpworker

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// received is a request as it reached the target.
type received struct {
	Method, URI, Body string
	Header            http.Header
}

// listener answers with status and notes its requests.
func listener(t *testing.T, status int) (url string, requests func() []received) {
	t.Helper()
	all := make(chan received, 16)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		all <- received{r.Method, r.RequestURI, string(body), r.Header}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	})
	return s.URL, func() (out []received) {
		for len(all) > 0 {
			out = append(out, <-all)
		}
		return out
	}
}

// callbackOf is an execution for the callback of a result, both in JSON; now and then are the
// station's callbacks, now and when the result came.
func callbackOf(t *testing.T, result, now, then string) *worker.Execution {
	t.Helper()
	value := func(text string) wire.Value {
		v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	x := &worker.Execution{N: 5, Execution: schema.Execution{
		PlanID: "T1", Station: "callback.transcode", Command: schema.CallbackCommand, Attempt: 2, Key: "callback.transcode/T1/9/4",
		Items: []wire.Value{value(result)}, Ext: value(then),
	}}
	if now != "" {
		x.Messages = []wire.Value{value(now)}
	}
	return x
}

// deliver makes a callback and returns its outcome.
func deliver(t *testing.T, w *Worker, x *worker.Execution) schema.HTTPOutcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	content, err := w.handleCallback(ctx, x)
	if err != nil {
		return schema.HTTPOutcome{Class: "error", Message: err.Error()}
	}
	return content.(schema.HTTPOutcome)
}

const done = `{"plan_id":"T1","station":"transcode","command":"task","messages":[{"id":"T1","type":"transcode","ext":{"order":7}}],` +
	`"n":3,"key":"transcode/T1/7/1","state":"ok","content":{"size":3.50,"name":"é<b>"},"final":true}`

func TestTheBodyOfACallback(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"a task":                      {done, `{"ext":{"order":7},"result":{"size":3.50,"name":"é<b>"}}`},
		"a task without ext":          {`{"plan_id":"T1","command":"task","messages":[{"id":"T1"}],"state":"ok"}`, `{"ext":null,"result":null}`},
		"a periodic task":             {`{"plan_id":"p-hash","command":"periodic_task","messages":[{"id":"nightly","ext":{"a":1}}],"state":"failure","error":"e"}`, `{"task_id":"nightly","error_info":"e","ext":{"a":1}}`},
		"any plan":                    {`{"plan_id":"p","command":"c","messages":[{"id":"x","ext":1}],"ext":"own","state":"ok","content":"text"}`, `{"ext":"own","result":"text"}`},
		"a task whose message is bad": {`{"plan_id":"p","command":"task","messages":[7],"state":"ok"}`, `{"ext":null,"result":null}`},
		"a task that failed":          {`{"plan_id":"p","command":"task","messages":[{"id":"T-1","ext":[1]}],"state":"failure","error":"no such file"}`, `{"task_id":"T-1","error_info":"no such file","ext":[1]}`},
		"a plan that failed":          {`{"plan_id":"p","command":"c","state":"error","error":{"code":5}}`, `{"task_id":"p","error_info":"{\"code\":5}","ext":null}`},
		"one that timed out":          {`{"plan_id":"p","state":"timeout","reason":"ping","ext":1}`, `{"task_id":"p","error_info":"the agent sent no ping any more","ext":1}`},
		"one whose last try did":      {`{"plan_id":"p","state":"failure","reason":"retries","cause":"exec"}`, `{"task_id":"p","error_info":"the agent did not end in time","ext":null}`},
		"one that began too late":     {`{"plan_id":"p","state":"timeout","reason":"start"}`, `{"task_id":"p","error_info":"no agent began in time","ext":null}`},
		"one without a word":          {`{"plan_id":"p","state":"failure","reason":"worker"}`, `{"task_id":"p","error_info":"the agent gave no reason","ext":null}`},
	} {
		url, requests := listener(t, http.StatusNoContent)
		to := fmt.Sprintf(`{"success":{"url":%q},"error":{"url":%q}}`, url, url)
		w := local(t)
		x := callbackOf(t, c.result, "", to)
		if o := deliver(t, w, x); o.Class != schema.HTTPOK || o.Status != http.StatusNoContent {
			t.Errorf("%s: %+v", name, o)
		}
		got := requests()
		if len(got) != 1 || got[0].Body != c.want || got[0].Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s got %+v, want %s", name, got, c.want)
		}
		// In MessagePack the body is the same.
		x.Items = []wire.Value{wire.Trust(wire.MsgPack, x.Items[0].AppendTo(nil, wire.MsgPack))}
		if o := deliver(t, w, x); o.Class != schema.HTTPOK {
			t.Errorf("%s: %+v", name, o)
		}
		var one, other any
		got = requests()
		if len(got) != 1 || json.Unmarshal([]byte(got[0].Body), &one) != nil || json.Unmarshal([]byte(c.want), &other) != nil || !cmp.Equal(one, other) {
			t.Errorf("%s got %+v of MessagePack, want %s", name, got, c.want)
		}
	}
}

// The target of a callback is the station's present one; if the station has none any more, the
// one at the time of the result.
func TestTheTargetOfACallback(t *testing.T) {
	url, requests := listener(t, http.StatusOK)
	target := func(kind, path, method string) string {
		return fmt.Sprintf(`{%q:{"url":%q,"method":%q}}`, kind, url+path, method)
	}
	failed := `{"plan_id":"p","state":"failure"}`
	for _, c := range []struct{ result, now, then, want string }{
		{done, "", target("success", "/then", ""), "POST /then"},
		{done, target("success", "/now", "PUT"), target("success", "/then", ""), "PUT /now"},
		{done, target("error", "/now", "PUT"), target("success", "/then?a=1&b=%20", "POST"), "POST /then?a=1&b=%20"},
		{failed, target("success", "/now", "PUT"), target("error", "/then", "PUT"), "PUT /then"},
		{failed, target("error", "", ""), `{}`, "POST /"},
		{done, `7`, target("success", "/then", ""), "POST /then"},
	} {
		o := deliver(t, local(t), callbackOf(t, c.result, c.now, c.then))
		got := requests()
		if o.Class != schema.HTTPOK || len(got) != 1 || got[0].Method+" "+got[0].URI != c.want {
			t.Errorf("with %s and %s: %+v, %+v", c.now, c.then, o, got)
		}
	}
	for _, then := range []string{`{}`, `7`, target("success", "/then", "")} {
		if o := deliver(t, local(t), callbackOf(t, failed, "", then)); o.Class != "error" || !strings.Contains(o.Message, "names no address") {
			t.Errorf("with %s: %+v", then, o)
		}
	}
}

// Only a 2xx is a delivery. A redirect is none, because most redirects drop the body.
func TestACallbackIsDeliveredByA2xxAlone(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204, 299, 301, 302, 303, 307, 308, 400, 404, 500, 503} {
		url, requests := listener(t, status)
		o := deliver(t, local(t), callbackOf(t, done, "", fmt.Sprintf(`{"success":{"url":%q}}`, url)))
		if delivered := o.Class == schema.HTTPOK; delivered != (status/100 == 2) {
			t.Errorf("%d: %+v", status, o)
		}
		if got := requests(); len(got) != 1 {
			t.Errorf("%d: %d requests, want one", status, len(got))
		}
	}
}

// The address of a callback obeys the rules of station http, because users may put stations.
func TestACallbackOfAPrivateAddressIsRefusedUnlessAllowed(t *testing.T) {
	url, requests := listener(t, http.StatusOK)
	x := callbackOf(t, done, "", fmt.Sprintf(`{"success":{"url":%q}}`, url))
	if o := deliver(t, caller(t, Options{}), x); o.Class != "error" || !strings.Contains(o.Message, "--http-allow") || len(requests()) > 0 {
		t.Errorf("%+v", o)
	}
	if o := deliver(t, caller(t, Options{Allow: []string{"127.0.0.1"}}), x); o.Class != schema.HTTPOK {
		t.Errorf("%+v", o)
	}
}

// secrets returns the secret of station transcode, and no other.
func secrets(_ context.Context, station string) (schema.Secret, error) {
	if station != "transcode" {
		return "", errors.New("no secret of " + station)
	}
	return "a secret of ours", nil
}

const signed = `,"security":{"type":"aksk","ak":"AK-1"}}`

// A signed callback is verified here as by its receiver, from the request alone, as
// docs/callbacks.md describes it. Repeats share the nonce and the key; other callbacks do not.
func TestASignedCallback(t *testing.T) {
	url, requests := listener(t, http.StatusOK)
	w := caller(t, Options{AllowPrivate: true, Secret: secrets})
	to := fmt.Sprintf(`{"success":{"url":%q,"method":"PUT"}`, url+"/done/%C3%A9?a=1&b=x%20y") + signed
	second := strings.Replace(done, `"n":3`, `"n":4`, 1)
	other := strings.Replace(done, `transcode/T1/7/1`, `transcode/T1/8/1`, 1)
	for _, result := range []string{done, done, second, other} {
		x := callbackOf(t, result, "", to)
		x.Attempt, x.Key = x.Attempt+1, x.Key+"0" // of the plan that delivers: no part of it
		if o := deliver(t, w, x); o.Class != schema.HTTPOK {
			t.Fatalf("%+v", o)
		}
	}
	got := requests()
	for _, r := range got {
		mac := hmac.New(sha256.New, []byte("a secret of ours"))
		fmt.Fprintf(mac, "%s\n%s\n%s\n%s\n%s", r.Method, r.URI, r.Header.Get("X-Stationmaster-Time"), r.Header.Get("X-Stationmaster-Nonce"), r.Body)
		if want := hex.EncodeToString(mac.Sum(nil)); r.Header.Get("X-Stationmaster-Signature") != want {
			t.Errorf("the signature of %+v is not %s", r, want)
		}
		at, err := strconv.ParseInt(r.Header.Get("X-Stationmaster-Time"), 10, 64)
		if age := time.Since(time.Unix(at, 0)); err != nil || age < -time.Second || age > patience {
			t.Errorf("the time is %v old: %v", age, err)
		}
		if r.Header.Get("X-Stationmaster-Key") != "AK-1" || strings.Contains(fmt.Sprint(r), "a secret of ours") {
			t.Errorf("%+v", r)
		}
	}
	same := func(i, k int) bool {
		return got[i].Header.Get("X-Stationmaster-Nonce") == got[k].Header.Get("X-Stationmaster-Nonce") &&
			got[i].Header.Get("Idempotency-Key") == got[k].Header.Get("Idempotency-Key")
	}
	if !same(0, 1) || same(0, 2) || same(0, 3) || same(2, 3) {
		t.Errorf("nonces and keys: %+v", got)
	}
}

func TestACallbackThatCannotBeSignedIsNotSent(t *testing.T) {
	url, requests := listener(t, http.StatusOK)
	to := fmt.Sprintf(`{"success":{"url":%q}`, url) + signed
	x := callbackOf(t, done, "", to)
	if o := deliver(t, local(t), x); o.Class != "error" || !strings.Contains(o.Message, "no secrets") {
		t.Errorf("%+v", o)
	}
	w := caller(t, Options{AllowPrivate: true, Secret: secrets})
	x.Station = "callback.other"
	if o := deliver(t, w, x); o.Class != "error" || !strings.Contains(o.Message, "to be signed: no secret of other") {
		t.Errorf("%+v", o)
	}
	x.Station = "callback.transcode"
	x.Items = append(x.Items, x.Items[0])
	if o := deliver(t, w, x); o.Class != "error" || !strings.Contains(o.Message, "a callback has one") {
		t.Errorf("%+v", o)
	}
	if got := requests(); len(got) > 0 {
		t.Errorf("sent all the same: %+v", got)
	}
}

// The signature in the page's example is that of its text.
func TestTheDocumentedSignature(t *testing.T) {
	page, err := os.ReadFile("../../docs/callbacks.md")
	if err != nil {
		t.Fatal(err)
	}
	cell := func(name string) string {
		t.Helper()
		m := regexp.MustCompile(`(?m)^\| ` + name + " \\| `(.*)` \\|$").FindSubmatch(page)
		if m == nil {
			t.Fatalf("the page has no %s", name)
		}
		return string(m[1])
	}
	s := signature{method: cell("method"), uri: cell("request-URI"), time: cell("time"), nonce: cell("nonce"), body: []byte(cell("body"))}
	if got := s.of(schema.Secret(cell("sk"))); got != cell("signature") {
		t.Errorf("the signature of the page's example is %s", got)
	}
	canonical := strings.Join([]string{s.method, s.uri, s.time, s.nonce, string(s.body)}, "\n")
	if !strings.Contains(string(page), "```text\n"+canonical+"\n```") {
		t.Errorf("the page does not show what is signed:\n%s", canonical)
	}
	if !strings.Contains(string(page), "X-Stationmaster-Signature: "+cell("signature")) {
		t.Error("the page does not show the request")
	}
}
