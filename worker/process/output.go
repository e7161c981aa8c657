package process

import "strings"

// A tail keeps the last limit bytes that are written to it.
type tail struct {
	limit int
	bytes []byte // up to twice the limit, so that not every write moves them
	cut   bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.bytes = append(t.bytes, p[max(0, len(p)-t.limit):]...)
	t.cut = t.cut || len(p) > t.limit
	if over := len(t.bytes) - t.limit; over > t.limit {
		t.bytes = append(t.bytes[:0], t.bytes[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// kept is the end of the output, and whether its beginning was cut.
func (t *tail) kept() (end []byte, cut bool) {
	if over := len(t.bytes) - t.limit; over > 0 {
		return t.bytes[over:], true
	}
	return t.bytes, t.cut
}

// text is the kept output as valid text.
func (t *tail) text() string {
	end, cut := t.kept()
	text := strings.TrimSpace(strings.ToValidUTF8(string(end), "\uFFFD"))
	if cut {
		return "…" + text
	}
	return text
}
