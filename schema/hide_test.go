package schema

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestHeadersThatAreSecretsByNature(t *testing.T) {
	for _, name := range []string{
		"Authorization", "PROXY-authorization", "cookie", "X-Api-Key", "x-api_key", "Api-Key", "ApiKey", "X-Auth-Token", "X-Auth",
		"Private-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Client-Secret", "X-Password", "X-Hub-Signature",
	} {
		if !isSecretHeader(name) {
			t.Errorf("%s is shown", name)
		}
	}
	for _, name := range []string{"Accept", "Content-Type", "Idempotency-Key", "X-Author", "Key", "X-Request-Id", "X-Cookies-Eaten", "User-Agent", ""} {
		if isSecretHeader(name) {
			t.Errorf("%s is hidden", name)
		}
	}
}

// A header that names a secret is shown, as long as it writes out nothing else.
func TestAHeaderThatOnlyNamesSecretsIsShown(t *testing.T) {
	for _, value := range []string{
		"", "{{secret:k}}", "{{ secret:k }}", "Bearer {{secret:k}}", "AWS4-HMAC-SHA256  {{secret:k}}", "{{secret:a}}{{secret:b}}", "{{run_id}} {{secret:k}}",
		"sid={{secret:a}}; key={{secret:b}}", `key="{{secret:b}},name={{secret:a}}`,
	} {
		if HidesHeader("Authorization", value) {
			t.Errorf("%q is hidden", value)
		}
	}
	for _, value := range []string{
		"s3cr3t", "Bearer s3cr3t", "Bearer s3cr3t{{secret:k}}", "{{secret:k}}s3cr3t", "session=s3cr3t; key={{secret:k}}", "key={{secret:k}}; session=s3cr3t",
		"{{secret:k}}:s3cr3t {{secret:l}}", "Bearer {{run_id}}", "{{secret:k}} {{unknown}}", "{{secret:", strings.Repeat("x", 33) + " {{secret:k}}",
	} {
		if !HidesHeader("Cookie", value) {
			t.Errorf("%q is shown", value)
		}
		if HidesHeader("Accept", value) {
			t.Errorf("%q is hidden where nothing is secret", value)
		}
	}
}

// aPlan is one of a station, whose call has these headers.
func aPlan(t *testing.T, enc wire.Encoding, station, target, headers string) wire.Value {
	t.Helper()
	v, err := wire.ScanAs(wire.JSON, []byte(`{"plan_id":"p","station":"`+station+`","messages":[{"target_url":"`+target+`","headers":`+headers+`}],"priority":3}`), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v.In(enc)
}

func TestSecretsAreNotShown(t *testing.T) {
	const headers = `{"authorization":"Bearer s3cr3t","X-Key":"{{secret:k}}","X-Api-Key":"a {{secret:k}}","Accept":"s3cr3t","Cookie":""}`
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		v := aPlan(t, enc, HTTPStation, "https://a.org", headers)
		want := aPlan(t, enc, HTTPStation, "https://a.org", strings.Replace(headers, "Bearer s3cr3t", Hidden, 1))
		if got := HidePlan(v); got.String() != want.String() || got.Encoding() != enc {
			t.Errorf("shown is %s", got)
		}
		if shown := HidePlan(v); !HasHidden(shown) || HasHidden(v) || HidePlan(shown).String() != shown.String() {
			t.Error("hidden and shown values are not distinguished")
		}
		members, _ := wire.Members(v)
		shared, count := HideShared(enc, members, v.Len())
		if got := wire.MapOf(enc, shared, count); got.String() != want.String() {
			t.Errorf("shared is %s", got)
		}
		for _, other := range []wire.Value{
			aPlan(t, enc, "hello", "x", headers), aPlan(t, enc, HTTPStation, "x", `[1]`), aPlan(t, enc, HTTPStation, "x", `{"Authorization":7}`),
			wire.MapOf(enc, nil, 0),
		} {
			if got := HidePlan(other); got.String() != other.String() {
				t.Errorf("%s is shown as %s", other, got)
			}
		}
	}
}

// A user who was shown a plan sends it back; sending it elsewhere takes the secret itself.
func TestHiddenValuesAreKeptForTheirOwnHost(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		stored := aPlan(t, wire.JSON, HTTPStation, "https://a.org/x", `{"Authorization":"s3cr3t","Cookie":"c00kie"}`)
		for _, tt := range []struct{ target, headers, want, message string }{
			{"https://A.org:443/other", `{"authorization":"(secret)","Accept":"(secret)"}`, `{"authorization":"s3cr3t","Accept":"(secret)"}`, ""},
			{"https://a.org/x", `{"Authorization":"new"}`, `{"Authorization":"new"}`, ""},
			{"https://a.org/x", `{"X-Api-Key":"(secret)"}`, `{"X-Api-Key":"(secret)"}`, ""}, // which the check refuses
			{"https://b.org/x", `{"Authorization":"new"}`, `{"Authorization":"new"}`, ""},
			{"https://b.org/x", `{"Authorization":"(secret)"}`, "", "leads elsewhere"},
			{"http://a.org/x", `{"Authorization":"(secret)"}`, "", "leads elsewhere"},
			{"https://a.org:8443/x", `{"Authorization":"(secret)"}`, "", "leads elsewhere"},
			{"https://a.org/x", `{"Authorization":"(secret)","host":"b.org"}`, "", "leads elsewhere"},
		} {
			got, err := KeepHidden(aPlan(t, enc, HTTPStation, tt.target, tt.headers), stored)
			if tt.message != "" {
				if err == nil || !strings.Contains(err.Error(), tt.message) || !strings.Contains(err.Error(), "uthorization") {
					t.Errorf("%s %s: %v", tt.target, tt.headers, err)
				}
				continue
			}
			if want := aPlan(t, enc, HTTPStation, tt.target, tt.want); err != nil || got.String() != want.String() {
				t.Errorf("%s %s: %s, error %v", tt.target, tt.headers, got, err)
			}
		}
	}
	call := HTTPCall{TargetURL: "https://a.org", Headers: map[string]string{"cookie": Hidden}}
	if err := call.Check(); err == nil || !strings.Contains(err.Error(), "not shown") {
		t.Errorf("a call with the placeholder of a value: %v", err)
	}
}
