package wire

import (
	"bytes"
	"math"
	"testing"
	"time"
)

// writeSome writes one of each.
func writeSome(w *Writer) {
	w.BeginMap()
	w.Key("list")
	w.BeginList()
	w.Text("a\tb\x01")
	w.Int(-33)
	w.Uint(math.MaxUint64)
	w.Float(0.5)
	w.BeginList()
	w.EndList()
	w.BeginMap()
	w.EndMap()
	w.EndList()
	w.Key("yes")
	w.Bool(true)
	w.Key("null")
	w.Null()
	w.Key("at")
	w.Time(time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.FixedZone("", 3600)))
	w.Key("bytes")
	w.Binary([]byte("bin"))
	w.Key("absent")
	w.Value(Value{})
	w.EndMap()
}

const someJSON = `{"list":["a\tb\u0001",-33,18446744073709551615,0.5,[],{}],"yes":true,"null":null,` +
	`"at":"2026-01-02T02:04:05.6Z","bytes":"Ymlu","absent":null}`

func TestWriter(t *testing.T) {
	w := NewWriter(JSON, []byte("before"))
	writeSome(w)
	if got := string(w.Bytes()); got != "before"+someJSON {
		t.Errorf("JSON:\n got %s\nwant %s", got, someJSON)
	}
	w.Reset(MsgPack, nil)
	writeSome(w)
	v, err := ScanAs(MsgPack, w.Bytes(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.String(); got != someJSON {
		t.Errorf("MessagePack:\n got %s\nwant %s", got, someJSON)
	}
}

func TestWriterReplacesWhatNoEncodingHolds(t *testing.T) {
	for _, enc := range []Encoding{JSON, MsgPack} {
		w := NewWriter(enc, nil)
		w.BeginList()
		w.Text("a\xffb")
		w.Float(math.Inf(-1))
		w.Time(time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC))
		w.EndList()
		v, err := ScanAs(enc, w.Bytes(), Limits{})
		if err != nil {
			t.Fatalf("%s: %q: %v", enc, w.Bytes(), err)
		}
		if got, want := v.String(), `["a�b",null,null]`; got != want {
			t.Errorf("%s: %s, want %s", enc, got, want)
		}
	}
}

// A list of more elements than a 16-bit head counts gets a larger head.
func TestWriterManyElements(t *testing.T) {
	const n = math.MaxUint16 + 10
	for _, enc := range []Encoding{JSON, MsgPack} {
		w := NewWriter(enc, nil)
		w.BeginMap()
		w.Key("list")
		w.BeginList()
		for i := range n {
			w.Int(int64(i))
		}
		w.EndList()
		w.Key("after")
		w.Bool(true)
		w.EndMap()
		v, err := Scan(w.Bytes(), Limits{Items: 2 * n})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Field("list").Len(); got != n {
			t.Errorf("%s: %d elements, want %d", enc, got, n)
		}
		if b, _ := v.Field("after").Bool(); !b {
			t.Errorf("%s: the rest is lost", enc)
		}
	}
}

func TestMembers(t *testing.T) {
	for _, enc := range []Encoding{JSON, MsgPack} {
		for _, body := range []string{`{}`, `{ }`, `{"a":1}`, ` { "a" : 1 , "b" : [ 2 ] } `} {
			v := scan(t, []byte(body)).In(enc)
			members, at := Members(v)
			count := v.Len()
			if !bytes.HasPrefix(v.Raw()[at:], members) {
				t.Errorf("%s: the members do not begin at %d", v, at)
			}
			if got := MapOf(enc, members, count); got.In(JSON).Len() != v.Len() || got.Field("b").String() != v.Field("b").String() {
				t.Errorf("%s: %s became %s", enc, body, got)
			}
			w := NewWriter(enc, nil)
			w.BeginMapWith(members, count)
			w.Key("more")
			w.Int(1)
			w.EndMap()
			if got := scan(t, w.Bytes()); got.Len() != v.Len()+1 {
				t.Errorf("%s: %s and one more became %s", enc, body, got)
			}
			leading, n := Leading(enc, members, func(name []byte) bool { return string(name) == "a" })
			if want := min(v.Len(), 1); n != want || MapOf(enc, leading, n).Len() != want {
				t.Errorf("%s: %s: leading members are %q", enc, body, leading)
			}
		}
	}
	if members, _ := Members(scan(t, []byte(`[1]`))); len(members) != 0 {
		t.Errorf("a list has members %q", members)
	}
}

func TestValueReads(t *testing.T) {
	v := scan(t, []byte(`{"int":-9223372036854775808,"whole":3e0,"half":0.5,"big":18446744073709551615,
		"huge":1e300,"minus":-0,"text":"a\u00e9\n","t":true,"n":null,"at":"2026-01-02T03:04:05+01:00","unix":86400,"list":[1,2]}`))
	for _, v := range []Value{v, v.In(MsgPack)} {
		if i, ok := v.Field("int").Int(); !ok || i != math.MinInt64 {
			t.Errorf("int = %d, %v", i, ok)
		}
		if i, ok := v.Field("whole").Int(); !ok || i != 3 {
			t.Errorf("whole = %d, %v", i, ok)
		}
		for _, name := range []string{"half", "big", "huge", "text", "t", "n", "list", "gone"} {
			if i, ok := v.Field(name).Int(); ok {
				t.Errorf("%s is the int %d", name, i)
			}
		}
		if u, ok := v.Field("big").Uint(); !ok || u != math.MaxUint64 {
			t.Errorf("big = %d, %v", u, ok)
		}
		if f, ok := v.Field("minus").Float(); !ok || !math.Signbit(f) {
			t.Errorf("minus = %v, %v", f, ok)
		}
		if s, ok := v.Field("text").Text(); !ok || s != "aé\n" {
			t.Errorf("text = %q, %v", s, ok)
		}
		if at, ok := v.Field("at").Time(); !ok || !at.Equal(time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)) {
			t.Errorf("at = %v, %v", at, ok)
		}
		if at, ok := v.Field("unix").Time(); !ok || at.Unix() != 86400 {
			t.Errorf("unix = %v, %v", at, ok)
		}
		if v.Field("gone").Kind() != KindAbsent || !v.Field("gone").IsZero() || v.Field("n").Kind() != KindNull {
			t.Error("absent and null are mixed up")
		}
		if got := v.Field("list").Len(); got != 2 {
			t.Errorf("list has %d elements", got)
		}
	}
}

func TestBinaryCrossesAsBase64(t *testing.T) {
	b := []byte{0, 1, 255}
	v := Binary(MsgPack, b)
	if v.Kind() != KindBinary {
		t.Errorf("kind = %s", v.Kind())
	}
	for _, v := range []Value{v, v.In(JSON), v.In(JSON).In(MsgPack)} {
		if got, ok := v.Binary(); !ok || !bytes.Equal(got, b) {
			t.Errorf("%s: %x, %v", v, got, ok)
		}
	}
	extension := scan(t, []byte("\xc7\x03\x05\x00\x01\xff"))
	if got, ok := extension.Binary(); !ok || !bytes.Equal(got, b) || extension.String() != `"AAH/"` {
		t.Errorf("an extension is %x, %v, %s", got, ok, extension)
	}
}

var typicalPlan = []byte(`{"station":"hello","command":"greet","request_id":"r-000123","caller":"billing",` +
	`"description":"greets everyone","messages":["first frame",{"name":"world","n":42}],` +
	`"plan_type":"second","plan_value":10,"plan_repet":-1,"no_keep":false,"exec_timeout":30,` +
	`"retry":{"strategy":"fixed_period","interval":5},"labels":{"team":"core"}}`)

// Scanning and walking are on the way of every message.
func TestNoAllocations(t *testing.T) {
	packed := scan(t, typicalPlan).AppendTo(nil, MsgPack)
	var w Writer
	buf := make([]byte, 0, 1024)
	for _, body := range [][]byte{typicalPlan, packed} {
		v := scan(t, body)
		for name, f := range map[string]func(){
			"scan":  func() { _, _ = Scan(body, Limits{}) },
			"field": func() { v.Field("plan_value").Int() },
			"write": func() { w.Reset(v.Encoding(), buf); writeSome(&w) },
			"copy":  func() { w.Reset(v.Encoding(), buf); w.Value(v) },
		} {
			if n := testing.AllocsPerRun(100, f); n > 0 {
				t.Errorf("%s of %s: %v allocations", name, v.Encoding(), n)
			}
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for _, enc := range []Encoding{JSON, MsgPack} {
		body := scan(b, typicalPlan).AppendTo(nil, enc)
		b.Run(enc.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ScanAs(enc, body, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
