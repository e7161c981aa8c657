package httpworker

import (
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
)

// longestEscape is the length of the longest escape of one character: two halves of \ud83d\ude00.
const longestEscape = 12

// repeats returns the number of bytes at the beginning of text that repeat value, 0 for none: as
// it is, or as targets write back a request, percent-encoded, with the escapes of JSON or of
// programs, as markup, in either case. Open: all of text is the beginning of value. Steps is
// the cost.
func repeats(text, value string) (length int, open bool, steps int) {
	if strings.HasPrefix(text, value) {
		return len(value), false, 1
	}
	for steps = 1; value != ""; steps++ {
		if length == len(text) {
			return 0, length > 0, steps
		}
		used, shown := repeatsOne(text[length:], value)
		if used == 0 {
			return 0, length > 0 && cutEscape(text[length:]), steps
		}
		length += used
		value = value[shown:]
	}
	return length, false, steps
}

// repeatsOne returns the number of bytes at the beginning of text that stand for the beginning of
// value, and the length of that beginning.
func repeatsOne(text, value string) (used, shown int) {
	if meant, used := unescape(text); used > 0 && begins(value, meant) {
		return used, len(meant)
	}
	if begins(value, text[:1]) {
		return 1, 1
	}
	return 0, 0
}

// begins reports that text begins with head, in either case of ASCII.
func begins(text, head string) bool {
	if len(text) < len(head) {
		return false
	}
	for i := range len(head) {
		if lower(text[i]) != lower(head[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// cutEscape reports that text may be the beginning of an escape.
func cutEscape(text string) bool {
	return len(text) < longestEscape && strings.IndexByte(`%\&`, text[0]) >= 0
}

// unescape is the meaning of an escape at the beginning of text, and its length; 0: there is
// none.
func unescape(text string) (meant string, used int) {
	switch text[0] {
	case '+':
		return " ", 1
	case '%':
		if len(text) > 2 {
			if b, err := hex.DecodeString(text[1:3]); err == nil {
				return string(b), 3
			}
		}
	case '&':
		if end := strings.IndexByte(text[:min(len(text), longestEscape)], ';'); end > 0 {
			if meant = html.UnescapeString(text[:end+1]); meant != text[:end+1] {
				return meant, end + 1
			}
		}
	case '\\':
		return unescapeText(text)
	}
	return "", 0
}

// unescapeText is unescape of texts in JSON and in programs.
func unescapeText(text string) (meant string, used int) {
	if len(text) > 1 && strings.IndexByte(`/"'`, text[1]) >= 0 {
		return text[1:2], 2
	}
	if high, ok := unitOf(text); ok && utf16.IsSurrogate(high) {
		if low, ok := unitOf(text[6:]); ok {
			return string(utf16.DecodeRune(high, low)), 12
		}
	}
	r, wide, rest, err := strconv.UnquoteChar(text, 0)
	switch {
	case err != nil:
		return "", 0
	case wide:
		return string(r), len(text) - len(rest)
	default:
		return string([]byte{byte(r)}), len(text) - len(rest)
	}
}

// unitOf reads \u and four digits at the beginning of text.
func unitOf(text string) (unit rune, ok bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}
