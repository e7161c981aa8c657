package wire

import (
	"bytes"
	"strconv"
	"sync"
)

// A scanner checks one body. Its methods take the position of a value and return
// the position behind it, or -1 after fail.
type scanner struct {
	b      []byte
	limits Limits
	items  int // the rest of limits.Items

	// keys holds the keys of all maps that are open, innermost last, so that a
	// key given twice is found without allocating.
	keys []span

	// repair replaces in b each byte of a text that is not UTF-8, and goes on.
	repair bool

	at     int
	reason string
}

// A span is the text of a key in scanner.b, without quotes.
type span struct {
	start, end int
	escaped    bool
}

// scanners are pooled, because each has a buffer for keys.
var scanners = sync.Pool{New: func() any { return &scanner{keys: make([]span, 0, 64)} }}

func (s *scanner) begin(body []byte, lim Limits) {
	if lim.Depth <= 0 {
		lim.Depth = defaultDepth
	}
	if lim.Items <= 0 {
		lim.Items = defaultItems
	}
	lim.Depth = min(lim.Depth, maxDepth)
	*s = scanner{b: body, limits: lim, items: lim.Items, keys: s.keys[:0]}
}

// end returns s to the pool without the body, because the pool would keep it in memory.
func (s *scanner) end() {
	s.b, s.reason = nil, ""
	scanners.Put(s)
}

func (s *scanner) fail(at int, reason string) int {
	s.at, s.reason = at, reason
	return -1
}

func (s *scanner) tooDeep(at int) int {
	return s.fail(at, "nested deeper than "+strconv.Itoa(s.limits.Depth))
}

func (s *scanner) tooMany(at int) int {
	return s.fail(at, "more than "+strconv.Itoa(s.limits.Items)+" items")
}

// seen are the keys of one map so far: those from base on in scanner.keys, and
// once they are many, a set of them, so that the cost stays linear.
type seen struct {
	base int
	// marks has the mark of every key: one whose mark is missing is new.
	marks uint64
	many  map[string]struct{}
}

// fewKeys is how many keys are compared one by one.
const fewKeys = 24

// add reports whether k is new.
func (s *scanner) add(m *seen, k span) bool {
	known := s.keys[m.base:]
	if m.many == nil && len(known) < fewKeys {
		mark := s.mark(k)
		if m.marks&mark != 0 {
			for _, other := range known {
				if s.same(other, k) {
					return false
				}
			}
		}
		m.marks |= mark
		s.keys = append(s.keys, k)
		return true
	}
	if m.many == nil {
		m.many = make(map[string]struct{}, 2*len(known))
		for _, other := range known {
			m.many[s.text(other)] = struct{}{}
		}
	}
	before := len(m.many)
	m.many[s.text(k)] = struct{}{}
	return len(m.many) > before
}

// mark is one of 64 bits that equal keys have in common; an escaped key may equal
// any, so it has all of them.
func (s *scanner) mark(k span) uint64 {
	size := k.end - k.start
	switch {
	case k.escaped:
		return ^uint64(0)
	case size == 0:
		return 1
	}
	return 1 << ((size + 3*int(s.b[k.start]) + 5*int(s.b[k.end-1]) + 7*int(s.b[k.start+size/2])) & 63)
}

func (s *scanner) same(a, b span) bool {
	if a.escaped || b.escaped {
		return s.text(a) == s.text(b)
	}
	return bytes.Equal(s.b[a.start:a.end], s.b[b.start:b.end])
}

func (s *scanner) text(k span) string {
	if k.escaped {
		return string(appendUnescaped(nil, s.b[k.start:k.end]))
	}
	return string(s.b[k.start:k.end])
}

func (s *scanner) twice(k span) int {
	return s.fail(k.start, "key "+strconv.Quote(s.text(k))+" is given twice")
}

const notUTF8 = "text that is not UTF-8"
