package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A text ends where it was written to, however many quotes and backslashes are in it.
func TestATextEndsWhereItWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	odd := []byte{'"', '\\', 0, 0x1f, 0x20, 0x21, 0x5b, 0x5d, 0x7f, 0x80, 0xa2, 0xdc, 0xff}
	for range 200_000 {
		s := bytes.Repeat([]byte{'a'}, r.IntN(40))
		for range r.IntN(4) {
			if len(s) > 0 {
				s[r.IntN(len(s))] = odd[r.IntN(len(odd))]
			}
		}
		text := append(appendJSONText([]byte("[1,"), s), `,"x"]`...)
		end, escaped := skipText(text, 3)
		if string(text[end:]) != `,"x"]` || escaped != bytes.ContainsRune(text[3:end], '\\') {
			t.Fatalf("%s: ends at %d, escaped %v", text, end, escaped)
		}
	}
}
