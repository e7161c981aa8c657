package wire

import (
	"bytes"
	"unicode/utf8"
)

// plainRun returns the position of the first byte of s, at i or behind it, that is not
// plain, or the length of s.
func plainRun[T string | []byte](s T, i int) int {
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

// skipText returns the position behind the JSON text at i, which was scanned, and whether
// there are escapes in it.
func skipText(b []byte, i int) (end int, escaped bool) {
	i++
	for quote := i - 1; ; { // the first one at i or behind it
		if quote < i {
			quote = i + bytes.IndexByte(b[i:], '"')
		}
		backslash := bytes.IndexByte(b[i:quote], '\\')
		if backslash < 0 {
			return quote + 1, escaped
		}
		i, escaped = i+backslash+2, true
	}
}
