package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// refused lists bodies that a scan refuses, and why.
var refused = []struct {
	name, body, reason string
}{
	{"nothing", "", "cut off"},
	{"only white space", " \n", "bytes after the end"}, // 0x20, a number, and one more
	{"two values", `{} {}`, "bytes after the end"},
	{"bytes after a list", `[1]x`, "bytes after the end"},
	{"a key twice", `{"a":1,"b":2,"a":3}`, `key "a" is given twice`},
	{"a key twice, one escaped", `{"a":1,"\u0061":3}`, `key "a" is given twice`},
	{"a key twice, inside", `{"x":[{"a":1,"a":3}]}`, `key "a" is given twice`},
	{"a comma too many in a map", `{"a":1,}`, "key is missing"},
	{"a comma too many in a list", `[1,]`, "no value begins with ']'"},
	{"no colon", `{"a" 1}`, "colon"},
	{"no comma", `{"a":1 "b":2}`, "comma or }"},
	{"no comma in a list", `[1 2]`, "comma or ]"},
	{"a map cut off", `{"a":1`, "cut off"},
	{"a list cut off", `[1`, "cut off"},
	{"a key that is no text", `{1:1}`, "key is missing"},
	{"a word", `[nul]`, "null"},
	{"NaN", `[NaN]`, "no value begins with 'N'"},
	{"an infinite number", `[1e400]`, "not finite"},
	{"an infinite number, long", "[" + strings.Repeat("9", 400) + "]", "not finite"},
	{"a leading zero", `[01]`, "comma or ]"},
	{"a plus sign", `[+1]`, "no value begins with '+'"},
	{"a bare minus", `[-]`, "without digits"},
	{"a point without digits", `[1.]`, "behind the point"},
	{"an exponent without digits", `[1e]`, "exponent"},
	{"a control character", "[\"a\nb\"]", "control character"},
	{"an escape that is none", `["\x41"]`, "escape"},
	{"a short \\u", `["\u12"]`, "four hexadecimal"},
	{"half a surrogate pair", `["\ud800"]`, "surrogate"},
	{"the other half", `["\udc00"]`, "surrogate"},
	{"two first halves", `["\ud800\ud800"]`, "surrogate"},
	{"a text without end", `["abc`, "no end"},
	{"a text that ends in a backslash", `["abc\`, "no end"},
	{"no UTF-8", "[\"a\xff\"]", "UTF-8"},
	{"an overlong slash", "[\"\xc0\xaf\"]", "UTF-8"},
	{"a raw surrogate", "[\"\xed\xa0\x80\"]", "UTF-8"},
	{"too deep", strings.Repeat("[", 33) + strings.Repeat("]", 33), "deeper than 32"},
	{"much too deep", strings.Repeat("[", 1<<20), "deeper than 32"},
	{"too many", "[" + strings.Repeat("1,", 10_000) + "1]", "more than 10000"},

	{"msgpack: a list of 2^28 with no bytes", "\xdd\x0f\xff\xff\xff", "more elements than there are bytes"},
	{"msgpack: a map of 2^28 with no bytes", "\xdf\x0f\xff\xff\xff", "more pairs than there are bytes"},
	{"msgpack: a list of 2^32-1", "\xdd\xff\xff\xff\xff\xc0", "more elements"},
	{"msgpack: a text of 4 GiB", "\xdb\xff\xff\xff\xffabc", "more bytes than there are"},
	{"msgpack: a binary of 64 KiB", "\xc5\xff\xff", "more bytes"},
	{"msgpack: an extension of 4 GiB", "\xc9\xff\xff\xff\xff\x01", "more bytes"},
	{"msgpack: too deep", strings.Repeat("\x91", 33) + "\xc0", "deeper than 32"},
	{"msgpack: much too deep", strings.Repeat("\x91", 8<<20), "deeper than 32"},
	{"msgpack: much too deep in maps", strings.Repeat("\x81\xa0", 1<<20), "deeper than 32"},
	{"msgpack: bytes behind the value", "\x80\xc0", "bytes after the end"},
	{"msgpack: a key twice", "\x82\xa1a\x01\xa1a\x02", `key "a" is given twice`},
	{"msgpack: a key twice, written differently", "\x82\xa1a\x01\xd9\x01a\x02", `key "a" is given twice`},
	{"msgpack: a key that is a number", "\x81\x01\x01", "key that is no text"},
	{"msgpack: a key that is binary", "\x81\xc4\x01a\x01", "key that is no text"},
	{"msgpack: a key cut off", "\x81\xa2a", "more bytes than there are"},
	{"msgpack: no UTF-8", "\xa1\xff", "UTF-8"},
	{"msgpack: a key that is no UTF-8", "\x81\xa1\xff\xc0", "UTF-8"},
	{"msgpack: NaN", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01", "not finite"},
	{"msgpack: infinity", "\xca\x7f\x80\x00\x00", "not finite"},
	{"msgpack: the byte that is never used", "\xc1", "0xc1"},
	{"msgpack: a number cut off", "\xcd\x01", "more bytes"},
	{"msgpack: a head cut off", "\xda\x01", "cut off"},
	{"msgpack: a list that lacks an element", "\x92\xa3abc", "cut off"},
	{"msgpack: a timestamp in the year 10000", "\xc7\x0c\xff\x00\x00\x00\x00\x00\x00\x00\x3a\xff\xf4\x41\x80", "years 0 to 9999"},
	{"msgpack: a timestamp of 2^30 ns", "\xd7\xff\xff\xff\xff\xfc\x00\x00\x00\x00", "years 0 to 9999"},
	{"msgpack: too many", "\xdc\x27\x11" + strings.Repeat("\x01", 10_001), "more than 10000"},
}

func TestScanRefuses(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			_, err := Scan([]byte(c.body), Limits{})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(syntax.Reason, c.reason) {
				t.Errorf("Scan = %v, want a SyntaxError about %q", err, c.reason)
			}
		})
	}
}

func TestScanTakes(t *testing.T) {
	for _, body := range []string{
		`{}`, ` { } `, "\t\r\n[ ]\n", `{"a":{"b":[1,2,{"c":null}]},"":true}`,
		`[0,-0,-1,1.5,1e5,1E-5,-1.25e+10,123456789012345678901234567890]`,
		`["","\"\\\/\b\f\n\r\t\u0041\ud83d\ude00","é","😀"]`,
		strings.Repeat("[", 32) + strings.Repeat("]", 32),
		"[" + strings.Repeat("1,", 9_999) + "1]",
		"\x80", "\n\x80", "\x81\xa1a\xc0", "\x90", "\x7f", "\xe0", "\xc3", "\x20",
		strings.Repeat("\x91", 32) + "\xc0",
		"\xd6\xff\x00\x00\x00\x00", "\xd5\x01ab", "\xc7\x03\x05abc",
		"\xdc\x27\x10" + strings.Repeat("\x01", 10_000),
	} {
		v, err := Scan([]byte(body), Limits{})
		if err != nil {
			t.Errorf("Scan(%.40q): %v", body, err)
			continue
		}
		if got, want := string(v.Raw()), strings.TrimSpace(body); got != want && body != " " {
			t.Errorf("Scan(%.40q) kept %.40q", body, got)
		}
	}
}

// Keys are compared one by one in small maps and by a set in large ones; both
// find the one that is given twice, in either encoding, at any place.
func TestScanFindsKeysGivenTwice(t *testing.T) {
	for _, enc := range []Encoding{JSON, MsgPack} {
		for _, n := range []int{1, 2, fewKeys - 1, fewKeys, fewKeys + 1, 2 * fewKeys, 500} {
			for _, again := range []int{0, n / 2, n - 1} {
				w := NewWriter(enc, nil)
				w.BeginMap()
				for i := range n {
					w.KeyText(fmt.Sprintf("key%d", i))
					w.BeginMap() // keys of inner maps are their own
					w.Key("key0")
					w.Int(int64(i))
					w.EndMap()
				}
				w.KeyText(fmt.Sprintf("key%d", again))
				w.Null()
				w.EndMap()
				_, err := Scan(w.Bytes(), Limits{})
				if err == nil || !strings.Contains(err.Error(), "given twice") {
					t.Errorf("%s, %d keys, key %d again: %v", enc, n, again, err)
				}
			}
		}
	}
}

func TestScanLimits(t *testing.T) {
	if _, err := Scan([]byte(`{"a":1}`), Limits{Bytes: 6}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a body above the limit: %v, want ErrTooLarge", err)
	}
	if _, err := Scan([]byte(`[[[]]]`), Limits{Depth: 2}); err == nil {
		t.Error("a body deeper than the limit is taken")
	}
	if _, err := Scan([]byte(`[1,2,3]`), Limits{Items: 2}); err == nil {
		t.Error("a body with more items than the limit is taken")
	}
	if _, err := Scan([]byte(`{"a":[1,2]}`), Limits{Bytes: 100, Depth: 2, Items: 3}); err != nil {
		t.Errorf("a body at its limits: %v", err)
	}
	deep := []byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))
	if _, err := Scan(deep, Limits{Depth: 1 << 30, Items: 1 << 30}); err == nil {
		t.Error("a limit was allowed that lets recursion grow without bound")
	}
}

// FuzzScan checks that on any input a scan neither panics nor accepts a body that a walk cannot
// read, and takes no memory beyond the bytes.
func FuzzScan(f *testing.F) {
	for _, c := range refused {
		if len(c.body) < 1<<10 {
			f.Add([]byte(c.body))
		}
	}
	f.Add([]byte(`{"a":[1,-2.5e3,"x\u00e9\n",null,true],"b":{"c":{}}}`))
	f.Add([]byte("\x83\xa1a\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa1b\xc4\x02ab\xa1c\xd7\xff\x00\x00\x00\x04\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, enc := range []Encoding{JSON, MsgPack} {
			v, err := ScanAs(enc, body, Limits{})
			if err != nil {
				continue
			}
			v.Any()
			other := v.In(1 - enc)
			if _, err := ScanAs(1-enc, other.Raw(), Limits{}); err != nil {
				t.Fatalf("%q transcoded to %q: %v", body, other.Raw(), err)
			}
		}
	})
}

// The message names true, false or null at a slip in one of them; it does not at a text
// that only begins with the same letter.
func TestWordsOfJSON(t *testing.T) {
	for body, want := range map[string]string{
		"[nul]": "did you mean null?", "[fales]": "did you mean false?",
		"[time=1]": "no value begins with 't'", "[nobody]": "no value begins with 'n'", "[file: a]": "no value begins with 'f'",
	} {
		_, err := Scan([]byte(body), Limits{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	_, err := ScanAs(JSON, []byte("\ufeff{}"), Limits{}) // whose first byte looks like MessagePack
	if want := "byte 0 of the JSON: a byte order mark is there"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a byte order mark: %v, want %q", err, want)
	}
}
