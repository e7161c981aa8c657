package schema

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// frozen returns the golden bytes of messages, in both encodings, because that corpus has each
// field.
func frozen(f *testing.F, names ...string) (bodies [][]byte) {
	f.Helper()
	for _, name := range names {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			body, err := os.ReadFile(filepath.Join("testdata", "wire", "v1", name+"."+enc.String()))
			if err != nil {
				f.Fatal(err)
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// Messages besides definitions and replies are read loosely, because unknown fields may
// belong to another version. A message that was read as one of the types can be written, in
// both encodings, and is the same when it is read again. The readers by hand agree.
func FuzzMessages(f *testing.F) {
	types := map[string]reflect.Type{}
	for name, sample := range samples(wire.JSON) {
		types[name] = reflect.TypeOf(sample)
	}
	names := slices.Sorted(maps.Keys(types))
	for i, name := range names {
		for _, body := range frozen(f, name) {
			f.Add(uint8(i), body)
		}
	}
	for _, body := range append(frozen(f, "joined_ack"), []byte("\xdf\xff\xff\xff\xff"), []byte("\x81\xa4time\xd6\xff\x00\x00\x00\x00"), []byte(`{"messages":null,"items":7,"labels":{"a":1},"of":[-1,256,255.0]}`)) {
		f.Add(uint8(slices.Index(names, "execution")), body)
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		v, err := wire.Scan(data, wire.Limits{})
		if err != nil {
			return
		}
		readAck(t, v)
		m := reflect.New(types[names[int(kind)%len(names)]])
		if wire.DecodeLoose(v, m.Interface()) != nil {
			return
		}
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			raw, err := wire.Marshal(enc, m.Interface())
			if err != nil {
				t.Fatalf("%s of %q cannot be written: %v", m.Type(), v.Raw(), err)
			}
			back, err := wire.ScanAs(enc, raw, wire.Limits{Items: 1 << 20, Depth: replyDepth + 1}) // bytes became a list, or a map
			if err != nil {
				t.Fatalf("%s of %q is written as %q: %v", m.Type(), v.Raw(), raw, err)
			}
			again := reflect.New(m.Type().Elem())
			if err := wire.DecodeLoose(back, again.Interface()); err != nil {
				t.Fatalf("%s of %q is written as %q: %v", m.Type(), v.Raw(), raw, err)
			}
			if diff := cmp.Diff(m.Interface(), again.Interface(), sameMeaning, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s of %q is written as %q, which is another:\n%s", m.Type(), v.Raw(), raw, diff)
			}
		}
	})
}

// sameMeaning holds two values to be equal that are in both encodings.
var sameMeaning = cmp.Comparer(func(a, b wire.Value) bool {
	return a.Encoding() != b.Encoding() || bytes.Equal(a.Raw(), b.Raw())
})

// readAck reads v as workers read an acknowledgement: the result can be written and read
// again.
func readAck(t *testing.T, v wire.Value) {
	t.Helper()
	var a JoinedAck
	a.ReadFrom(v)
	w := wire.NewWriter(v.Encoding(), nil)
	a.AppendTo(w)
	var again JoinedAck
	again.ReadFrom(w.Whole())
	if again.Ack != a.Ack || !slices.Equal(again.Of, a.Of) {
		t.Fatalf("%q acknowledges %+v, and once more %+v", v.Raw(), a, again)
	}
	for _, place := range a.Of {
		if place < 0 || place >= MaxJoined {
			t.Fatalf("%q acknowledges a reply at %d", v.Raw(), place)
		}
	}
}

// No subject of ours may be asked for as the place of an answer.
func FuzzAnswerable(f *testing.F) {
	for _, subject := range []string{"_INBOX.a.b", "", "$JS.API.STREAM.PURGE.PLAN_JOURNAL", "plans.create", "acme.plans.create", ".plans", "station"} {
		f.Add(subject, "")
		f.Add(subject, "acme")
	}
	f.Fuzz(func(t *testing.T, subject, prefix string) {
		s := Space{Prefix: prefix}
		if prefix != "" && CheckID(prefix) != nil || !s.Answerable(subject) {
			return
		}
		if _, ok := s.ParseReply(subject); ok || subject[0] == '$' {
			t.Fatalf("%q may be answered to", subject)
		}
	})
}

// A call that is accepted is within its limits, filled in or not, and is the same when it
// is read again; one that is not is refused with fields. An outcome is read from any
// result.
func FuzzHTTPCall(f *testing.F) {
	for _, body := range append(frozen(f, "http_call", "http_outcome"),
		[]byte(`{"target_url":"http://a.org/?{{ run_id }}&x={{{{","success_status":["2xx",409,"600"],"timeout_seconds":0}`),
		[]byte(`{"target_url":"https://{{name}}.org","http_method":"put","exec_type":"async","body_template":"}}{{task_id}}"}`),
	) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Scan(data, wire.Limits{})
		if err != nil {
			return
		}
		if o, ok := ReadHTTPOutcome(&Result{Error: v}); ok && o.Class == "" {
			t.Fatalf("%q is an outcome of no class", data)
		}
		call, err := ParseHTTPCall(v)
		if err != nil {
			if errs, ok := err.(Errors); !ok || len(errs) == 0 || errs[0].Code != CodeInvalidRequest {
				t.Fatalf("%q is refused with %v", data, err)
			}
			return
		}
		if call.Fill(); call.Check() != nil || call.Timeout() < 0 || call.CallbackTimeout() < 0 || call.ExecTimeout() <= 0 {
			t.Fatalf("%q is %+v: %v", data, call, call.Check())
		}
		again, err := ParseHTTPCall(must(wire.ValueOf(wire.JSON, call)))
		if err != nil {
			t.Fatalf("%q is taken, and filled in is refused: %v", data, err)
		}
		if diff := cmp.Diff(call, again, sameMeaning, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q is read again as another:\n%s", data, diff)
		}
		body, err := ParseTemplate(call.BodyTemplate)
		if err != nil || body.Plain() != !strings.Contains(call.BodyTemplate, "{{") || body.Plain() && body.expand("x") != call.BodyTemplate {
			t.Fatalf("%q is the template %+v, %v", call.BodyTemplate, body, err)
		}
	})
}

func must(v wire.Value, err error) wire.Value {
	if err != nil {
		panic(err)
	}
	return v
}
