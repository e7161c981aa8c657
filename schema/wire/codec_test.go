package wire

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Overlap string   `json:"overlap,omitempty"`
	Limit   *int64   `json:"limit,omitempty"`
	Share   *float64 `json:"share,omitempty"`
}

type outer struct {
	ID      string            `json:"id" wire:"numeric"`
	Command string            `json:"command,omitempty"`
	Count   int8              `json:"count,omitempty"`
	Size    uint16            `json:"size,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	Flag    bool              `json:"flag,omitempty"`
	At      time.Time         `json:"at,omitzero"`
	Raw     []byte            `json:"raw,omitempty"`
	Items   []Value           `json:"items,omitempty"`
	Ext     Value             `json:"ext,omitzero"`
	Labels  map[string]string `json:"labels,omitempty"`
	Names   []string          `json:"names,omitempty"`
	Any     any               `json:"any,omitempty"`
	Retry   *inner            `json:"retry,omitempty"`
	Word    word              `json:"word,omitempty"`
	Hidden  string            `json:"-"`

	inner2
	Policy
}

type inner2 struct {
	Deep string `json:"deep,omitempty"`
}

type Policy struct {
	Overlap string `json:"overlap,omitempty"`
}

type word string

func (w *word) DecodeWire(v Value) error {
	if i, ok := v.Int(); ok && i == 1 {
		*w = "one"
		return nil
	}
	s, ok := v.Text()
	if !ok {
		return errors.New("takes a word or 1")
	}
	*w = word(s)
	return nil
}

func full(enc Encoding) outer {
	limit, share := int64(-7), 0.25
	return outer{
		ID: "x", Command: "do\n\"it\"", Count: -128, Size: 65535, Ratio: 1.5, Flag: true,
		At:  time.Date(2026, 3, 1, 10, 0, 0, 120_000_000, time.UTC),
		Raw: []byte{0, 255}, Items: []Value{Text(enc, "é")}, Ext: Text(enc, ""),
		Labels: map[string]string{"b": "2", "a": "1"}, Names: []string{"n"},
		Any:   map[string]any{"k": []any{int64(1), nil}},
		Retry: &inner{Overlap: "skip", Limit: &limit, Share: &share}, Word: "two",
		inner2: inner2{Deep: "d"}, Policy: Policy{Overlap: "queue"},
	}
}

var compareValues = cmp.Comparer(func(a, b Value) bool { return a.String() == b.String() })

func TestStructRoundTrip(t *testing.T) {
	for _, enc := range []Encoding{JSON, MsgPack} {
		want := full(enc)
		body, err := Marshal(enc, want)
		if err != nil {
			t.Fatal(err)
		}
		for _, decode := range []func(Value, any) error{Decode, DecodeLoose} {
			var got outer
			if err := decode(scan(t, body), &got); err != nil {
				t.Fatalf("%s: %v", enc, err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(outer{}), compareValues); diff != "" {
				t.Errorf("%s:\n%s", enc, diff)
			}
		}
	}
}

// The tags have the meaning of encoding/json.
func TestMarshalIsAsInEncodingJSON(t *testing.T) {
	for _, v := range []outer{full(JSON), {}} {
		ours, err := Marshal(JSON, v)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(theirs), string(ours)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDecodeTakes(t *testing.T) {
	got := outer{Command: "kept", Flag: true}
	v := scan(t, []byte(`{"id":12345678901234567890,"command":null,"flag":null,"count":3.0,"at":1700000000,
		"word":1,"ext":null,"retry":null,"labels":{},"\u006eames":["a"],"any":18446744073709551615}`))
	if err := Decode(v, &got); err != nil {
		t.Fatal(err)
	}
	want := outer{
		ID: "12345678901234567890", Command: "kept", Flag: true, Count: 3,
		At: time.Unix(1700000000, 0).UTC(), Word: "one", Labels: map[string]string{}, Names: []string{"a"},
		Any: uint64(math.MaxUint64),
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outer{}), compareValues); diff != "" {
		t.Error(diff)
	}
}

// A member that could not be read is absent, and not 0, because 0 would pass for the
// sender's value.
func TestInvalidMembersAreAbsent(t *testing.T) {
	var got outer
	err := Decode(scan(t, []byte(`{"command":"x","retry":{"overlap":"skip","limit":"x","share":2}}`)), &got)
	if err == nil || got.Command != "x" || got.Retry == nil || got.Retry.Overlap != "skip" || got.Retry.Limit != nil || got.Retry.Share == nil {
		t.Errorf("%+v, %v", got.Retry, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"comand":"x"}`, `comand: unknown field "comand"; did you mean "command"?`},
		{`{"Command":"x"}`, `Command: unknown field "Command"; did you mean "command"?`},
		{`{"frobnicate":"x"}`, `frobnicate: unknown field "frobnicate"`},
		{`{"retry":{"over_lap":"x"}}`, `retry.over_lap: unknown field "over_lap"; did you mean "overlap"?`},
		{`{"Hidden":"x"}`, `Hidden: unknown field "Hidden"`},
		{`{"command":5}`, `command: takes a text, not a whole number`},
		{`{"count":1.5}`, `count: takes a whole number, not 1.5`},
		{`{"count":128}`, `count: is 128, which is out of range`},
		{`{"size":-1}`, `size: is -1, which is out of range`},
		{`{"size":65536}`, `size: is 65536, which is out of range`},
		{`{"count":18446744073709551615}`, `count: is 18446744073709551615, which is out of range`},
		{`{"count":1e30}`, `count: takes a whole number, not 1e30`},
		{`{"count":-99999999999999999999}`, `count: is -99999999999999999999, which is out of range`},
		{`{"at":1795400000000}`, `at: is 1795400000000, which as Unix seconds is no year from 0 to 9999; milliseconds are not taken`},
		{`{"ratio":"1"}`, `ratio: takes a number, not a text`},
		{`{"flag":1}`, `flag: takes true or false, not a whole number`},
		{`{"at":"yesterday"}`, `at: takes a time, RFC 3339 such as 2026-03-01T10:00:00Z, or Unix seconds`},
		{`{"raw":"*"}`, `raw: takes binary, or a text in base64, not a text`},
		{`{"items":{}}`, `items: takes a list, not a map`},
		{`{"labels":{"a":1}}`, `labels.a: takes a text, not a whole number`},
		{`{"names":["a",2,"b",true]}`, `names: item 2 takes a text, not a whole number; names: item 4 takes a text, not true or false`},
		{`{"retry":[]}`, `retry: takes a map, not a list`},
		{`{"retry":{"limit":"x","share":"y"}}`, `retry.limit: takes a whole number, not a text; retry.share: takes a number, not a text`},
		{`{"word":2}`, `word: takes a word or 1`},
		{`[]`, `takes a map, not a list`},
	} {
		var got outer
		err := Decode(scan(t, []byte(c.body)), &got)
		if err == nil || err.Error() != c.want {
			t.Errorf("Decode(%s):\n got %v\nwant %s", c.body, err, c.want)
		}
		var field *FieldError
		if !errors.As(err, &field) {
			t.Errorf("Decode(%s): %T holds no *FieldError", c.body, err)
		}
	}
	if err := Decode(Value{}, new(outer)); err == nil {
		t.Error("an absent value is decoded")
	}
	var loose outer
	if err := DecodeLoose(scan(t, []byte(`{"frobnicate":1,"command":"x"}`)), &loose); err != nil || loose.Command != "x" {
		t.Errorf("DecodeLoose = %v, %+v", err, loose)
	}
}

func TestMarshalRefuses(t *testing.T) {
	type loop struct{ Next *loop }
	endless := &loop{}
	endless.Next = endless
	for _, v := range []any{
		math.NaN(), []float64{math.Inf(1)}, make(chan int), map[int]string{1: "a"}, endless,
		time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC),
		struct {
			Policy
			Overlap string `json:"overlap"`
		}{},
	} {
		for _, enc := range []Encoding{JSON, MsgPack} {
			if body, err := Marshal(enc, v); err == nil {
				t.Errorf("Marshal(%s, %T) = %q, want an error", enc, v, body)
			}
		}
	}
}

func TestUnknownFieldsAreNotEchoedWithoutBound(t *testing.T) {
	body := `{"` + strings.Repeat("x", 100_000) + `":1}`
	err := Decode(scan(t, []byte(body)), new(outer))
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
	var many strings.Builder
	for i := range 1000 {
		many.WriteString(`,"f` + strings.Repeat("o", i%50) + string(rune('a'+i%26)) + strings.Repeat("z", i/26) + `":1`)
	}
	if err := Decode(scan(t, []byte("{"+many.String()[1:]+"}")), new(outer)); len(err.(FieldErrors)) > maxErrors {
		t.Errorf("%d errors are listed", len(err.(FieldErrors)))
	}
}

func scan(t testing.TB, body []byte) Value {
	t.Helper()
	v, err := Scan(body, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzDecode checks that no value makes the codec panic, and that a decoded value encodes again.
func FuzzDecode(f *testing.F) {
	for _, enc := range []Encoding{JSON, MsgPack} {
		body, err := Marshal(enc, full(enc))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(`{"id":1,"at":0,"any":{"a":[null]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := Scan(body, Limits{})
		if err != nil {
			return
		}
		var got, again outer
		if Decode(v, &got) != nil {
			return
		}
		for _, enc := range []Encoding{JSON, MsgPack} {
			body, err := Marshal(enc, got)
			if err != nil {
				t.Fatal(err)
			}
			v, err := ScanAs(enc, body, Limits{})
			if err != nil {
				t.Fatalf("%q: %v", body, err)
			}
			if err := Decode(v, &again); err != nil {
				t.Fatalf("%q: %v", body, err)
			}
		}
	})
}

type listed struct {
	Set      []string `json:"set" wire:"set"`
	Values   []Value  `json:"values" wire:"set"`
	List     []string `json:"list" wire:"list"`
	Distinct []int64  `json:"distinct" wire:"distinct"`
}

// TestDoubles checks the treatment of duplicates in a list.
func TestDoubles(t *testing.T) {
	decode := func(body string, decode func(Value, any) error) (listed, error) {
		t.Helper()
		v, err := Scan([]byte(body), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var l listed
		return l, decode(v, &l)
	}
	all := func(v Value, dst any) error {
		for _, enc := range []Encoding{MsgPack, JSON} {
			if err := Decode(v.In(enc), dst); err != nil {
				return err
			}
		}
		return nil
	}
	for body, want := range map[string]listed{
		`{"set":["b","a","b","c","a","b"]}`: {Set: []string{"b", "a", "c"}},
		`{"set":[]}`:                        {Set: []string{}},
		`{"set":["",""]}`:                   {Set: []string{""}},
		`{"list":["a","a"]}`:                {List: []string{"a", "a"}},
		`{"distinct":[2,1,-1]}`:             {Distinct: []int64{2, 1, -1}},
	} {
		if is, err := decode(body, all); err != nil || !cmp.Equal(is, want) {
			t.Errorf("%s is read as %+v, %v", body, is, err)
		}
	}
	is, err := decode(`{"values":["2xx",409,"2\u0078x","409",409,null,null,[1],[1]]}`, all)
	if err != nil || len(is.Values) != 5 {
		t.Errorf("values are read as %v, %v", is.Values, err)
	}
	is, err = decode(`{"values":[409,"a whole number409",null,"nullnull",[1],"a list[1]"]}`, all)
	if err != nil || len(is.Values) != 6 {
		t.Errorf("a text is taken for a value: %v, %v", is.Values, err)
	}
	const twice = `{"distinct":[7,3,4,3,3]}`
	if _, err := decode(twice, Decode); err == nil || err.Error() != "distinct: item 4 is the same as item 2; each is named once" {
		t.Errorf("%s: %v", twice, err)
	}
	if is, err := decode(twice, DecodeLoose); err != nil || len(is.Distinct) != 5 {
		t.Errorf("%s was stored, and is read as %v, %v", twice, is.Distinct, err)
	}
}
