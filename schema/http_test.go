package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func scanned(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// fields lists the fields that an error is about.
func fieldsOf(err error) []string {
	var errs schema.Errors
	errors.As(err, &errs)
	var fields []string
	for _, e := range errs {
		fields = append(fields, e.Field)
	}
	return fields
}

// secrets is a text that names so many.
func secrets(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "{{secret:s%d}}", i)
	}
	return text.String()
}

func TestHTTPCallReportsAllErrors(t *testing.T) {
	for _, tt := range []struct {
		call string
		want []string
	}{
		{`{"target_url":"http://example.org"}`, nil},
		{`{"target_url":"HTTPS://example.org:8443/a/{{run_id}}?t={{ plan_time }}","http_method":"post","exec_type":"async",
			"headers":{"Authorization":"Bearer x","X-Name":"{{name}}"},"body_template":"{\"a\":{\"b\":\"{{run_id}}\"}}",
			"timeout_seconds":0.5,"success_status":["2xx",409,"418","4XX"],"callback_timeout_sec":3600}`, nil},
		{`{}`, []string{"target_url"}},
		{`{"target_url":"http://example.org","url":"x","timeout":3}`, []string{"url", "timeout"}},
		{`{"target_url":"ftp://example.org"}`, []string{"target_url"}},
		{`{"target_url":"example.org/hook"}`, []string{"target_url"}},
		{`{"target_url":"http://"}`, []string{"target_url"}},
		{`{"target_url":"http://:80/"}`, []string{"target_url"}},
		{`{"target_url":"http://me:secret@example.org/"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org:99999/"}`, []string{"target_url"}},
		{`{"target_url":"http://{{name}}/"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org{{name}}"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org/{{nam}}"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org/{{name"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org/\n"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org","body_template":"{{nope}}","http_method":"TRACE","exec_type":"LATER",
			"callback_method":"X","timeout_seconds":0,"callback_timeout_sec":-1,"success_status":["2xx",99,"6xx",{}]}`,
			[]string{"exec_type", "http_method", "callback_method", "body_template", "timeout_seconds", "callback_timeout_sec", "success_status"}},
		{`{"target_url":"http://example.org","headers":{"Content-Length":"3","X A":"1","X-B":"a\nb","X-C":"{{x}}","x-d":"1","X-D":"2","Transfer-Encoding":"chunked"}}`,
			[]string{"headers.Content-Length", "headers.Transfer-Encoding", "headers", "headers.X-B", "headers.X-C", "headers.x-d"}},
		{`{"target_url":"http://example.org","headers":["a"]}`, []string{"headers"}},
		{`{"target_url":"http://example.org","name":"` + strings.Repeat("ä", 129) + `"}`, []string{"name"}},
		{`{"target_url":"http://example.org/` + strings.Repeat("x", 512) + `"}`, []string{"target_url"}},
		{`{"target_url":"http://example.org","body_template":"` + secrets(32) + secrets(32) + `"}`, nil},
		{`{"target_url":"http://example.org/?k={{secret:k}}","headers":{"X-A":"{{secret:a}}"},"body_template":"` + secrets(31) + `"}`, []string{""}},
	} {
		_, err := schema.ParseHTTPCall(scanned(t, tt.call))
		if diff := cmp.Diff(tt.want, fieldsOf(err)); diff != "" {
			t.Errorf("%s:\n%v\n%s", tt.call, err, diff)
		}
	}
}

func TestHTTPCallDefaults(t *testing.T) {
	call, err := schema.ParseHTTPCall(scanned(t, `{"target_url":"http://example.org"}`))
	if err != nil {
		t.Fatal(err)
	}
	call.Fill()
	got, err := wire.Marshal(wire.JSON, call)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"exec_type":"SYNC","http_method":"GET","target_url":"http://example.org","timeout_seconds":15,"success_status":["2xx"],"callback_method":"POST","callback_timeout_sec":300}`
	if string(got) != want {
		t.Errorf("filled:\n%s\nwant\n%s", got, want)
	}
	if err := call.Check(); err != nil {
		t.Errorf("the defaults are wrong: %v", err)
	}
}

func TestWhichStatusesSucceed(t *testing.T) {
	for _, tt := range []struct {
		list    string
		yes, no []int
	}{
		{`[]`, []int{200, 204, 299}, []int{199, 300, 404}},
		{`["2xx",409]`, []int{200, 409}, []int{408, 500}},
		{`["4xx","503"]`, []int{400, 499, 503}, []int{200, 500}},
	} {
		call, err := schema.ParseHTTPCall(scanned(t, `{"target_url":"http://example.org","success_status":`+tt.list+`}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, status := range tt.yes {
			if !call.Succeeds(status) {
				t.Errorf("%s: %d is no success", tt.list, status)
			}
		}
		for _, status := range tt.no {
			if call.Succeeds(status) {
				t.Errorf("%s: %d is a success", tt.list, status)
			}
		}
	}
}

func TestAPlanOfStationHTTPIsCheckedWhole(t *testing.T) {
	for _, tt := range []struct {
		plan string
		want []string
	}{
		{`{"station":"http","command":"http","messages":[{"target_url":"http://example.org"}]}`, nil},
		{`{"station":"http","command":"get","messages":[{"target_url":"http://example.org"}]}`, []string{"command"}},
		{`{"station":"http","command":"http"}`, []string{"messages"}},
		{`{"station":"http","command":"http","messages":["http://example.org"]}`, []string{"messages"}},
		{`{"station":"http","command":"http","messages":[{"target_url":"http://example.org/{{x}}","methd":"GET"}]}`,
			[]string{"messages.methd", "messages.target_url"}},
		{`{"station":"http.eu","command":"x","messages":["anything"]}`, nil},
	} {
		_, err := schema.ParsePlan(scanned(t, tt.plan), schema.ParseOptions{})
		if diff := cmp.Diff(tt.want, fieldsOf(err)); diff != "" {
			t.Errorf("%s:\n%v\n%s", tt.plan, err, diff)
		}
		if e := (*schema.Error)(nil); errors.As(err, &e) && e.Code != schema.CodeInvalidPlan {
			t.Errorf("%s: code %s", tt.plan, e.Code)
		}
	}
}

func TestHTTPOutcomeIsFoundInContentOrError(t *testing.T) {
	for _, tt := range []struct {
		result string
		want   schema.HTTPClass
	}{
		{`{"content":{"class":"ok","status":200,"duration_ms":1.5}}`, schema.HTTPOK},
		{`{"error":{"class":"status","status":503,"later":"field"}}`, schema.HTTPStatus},
		{`{"error":"the worker panicked"}`, ""},
		{`{"state":"skipped"}`, ""},
	} {
		var r schema.Result
		if err := wire.DecodeLoose(scanned(t, tt.result), &r); err != nil {
			t.Fatal(err)
		}
		o, ok := schema.ReadHTTPOutcome(&r)
		if o.Class != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %+v, %v", tt.result, o, ok)
		}
	}
}

func TestAnInvalidAddressIsReportedInPlainWords(t *testing.T) {
	for text, want := range map[string]string{
		"http://a b/":            `is no address: no host has " " in its name`,
		"http://example.org/%zz": `is no address: "%zz" escapes nothing; a % itself is %25`,
		"http:///x":              "names no host",
		"example.org":            "takes an address that begins with http:// or https://",
		"ftp://example.org":      "takes an address that begins with http:// or https://",
		"http://example.org:0/":  "has the port 0; ports are 1 to 65535",
	} {
		if err := schema.CheckURL(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
