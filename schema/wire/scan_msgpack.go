package wire

import (
	"encoding/binary"
	"math"
	"time"
	"unicode/utf8"
)

// A head is the decoded first bytes of a MessagePack value.
type head struct {
	kind   Kind
	header int // bytes before the payload
	size   int // bytes of the payload; of lists and maps 0
	count  int // elements of a list, pairs of a map
}

// A format is one of the codes 0xc0 to 0xdf of the MessagePack specification.
type format struct {
	kind   Kind
	length int // width of the length or count that follows the code
	size   int // of the payload, where it is fixed
	ext    bool
}

var formats = [32]format{
	0x00: {kind: KindNull},
	0x01: {kind: KindAbsent}, // never used
	0x02: {kind: KindBool},
	0x03: {kind: KindBool},
	0x04: {kind: KindBinary, length: 1},
	0x05: {kind: KindBinary, length: 2},
	0x06: {kind: KindBinary, length: 4},
	0x07: {kind: KindBinary, length: 1, ext: true},
	0x08: {kind: KindBinary, length: 2, ext: true},
	0x09: {kind: KindBinary, length: 4, ext: true},
	0x0a: {kind: KindFloat, size: 4},
	0x0b: {kind: KindFloat, size: 8},
	0x0c: {kind: KindInt, size: 1},
	0x0d: {kind: KindInt, size: 2},
	0x0e: {kind: KindInt, size: 4},
	0x0f: {kind: KindInt, size: 8},
	0x10: {kind: KindInt, size: 1},
	0x11: {kind: KindInt, size: 2},
	0x12: {kind: KindInt, size: 4},
	0x13: {kind: KindInt, size: 8},
	0x14: {kind: KindBinary, size: 1, ext: true},
	0x15: {kind: KindBinary, size: 2, ext: true},
	0x16: {kind: KindBinary, size: 4, ext: true},
	0x17: {kind: KindBinary, size: 8, ext: true},
	0x18: {kind: KindBinary, size: 16, ext: true},
	0x19: {kind: KindText, length: 1},
	0x1a: {kind: KindText, length: 2},
	0x1b: {kind: KindText, length: 4},
	0x1c: {kind: KindList, length: 2},
	0x1d: {kind: KindList, length: 4},
	0x1e: {kind: KindMap, length: 2},
	0x1f: {kind: KindMap, length: 4},
}

// headOf reads the head of the value that b begins with. It reports false when the head is
// cut off or no head at all; the length that it declares may lie beyond b.
func headOf(b []byte) (head, bool) {
	if len(b) == 0 {
		return head{}, false
	}
	switch c := b[0]; {
	case isFixInt(c):
		return head{kind: KindInt, header: 1}, true
	case c <= 0x8f:
		return head{kind: KindMap, header: 1, count: int(c & 0x0f)}, true
	case c <= 0x9f:
		return head{kind: KindList, header: 1, count: int(c & 0x0f)}, true
	case c <= 0xbf:
		return head{kind: KindText, header: 1, size: int(c & 0x1f)}, true
	default:
		return longHead(b, &formats[c&0x1f])
	}
}

// isFixInt reports that c is a whole number by itself.
func isFixInt(c byte) bool { return c <= 0x7f || c >= 0xe0 }

func longHead(b []byte, f *format) (head, bool) {
	h := head{kind: f.kind, header: 1 + f.length, size: f.size}
	if f.ext {
		h.header++
	}
	if len(b) < h.header || h.kind == KindAbsent {
		return head{}, false
	}
	declared := 0
	switch f.length {
	case 1:
		declared = int(b[1])
	case 2:
		declared = int(binary.BigEndian.Uint16(b[1:]))
	case 4:
		declared = int(binary.BigEndian.Uint32(b[1:]))
	}
	switch {
	case h.kind == KindList || h.kind == KindMap:
		h.count = declared
	case f.length > 0:
		h.size = declared
	}
	if f.ext && b[h.header-1] == timestampType && (h.size == 4 || h.size == 8 || h.size == 12) {
		h.kind = KindTime
	}
	return h, true
}

// timestampType is the extension type -1.
const timestampType = 0xff

// msgpack scans the value at i, in which lists and maps may nest depth deep.
func (s *scanner) msgpack(i, depth int) int {
	if i < len(s.b) && isFixInt(s.b[i]) {
		return i + 1
	}
	h, ok := headOf(s.b[i:])
	if !ok {
		return s.badHead(i)
	}
	start := i + h.header
	if h.size > len(s.b)-start {
		return s.fail(i, "the value declares more bytes than there are")
	}
	end := start + h.size
	switch h.kind {
	case KindText:
		if text := s.b[start:end]; !validBytes(text) {
			if !s.repair {
				return s.fail(start, notUTF8)
			}
			repair(text)
		}
	case KindFloat:
		if f := floatOf(s.b[i:end]); math.IsNaN(f) || math.IsInf(f, 0) {
			return s.fail(i, "a number that is not finite")
		}
	case KindTime:
		if !validTimestamp(s.b[start:end]) {
			return s.fail(i, "a timestamp outside of the years 0 to 9999")
		}
	case KindList:
		return s.msgpackList(start, h.count, depth)
	case KindMap:
		return s.msgpackMap(start, h.count, depth)
	}
	return end
}

// repair replaces the bytes of a text that are not UTF-8.
func repair(text []byte) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			text[i] = '?'
		}
		i += size
	}
}

func (s *scanner) badHead(i int) int {
	if i < len(s.b) && s.b[i] == 0xc1 {
		return s.fail(i, "no value begins with 0xc1")
	}
	return s.fail(i, "the value is cut off")
}

func (s *scanner) msgpackList(i, count, depth int) int {
	if depth == 0 {
		return s.tooDeep(i)
	}
	if count > len(s.b)-i { // each element has a byte at least
		return s.fail(i, "the list declares more elements than there are bytes")
	}
	if s.items -= count; s.items < 0 {
		return s.tooMany(i)
	}
	for ; count > 0 && i >= 0; count-- {
		i = s.msgpack(i, depth-1)
	}
	return i
}

func (s *scanner) msgpackMap(i, count, depth int) int {
	if depth == 0 {
		return s.tooDeep(i)
	}
	if count > (len(s.b)-i)/2 {
		return s.fail(i, "the map declares more pairs than there are bytes")
	}
	if s.items -= count; s.items < 0 {
		return s.tooMany(i)
	}
	keys := seen{base: len(s.keys)}
	for ; count > 0; count-- {
		h, ok := headOf(s.b[i:])
		if !ok {
			return s.badHead(i)
		}
		if h.kind != KindText {
			return s.fail(i, "a key that is no text")
		}
		start := i + h.header
		if i = s.msgpack(i, 0); i < 0 {
			return i
		}
		if k := (span{start: start, end: i}); !s.add(&keys, k) {
			return s.twice(k)
		}
		if i = s.msgpack(i, depth-1); i < 0 {
			return i
		}
	}
	s.keys = s.keys[:keys.base]
	return i
}

// floatOf reads the scanned float that b is.
func floatOf(b []byte) float64 {
	if b[0] == 0xca {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b[1:])))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b[1:]))
}

// timestampOf reads the payload of a timestamp.
func timestampOf(b []byte) (sec int64, nsec uint32) {
	switch len(b) {
	case 4:
		return int64(binary.BigEndian.Uint32(b)), 0
	case 8:
		u := binary.BigEndian.Uint64(b)
		return int64(u & (1<<34 - 1)), uint32(u >> 34)
	default:
		return int64(binary.BigEndian.Uint64(b[4:])), binary.BigEndian.Uint32(b)
	}
}

// The Unix seconds of the years that RFC 3339 can write.
var (
	firstSecond = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	lastSecond  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

// validTimestamp refuses times that RFC 3339 cannot write, so that transcoding never
// fails.
func validTimestamp(b []byte) bool {
	sec, nsec := timestampOf(b)
	return nsec < 1e9 && firstSecond <= sec && sec <= lastSecond
}
