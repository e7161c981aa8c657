package wire

import (
	"math/bits"
	"unicode/utf8"
)

// Texts are most of the bytes of most messages, and each is passed several times, so
// they are looked at eight bytes at once. A word's lowest byte is the first one; of the
// bytes that a mask marks only the lowest is sure, since a borrow goes upwards.
const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// eight is the word of the bytes of s at i.
func eight[T string | []byte](s T, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// below marks the bytes of w that are less than c, which is at most 0x80.
func below(w uint64, c byte) uint64 { return (w - eachByte*uint64(c)) &^ w & highBits }

// quotes marks quotes and backslashes.
func quotes(w uint64) uint64 {
	return below(w^eachByte*'"', 1) | below(w^eachByte*'\\', 1)
}

// plainRun returns the position of the first byte of s, at i or behind it, that is not
// plain, or the length of s.
func plainRun[T string | []byte](s T, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := eight(s, i)
		if marks := quotes(w) | below(w, 0x20) | w&highBits; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// isPlain reports whether s can stand between quotes as it is, which nearly all texts
// and all names of members can: ASCII with nothing to escape.
func isPlain[T string | []byte](s T) bool { return plainRun(s, 0) == len(s) }

// plain are the bytes that need no escape and stand for themselves.
var plain = func() (set [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

// skipText returns the position behind the JSON text at i, and whether there are
// escapes in it.
func skipText(b []byte, i int) (end int, escaped bool) {
	i++
	for {
		for i+8 <= len(b) {
			marks := quotes(eight(b, i))
			if marks != 0 {
				i += bits.TrailingZeros64(marks) / 8
				break
			}
			i += 8
		}
		switch b[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i += 2
		default: // among the last bytes
			i++
		}
	}
}
