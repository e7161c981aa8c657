package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Eight bytes at once are seen as one after the other is.
func TestPlainRunsEndWhereABytewiseLookEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	odd := []byte{'"', '\\', 0, 0x1f, 0x20, 0x21, 0x5b, 0x5d, 0x7f, 0x80, 0xa2, 0xdc, 0xff}
	for range 200_000 {
		s := bytes.Repeat([]byte{'a'}, r.IntN(40))
		for range r.IntN(4) {
			if len(s) > 0 {
				s[r.IntN(len(s))] = odd[r.IntN(len(odd))]
			}
		}
		from := r.IntN(len(s) + 1)
		want := from
		for want < len(s) && plain[s[want]] {
			want++
		}
		if got := plainRun(s, from); got != want {
			t.Fatalf("%q from %d: %d, want %d", s, from, got, want)
		}
		if got := plainRun(string(s), from); got != want {
			t.Fatalf("%q from %d as a string: %d, want %d", s, from, got, want)
		}
		text := append(appendJSONText([]byte("[1,"), s), `,"x"]`...)
		end, escaped := skipText(text, 3)
		if string(text[end:]) != `,"x"]` || escaped != bytes.ContainsRune(text[3:end], '\\') {
			t.Fatalf("%s: ends at %d, escaped %v", text, end, escaped)
		}
	}
}
