package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/wiretest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestParseReply(t *testing.T) {
	header := func(pairs ...string) map[string][]string {
		h := map[string][]string{}
		for i := 0; i < len(pairs); i += 2 {
			h[pairs[i]] = []string{pairs[i+1]}
		}
		return h
	}
	packed := func(json string) string { return string(scanned(t, json).In(wire.MsgPack).Raw()) }
	for _, c := range []struct {
		name           string
		header         map[string][]string
		body           string
		state          State
		content, error string // as JSON; empty: absent
	}{
		{name: "a reply", body: `{"state":"ok","content":{"a":1},"error":null}`, state: StateOK, content: `{"a":1}`},
		{name: "a reply in MessagePack", body: packed(`{"state":"ok","content":[1]}`), state: StateOK, content: `[1]`},
		{name: "an error", body: `{"state":"error","error":"no"}`, state: StateError, error: `"no"`},
		{name: "a state nobody knows", body: `{"state":"fine"}`, state: "fine"},
		{name: "a state that is no text", body: `{"state":7}`, state: "7"},
		{name: "a state that is a list", body: `{"state":["ok"]}`, state: `["ok"]`},
		{name: "a state that is binary", body: "\x81\xa5state\xc4\x02ok", state: `"b2s="`},
		{name: "an empty state", body: `{"state":""}`, state: ""},
		{name: "a state that is null", body: `{"state":null,"a":1}`, state: StateOK, content: `{"state":null,"a":1}`},
		{name: "other fields", body: `{"state":"ok","x":1,"content":"c"}`, state: StateOK, content: `"c"`},
		{name: "nothing", body: "", state: StateOK},
		{name: "text", body: "hello", state: StateOK, content: `"hello"`},
		{name: "text in a JSON scalar", body: `"hi"`, state: StateOK, content: `"\"hi\""`},
		{name: "a JSON scalar that is called one", header: header("Content-Type", "application/json"), body: ` "hi" `, state: StateOK, content: `"hi"`},
		{name: "a digit", body: "5", state: StateOK, content: `"5"`},
		{name: "a number", body: "42", state: StateOK, content: `"42"`},
		{name: "a letter that could be MessagePack", body: "д", state: StateOK, content: `"д"`},
		{name: "MessagePack that is called so", header: header("Content-Type", "application/msgpack"), body: "5", state: StateOK, content: "53"},
		{name: "a MessagePack text", body: "\xa2hi", state: StateOK, content: `"hi"`},
		{name: "bytes", body: "\xff\xfe", state: StateOK, content: `"//4="`},
		{name: "text that looks like JSON", body: "{not json", state: StateOK, content: `"{not json"`},
		{name: "a map with a key twice", body: `{"a":1,"a":2}`, state: StateOK, content: `"{\"a\":1,\"a\":2}"`},
		{name: "a bomb", body: "\xdd\x0f\xff\xff\xff", state: StateOK, content: `"3Q////8="`},
		{name: "a list", body: `[{"state":"error"}]`, state: StateOK, content: `[{"state":"error"}]`},
		{name: "a map", body: ` {"a":1} `, state: StateOK, content: `{"a":1}`},
		{name: "a map with an error", body: `{"error":{"code":5}}`, state: StateError, content: `{"error":{"code":5}}`, error: `{"code":5}`},
		{name: "a map with no error", body: `{"error":""}`, state: StateOK, content: `{"error":""}`},
		{name: "a map with error false", body: `{"error":false}`, state: StateOK, content: `{"error":false}`},
		{name: "a map with error 0", body: `{"error":0}`, state: StateOK, content: `{"error":0}`},
		{name: "a map with an empty error", body: `{"error":{}}`, state: StateOK, content: `{"error":{}}`},
		{name: "Plan-State", header: header("Plan-State", "failure"), body: `{"state":"ok"}`, state: StateFailure, content: `{"state":"ok"}`},
		{name: "Plan-State with text", header: header("Plan-State", "running"), body: "x", state: StateRunning, content: `"x"`},
		{name: "Plan-State alone", header: header("Plan-State", "ok"), state: StateOK},
		{name: "a service error", header: header("Nats-Service-Error", "broken", "Nats-Service-Error-Code", "500"), state: StateError, error: `"broken"`},
		{name: "a service error with a body", header: header("Nats-Service-Error", "broken"), body: `{"why":1}`, state: StateError, content: `{"why":1}`, error: `"broken"`},
		{name: "a service error without words", header: header("Nats-Service-Error-Code", "500"), state: StateError, error: `"500"`},
		{name: "another header", header: header("X", "y"), body: `{"state":"running"}`, state: StateRunning},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
				r, reason := ParseReply(c.header, []byte(c.body), enc)
				text := func(v wire.Value) string {
					if v.IsZero() {
						return ""
					}
					return v.String()
				}
				got := []string{string(r.State), text(r.Content), text(r.Error), string(reason)}
				if diff := cmp.Diff([]string{string(c.state), c.content, c.error, ""}, got); diff != "" {
					t.Errorf("for a plan in %s:\n%s", enc, diff)
				}
			}
		})
	}
}

func TestParseReplyFields(t *testing.T) {
	r, _ := ParseReply(nil, []byte(`{"state":"waiting","worker_id":"w1","extend":1.5,"delay":0,"progress":50,"callback":false,"retry":true,"unsure":true}`), wire.JSON)
	want := Reply{
		State: StateWaiting, WorkerID: "w1", Extend: ptr[Seconds](1.5), Delay: ptr[Seconds](0), Progress: ptr(50.0),
		Callback: ptr(false), Retry: ptr(true), Unsure: true,
	}
	if diff := cmp.Diff(want, r, wiretest.SameValues); diff != "" {
		t.Error(diff)
	}
	r, _ = ParseReply(nil, []byte(`{"state":"waiting","worker_id":"w 1","extend":-1,"delay":"5","progress":101,"callback":0,"retry":"no","unsure":1}`), wire.JSON)
	if diff := cmp.Diff(Reply{State: StateWaiting}, r, wiretest.SameValues); diff != "" {
		t.Errorf("fields that make no sense are kept:\n%s", diff)
	}
	numbered := scanned(t, `{"state":"ok","worker_id":7}`)
	for _, body := range [][]byte{numbered.Raw(), numbered.In(wire.MsgPack).Raw()} {
		if r, _ = ParseReply(nil, body, wire.JSON); r.WorkerID != "7" {
			t.Errorf("the worker of %q is %q; a number is taken as its decimal text", body, r.WorkerID)
		}
	}
	r, _ = ParseReply(nil, []byte(`{"state":"waiting","extend":1e300}`), wire.JSON)
	if *r.Extend != maxSpan {
		t.Errorf("extend = %v", *r.Extend)
	}
}

// A map with a text that is not UTF-8 counts by its members, and none of its bytes is changed,
// because the content is all of them.
func TestAReplyThatIsNotUTF8(t *testing.T) {
	for body, state := range map[string]State{
		`{"state":"error","error":"caf` + "\xe9" + `"}`:  StateError,
		`{"error":"caf` + "\xe9" + `"}`:                  StateError,
		`{"state":"running","content":"` + "\xff" + `"}`: StateRunning,
		`{"state":"o` + "\xff" + `"}`:                    "o?",
		`{"state":"ok","content":"` + "\xff" + `"}`:      StateOK,
		`{"caf` + "\xe9" + `":1}`:                        StateOK,
		`{"state":"error","error":"` + "\xff":            StateOK, // no JSON
		"\x82\xa5state\xa5error\xa5error\xa4caf\xe9":     StateError,
		"\x81\xa5state\xa7failure" + "\xff":              StateOK, // no MessagePack
		"\xff\xd8\xff":                                   StateOK,
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			r, reason := ParseReply(nil, []byte(body), enc)
			whole, is := r.Content.Binary()
			if r.State != state || !is || string(whole) != body || reason != "" {
				t.Errorf("%q for a plan in %s: %v with content %v; want %s with the whole body", body, enc, r.State, r.Content, state)
			}
		}
	}
}

// JetStream confirms stored messages on the reply subject. No worker sends exactly that,
// but one may send something like it.
func TestAConfirmationIsNoAnswer(t *testing.T) {
	for body, stream := range map[string]string{
		`{"stream":"AUDIT","seq":2}`:                                                  "AUDIT",
		`{"stream":"AUDIT", "seq":2,"duplicate":true}`:                                "AUDIT",
		`{"stream":"AUDIT","domain":"hub","seq":18446744073709551615,"val":"1"}`:      "AUDIT",
		`{"type":"t","error":{"code":400,"err_code":10071},"stream":"AUDIT","seq":0}`: "AUDIT",
		`{"stream":"AUDIT","batch":"b","count":2,"seq":3}`:                            "AUDIT",
		`{"stream":"AUDIT","seq":2,"state":null}`:                                     "",
		`{"stream":"AUDIT","seq":2,"rows":7}`:                                         "",
		`{"stream":"AUDIT","seq":2,"state":"ok"}`:                                     "",
		`{"stream":"AUDIT","seq":"2"}`:                                                "",
		`{"stream":"","seq":2}`:                                                       "",
		`{"stream":7,"seq":2}`:                                                        "",
		`{"stream":"AUDIT"}`:                                                          "",
		`{"seq":2}`:                                                                   "",
		`[{"stream":"AUDIT","seq":2}]`:                                                "",
	} {
		r, reason := ParseReply(nil, []byte(body), wire.JSON)
		if r.Stream != stream || reason != "" {
			t.Errorf("%s: stream %q, reason %q", body, r.Stream, reason)
		}
		if confirmed := stream != ""; confirmed != (r.State == "") {
			t.Errorf("%s: state %q", body, r.State)
		}
	}
	named := map[string][]string{HeaderState: {"ok"}}
	if r, _ := ParseReply(named, []byte(`{"stream":"AUDIT","seq":2}`), wire.JSON); r.Stream != "" || r.State != StateOK {
		t.Errorf("a message with a state in a header is a worker's: %+v", r)
	}
}

// The limit is on the size in the encoding that content and error will travel in.
func TestParseReplyTooLarge(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	reply := func(content string) []byte {
		body, err := wire.Marshal(wire.MsgPack, map[string]any{"state": "ok", "content": content, "worker_id": "w1"})
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	control := strings.Repeat("\x01", MaxReplyBytes/6+1) // six bytes each in JSON
	for _, c := range []struct {
		name string
		body []byte
		enc  wire.Encoding
		fits bool
	}{
		{"text that fits", reply(text(MaxReplyBytes - 10)), wire.MsgPack, true},
		{"text that fits, in JSON", reply(text(MaxReplyBytes - 10)), wire.JSON, true},
		{"text that does not", reply(text(MaxReplyBytes)), wire.MsgPack, false},
		{"text that is much too large", reply(text(8 * MaxReplyBytes)), wire.JSON, false},
		{"control characters, as they came", reply(control), wire.MsgPack, true},
		{"control characters, in JSON", reply(control), wire.JSON, false},
		{"plain text", []byte(text(MaxReplyBytes + 1)), wire.JSON, false},
		{"content and error together", []byte(`{"state":"error","content":"` + text(MaxReplyBytes/2) + `","error":"` + text(MaxReplyBytes/2) + `"}`), wire.JSON, false},
		{"an overflow that the worker found", []byte(`{"state":"error","overflow":true,"error":"at most 262144"}`), wire.JSON, false},
	} {
		r, reason := ParseReply(nil, c.body, c.enc)
		if done := c.name != "content and error together"; !c.fits && r.Overflow != done {
			t.Errorf("%s: it was an ok: %v", c.name, r.Overflow)
		}
		if c.fits != (reason == "") {
			t.Errorf("%s: reason %q", c.name, reason)
			continue
		}
		if !c.fits && (r.State != StateError || reason != ReasonTooLarge || r.Error.Encoding() != c.enc || !strings.Contains(r.Error.String(), "at most 262144")) {
			t.Errorf("%s: %+v, %s", c.name, r, reason)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"state":"ok","content":{"a":1},"worker_id":"w1","extend":1,"delay":2,"progress":3}`), "", "")
	f.Add([]byte(`{"state":"error","retry":false,"callback":false}`), "", "")
	f.Add([]byte("\x82\xa5state\xa2ok\xa7content\xc4\x01a"), "", "")
	f.Add([]byte("\xdf\x0f\xff\xff\xff"), "running", "application/msgpack")
	f.Add([]byte(`{"error":"x"}`), "", "application/json")
	for _, body := range frozen(f, "reply") {
		f.Add(body, "", "")
		f.Add(body, "failure", "application/json")
	}
	f.Fuzz(func(t *testing.T, body []byte, state, contentType string) {
		header := map[string][]string{}
		if state != "" {
			header[HeaderState] = []string{state}
		}
		if contentType != "" {
			header[HeaderContentType] = []string{contentType}
		}
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			r, reason := ParseReply(header, body, enc)
			content, text := r.Content.In(enc), r.Error.In(enc)
			if len(content.Raw())+len(text.Raw()) > MaxReplyBytes {
				t.Fatalf("%d bytes are kept", len(content.Raw())+len(text.Raw()))
			}
			if reason != "" && r.State != StateError {
				t.Fatalf("%s with state %s", reason, r.State)
			}
			for _, v := range []wire.Value{content, text} {
				if v.IsZero() {
					continue
				}
				if _, err := wire.ScanAs(enc, v.Raw(), wire.Limits{Items: len(v.Raw())}); err != nil {
					t.Fatalf("%q is kept as %q: %v", body, v.Raw(), err)
				}
			}
		}
	})
}
