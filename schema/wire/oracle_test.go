package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// anyValue draws a value of the kinds that both encodings share, and with binary
// those of MessagePack alone.
func anyValue(depth int, alone bool) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		most := 5
		if depth > 0 {
			most = 7
		}
		least := 0
		if alone {
			least = -2
		}
		switch rapid.IntRange(least, most).Draw(t, "kind") {
		case -2:
			return rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "binary")
		case -1:
			return anyTime(t)
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Int64().Draw(t, "int")
		case 3:
			return rapid.Uint64Min(math.MaxInt64+1).Draw(t, "uint")
		case 4:
			return rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) }).Draw(t, "float")
		case 5:
			return rapid.String().Draw(t, "text")
		case 6:
			return rapid.SliceOfN(anyValue(depth-1, alone), 0, 20).Draw(t, "list")
		default:
			return rapid.MapOfN(rapid.String(), anyValue(depth-1, alone), 0, 20).Draw(t, "map")
		}
	})
}

func anyTime(t *rapid.T) time.Time {
	sec := rapid.Int64Range(firstSecond, lastSecond).Draw(t, "sec")
	if rapid.Bool().Draw(t, "recent") {
		sec = rapid.Int64Range(0, math.MaxUint32).Draw(t, "sec")
	}
	nsec := rapid.SampledFrom([]int64{0, 1, 500_000_000, 999_999_999}).Draw(t, "nsec")
	return time.Unix(sec, nsec).UTC()
}

// A written value reads back the same, in either encoding.
func TestMarshalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyValue(3, false).Draw(t, "value")
		for _, enc := range []Encoding{JSON, MsgPack} {
			body, err := Marshal(enc, want)
			if err != nil {
				t.Fatalf("%s: %v", enc, err)
			}
			v, err := ScanAs(enc, body, Limits{})
			if err != nil {
				t.Fatalf("%s: %q: %v", enc, body, err)
			}
			if diff := cmp.Diff(normal(want, enc), v.Any()); diff != "" {
				t.Fatalf("%s: %q:\n%s", enc, body, diff)
			}
		}
	})
}

// normal is want as it is read back, where a whole float is a whole number, because JSON has one
// kind of number.
func normal(want any, enc Encoding) any {
	switch w := want.(type) {
	case uint64:
		if w <= math.MaxInt64 {
			return int64(w)
		}
	case float64:
		if enc == JSON && w == math.Trunc(w) && math.Abs(w) < 1<<53 && (w != 0 || !math.Signbit(w)) {
			return int64(w)
		}
	case []any:
		list := make([]any, len(w))
		for i := range w {
			list[i] = normal(w[i], enc)
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for k, v := range w {
			m[k] = normal(v, enc)
		}
		return m
	}
	return want
}

// Other libraries read our output, with the same meaning.
func TestOthersReadWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyValue(3, true).Draw(t, "value")
		packed, err := Marshal(MsgPack, want)
		if err != nil {
			t.Fatal(err)
		}
		var theirs any
		d := msgpack.NewDecoder(bytes.NewReader(packed))
		if err := d.Decode(&theirs); err != nil {
			t.Fatalf("msgpack reads %x: %v", packed, err)
		}
		ours, err := ScanAs(MsgPack, packed, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(widen(theirs), ours.Any()); diff != "" {
			t.Fatalf("msgpack reads %x otherwise:\n%s", packed, diff)
		}

		text := ours.AppendTo(nil, JSON)
		if !json.Valid(text) {
			t.Fatalf("encoding/json calls %q invalid", text)
		}
		j, err := ScanAs(JSON, text, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var jsons any
		jd := json.NewDecoder(bytes.NewReader(text))
		jd.UseNumber()
		if err := jd.Decode(&jsons); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(jsons, numbers(j)); diff != "" {
			t.Fatalf("encoding/json reads %s otherwise:\n%s", text, diff)
		}
	})
}

// widen makes of the msgpack library's many integer types one.
func widen(v any) any {
	switch v := v.(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
	case float32:
		return float64(v)
	case time.Time:
		return v.UTC()
	case *time.Time:
		return v.UTC()
	case []any:
		for i := range v {
			v[i] = widen(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = widen(v[k])
		}
	}
	return v
}

// numbers is v.Any with numbers as encoding/json keeps them.
func numbers(v Value) any {
	switch v.Kind() {
	case KindInt, KindFloat:
		return json.Number(v.Raw())
	case KindList:
		list := []any{}
		for _, e := range v.List() {
			list = append(list, numbers(e))
		}
		return list
	case KindMap:
		m := map[string]any{}
		for k, e := range v.Map() {
			m[k] = numbers(e)
		}
		return m
	default:
		return v.Any()
	}
}

// Transcoding there and back changes nothing that both encodings have; integers
// stay exact.
func TestTranscodingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyValue(3, false).Draw(t, "value")
		packed, err := ValueOf(MsgPack, want)
		if err != nil {
			t.Fatal(err)
		}
		text := packed.In(JSON)
		again := text.In(MsgPack).In(JSON)
		if string(again.Raw()) != string(text.Raw()) {
			t.Fatalf("%s became %s", text.Raw(), again.Raw())
		}
		if diff := cmp.Diff(normal(want, JSON), text.Any()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzJSONAgainstLibrary checks that encoding/json accepts the JSON that a scan accepts, and that
// a scan refuses JSON of encoding/json only by its stricter rules.
func FuzzJSONAgainstLibrary(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,"x\u00e9\n",null,true],"b":{"c":{}}}`))
	f.Add([]byte(`[1e400]`))
	f.Add([]byte(`["\ud800"]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := ScanAs(JSON, body, Limits{})
		switch {
		case err == nil && !json.Valid(body):
			t.Fatalf("%q is taken, and is no JSON", body)
		case err != nil && json.Valid(body) && !stricter(err):
			t.Fatalf("%q is refused, and is JSON: %v", body, err)
		}
	})
}

// FuzzMsgpackAgainstLibrary checks that the library reads every body that a scan accepts. It also
// accepts bodies that a scan refuses: any key, any length, any depth.
func FuzzMsgpackAgainstLibrary(f *testing.F) {
	f.Add([]byte("\x82\xa1a\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa1b\xc4\x02ab"))
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := ScanAs(MsgPack, body, Limits{})
		if err != nil {
			return
		}
		r := bytes.NewReader(body)
		if err := msgpack.NewDecoder(r).Skip(); err != nil || r.Len() > 0 {
			t.Fatalf("%x is read as %s, and the library reads %v with %d bytes left", body, v, err, r.Len())
		}
	})
}

func stricter(err error) bool {
	for _, reason := range []string{"given twice", "UTF-8", "surrogate", "deeper", "more than", "not finite"} {
		if strings.Contains(err.Error(), reason) {
			return true
		}
	}
	return false
}
