package process

import "strings"

// A head keeps the first limit bytes that are written to it, and calls over when
// there are more, which it throws away.
type head struct {
	limit int
	over  func()
	bytes []byte
}

func (h *head) Write(p []byte) (int, error) {
	room := h.limit - len(h.bytes)
	h.bytes = append(h.bytes, p[:min(len(p), room)]...)
	if len(p) > room {
		h.over()
	}
	return len(p), nil
}

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

// text is what was kept, as people read it.
func (t *tail) text() string {
	kept := t.bytes
	if over := len(kept) - t.limit; over > 0 {
		kept, t.cut = kept[over:], true
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(kept), "\uFFFD"))
	if t.cut {
		return "…" + text
	}
	return text
}
