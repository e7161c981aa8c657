package wire

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// skipSpace returns the position of the first byte at or after i that is no JSON
// white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// json scans the value at i, in which lists and maps may nest depth deep.
func (s *scanner) json(i, depth int) int {
	if i >= len(s.b) {
		return s.fail(i, "the value is cut off")
	}
	switch c := s.b[i]; c {
	case '{':
		return s.jsonMap(i, depth)
	case '[':
		return s.jsonList(i, depth)
	case '"':
		end, _ := s.jsonText(i)
		return end
	case 't':
		return s.jsonWord(i, "true")
	case 'f':
		return s.jsonWord(i, "false")
	case 'n':
		return s.jsonWord(i, "null")
	default:
		if c == '-' || isDigit(c) {
			return s.jsonNumber(i)
		}
		if bytes.HasPrefix(s.b[i:], []byte("\ufeff")) {
			return s.fail(i, "a byte order mark is there; save the text without one")
		}
		return s.fail(i, "no value begins with "+strconv.QuoteRune(rune(c)))
	}
}

func (s *scanner) jsonMap(i, depth int) int {
	if depth == 0 {
		return s.tooDeep(i)
	}
	keys := seen{base: len(s.keys)}
	i = skipSpace(s.b, i+1)
	if i < len(s.b) && s.b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(s.b) || s.b[i] != '"' {
			return s.fail(i, "a key is missing")
		}
		end, escaped := s.jsonText(i)
		if end < 0 {
			return end
		}
		if k := (span{i + 1, end - 1, escaped}); !s.add(&keys, k) {
			return s.twice(k)
		}
		if s.items--; s.items < 0 {
			return s.tooMany(i)
		}
		i = skipSpace(s.b, end)
		if i >= len(s.b) || s.b[i] != ':' {
			return s.fail(i, "a colon is missing")
		}
		if i = s.json(skipSpace(s.b, i+1), depth-1); i < 0 {
			return i
		}
		i = skipSpace(s.b, i)
		if i >= len(s.b) {
			return s.fail(i, "the map is cut off")
		}
		switch s.b[i] {
		case ',':
			i = skipSpace(s.b, i+1)
		case '}':
			s.keys = s.keys[:keys.base]
			return i + 1
		default:
			return s.fail(i, "a comma or } is missing")
		}
	}
}

func (s *scanner) jsonList(i, depth int) int {
	if depth == 0 {
		return s.tooDeep(i)
	}
	i = skipSpace(s.b, i+1)
	if i < len(s.b) && s.b[i] == ']' {
		return i + 1
	}
	for {
		if s.items--; s.items < 0 {
			return s.tooMany(i)
		}
		if i = s.json(i, depth-1); i < 0 {
			return i
		}
		i = skipSpace(s.b, i)
		if i >= len(s.b) {
			return s.fail(i, "the list is cut off")
		}
		switch s.b[i] {
		case ',':
			i = skipSpace(s.b, i+1)
		case ']':
			return i + 1
		default:
			return s.fail(i, "a comma or ] is missing")
		}
	}
}

func (s *scanner) jsonWord(i int, word string) int {
	if end := i + len(word); end <= len(s.b) && string(s.b[i:end]) == word {
		return end
	}
	end := i
	for end < len(s.b) && end < i+len(word)+1 && (s.b[end]|0x20 >= 'a' && s.b[end]|0x20 <= 'z') {
		end++
	}
	if given := string(s.b[i:end]); distance(fold(given), word) <= 1 {
		return s.fail(i, "no value begins so; did you mean "+word+"?")
	}
	return s.fail(i, "no value begins with '"+string(s.b[i])+"'")
}

// jsonText scans the text whose opening quote is at i.
func (s *scanner) jsonText(i int) (end int, escaped bool) {
	start := i
	for i = plainRun(s.b, i+1); i < len(s.b); i = plainRun(s.b, i) {
		switch c := s.b[i]; {
		case c == '"':
			return i + 1, escaped
		case c == '\\':
			escaped = true
			if i = s.jsonEscape(i); i < 0 {
				return i, escaped
			}
		case c < 0x20:
			return s.fail(i, "a control character in a text must be escaped"), escaped
		}
		for i < len(s.b) && s.b[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(s.b[i:])
			if r == utf8.RuneError && size == 1 {
				if !s.repair {
					return s.fail(i, notUTF8), escaped
				}
				s.b[i] = '?'
			}
			i += size
		}
	}
	return s.fail(start, "the text has no end"), escaped
}

// jsonEscape scans the escape whose backslash is at i.
func (s *scanner) jsonEscape(i int) int {
	if i+1 >= len(s.b) {
		return s.fail(i, "the text has no end")
	}
	switch s.b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
	default:
		return s.fail(i, "an escape that does not exist")
	}
	r, ok := hex4(s.b, i+2)
	if !ok {
		return s.fail(i, `\u takes four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(r) {
		return i + 6
	}
	if i+7 < len(s.b) && s.b[i+6] == '\\' && s.b[i+7] == 'u' {
		if low, ok := hex4(s.b, i+8); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return i + 12
		}
	}
	return s.fail(i, "half of a surrogate pair")
}

// hex4 reads four hexadecimal digits at i.
func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (s *scanner) jsonNumber(start int) int {
	i := start
	if s.b[i] == '-' {
		i++
	}
	switch {
	case i < len(s.b) && s.b[i] == '0':
		i++
	default:
		end := skipDigits(s.b, i)
		if end == i {
			return s.fail(start, "a number without digits")
		}
		i = end
	}
	large := i-start > 300
	if i < len(s.b) && s.b[i] == '.' {
		end := skipDigits(s.b, i+1)
		if end == i+1 {
			return s.fail(start, "a number without digits behind the point")
		}
		i = end
	}
	if i < len(s.b) && s.b[i]|0x20 == 'e' {
		i++
		if i < len(s.b) && (s.b[i] == '+' || s.b[i] == '-') {
			i++
		}
		end := skipDigits(s.b, i)
		if end == i {
			return s.fail(start, "a number without digits in its exponent")
		}
		i, large = end, true
	}
	if large {
		if f, err := strconv.ParseFloat(string(s.b[start:i]), 64); err != nil || math.IsInf(f, 0) {
			return s.fail(start, "a number that is not finite")
		}
	}
	return i
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

// appendUnescaped appends the text that the inside of a scanned JSON string
// stands for.
func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		c := raw[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(raw, i)
			i += 4
			if utf16.IsSurrogate(r) {
				low, _ := hex4(raw, i+2)
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}
