package wire

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// kept is a record as a program keeps it; its tags are for the codec that its fields are
// compared with.
type kept struct {
	Count int64     `json:"count"`
	Small int32     `json:"small"`
	Large uint64    `json:"large"`
	Flag  bool      `json:"flag"`
	Word  word2     `json:"word"`
	At    time.Time `json:"at"`
	Any   Value     `json:"any"`
	Ns    []int64   `json:"ns" wire:"distinct"`
	Part  *part     `json:"part"`
	Parts []part    `json:"parts"`
	Other *part     `json:"other"`
}

type word2 string

type part struct {
	N    int64  `json:"n"`
	Deep []part `json:"deep"`
}

func (k *kept) fields(f *Fields) {
	f.Int("count", &k.Count)
	Number(f, "small", &k.Small)
	f.Uint("large", &k.Large)
	f.Bool("flag", &k.Flag)
	Word(f, "word", &k.Word)
	f.Time("at", &k.At)
	f.Value("any", &k.Any)
	f.Numbers("ns", &k.Ns)
	Map(f, "part", &k.Part, (*part).fields)
	List(f, "parts", &k.Parts, (*part).fields)
	f.Other("other", &k.Other, k.Other != nil, func(w *Writer) {
		w.BeginMap()
		w.Key("n")
		w.Int(k.Other.N)
		w.EndMap()
	})
}

func (p *part) fields(f *Fields) {
	f.Int("n", &p.N)
	List(f, "deep", &p.Deep, (*part).fields)
}

var sameBytes = cmp.Comparer(func(a, b Value) bool { return string(a.Raw()) == string(b.Raw()) })

// The values and errors of fields are those of Decode and DecodeLoose by tags.
func TestFieldsReadWhatDecodeDoes(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `3`, `[]`, `"text"`,
		`{"count":1,"small":-2,"large":18446744073709551615,"flag":true,"word":"w","at":"2026-03-01T12:00:00.5Z","any":[1],"ns":[1,-2]}`,
		`{"ns":[3],"any":null,"at":0,"word":"","flag":false,"large":0,"small":0,"count":0}`,
		`{"at":1772366400,"count":3.0,"sm\u0061ll":7}`,
		`{"at":"1970-01-01T00:00:00Z"}`,
		`{"part":{"n":1,"deep":[{"n":2},null,{"deep":[]}]},"parts":[{"n":3},{}],"other":{"n":4}}`,
		`{"parts":[{"deep":[{"n":1},{"n":"x"}]},3],"part":[],"other":{"n":true}}`,
		`{"parts":{"n":1},"ns":{"n":1}}`, `{"ns":[1,"x"]}`, `{"ns":[1,2,1]}`,
		`{"count":"x","small":4294967296,"large":-1,"flag":1,"word":2,"at":"yesterday"}`,
		`{"count":1.5,"at":1772366400000,"part":null}`,
		`{"cuont":1,"part":{"m":1,"deep":[{"n":1,"later":2}]},"":0}`,
	} {
		v := Trust(JSON, []byte(text))
		for _, v := range []Value{v, v.In(MsgPack)} {
			for _, strict := range []bool{false, true} {
				var want, got kept
				decode := DecodeLoose
				if strict {
					decode = Decode
				}
				wantErr, gotErr := decode(v, &want), ReadFields(v, strict, got.fields)
				if diff := cmp.Diff(errorTexts(wantErr), errorTexts(gotErr)); diff != "" {
					t.Errorf("%s, strict %t: %s", text, strict, diff)
				}
				if diff := cmp.Diff(want, got, sameBytes, cmpopts.EquateEmpty()); wantErr == nil && diff != "" {
					t.Errorf("%s, strict %t: %s", text, strict, diff)
				}
			}
		}
	}
}

// errorTexts are the errors of a value, in an order of their own.
func errorTexts(err error) []string {
	var fields FieldErrors
	errors.As(err, &fields)
	texts := []string{}
	for _, e := range fields {
		texts = append(texts, e.Error())
	}
	slices.Sort(texts)
	return texts
}

// The output of fields is that of a Writer by hand, zero members left out.
func TestFieldsWrite(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 500_000_000, time.UTC)
	k := kept{
		Count: -7, Small: 300, Large: 1 << 63, Flag: true, Word: "w", At: at, Any: Text(JSON, "x"), Ns: []int64{1},
		Part: &part{}, Parts: []part{{N: 1, Deep: []part{{}}}}, Other: &part{N: 2},
	}
	for _, enc := range []Encoding{JSON, MsgPack} {
		w := NewWriter(enc, nil)
		w.BeginMap()
		k.fields(w.Fields())
		w.EndMap()
		const want = `{"count":-7,"small":300,"large":9223372036854775808,"flag":true,"word":"w","at":"2026-03-01T12:00:00.5Z","any":"x","ns":[1],` +
			`"part":{},"parts":[{"n":1,"deep":[{}]}],"other":{"n":2}}`
		if got := string(w.Whole().In(JSON).Raw()); got != want {
			t.Errorf("%s: %s\nwant %s", enc, got, want)
		}
		w.Reset(enc, nil)
		w.BeginMap()
		(&kept{}).fields(w.Fields())
		w.EndMap()
		if got := w.Whole().Len(); got != 0 {
			t.Errorf("%s: %d zero members are written", enc, got)
		}
	}
}

// A moment in microseconds is written as the time that it is, and read as it was.
func TestFieldsMicros(t *testing.T) {
	for _, at := range []int64{1, -1, 1_772_366_400_000_000, 1_772_366_400_500_001, 17_179_869_184_000_000, lastSecond*1e6 + 999_999, (lastSecond + 1) * 1e6, -62_135_596_801_000_000} {
		for _, enc := range []Encoding{JSON, MsgPack} {
			want := NewWriter(enc, nil)
			want.BeginMap()
			want.Key("at")
			want.Time(time.UnixMicro(at).UTC())
			want.EndMap()
			w := NewWriter(enc, nil)
			w.BeginMap()
			Micros(w.Fields(), "at", &at)
			w.EndMap()
			if diff := cmp.Diff(want.Bytes(), w.Bytes()); diff != "" {
				t.Errorf("%d in %s: %s", at, enc, diff)
			}
			var got int64
			if err := ReadFields(w.Whole(), true, func(f *Fields) { Micros(f, "at", &got) }); err != nil {
				t.Fatal(err)
			}
			if isTime := at < (lastSecond+1)*1e6; isTime && got != at || !isTime && got != 0 {
				t.Errorf("%d in %s is read as %d", at, enc, got)
			}
		}
	}
}

// A copy of a Writer has Fields of its own, because those of the first would write into
// the first.
func TestFieldsOfACopy(t *testing.T) {
	first := NewWriter(JSON, nil)
	first.BeginMap()
	first.Fields()
	second := *first
	n := int64(1)
	second.Fields().Int("n", &n)
	second.EndMap()
	if got := string(second.Bytes()); got != `{"n":1}` {
		t.Errorf("%s is written", got)
	}
}
