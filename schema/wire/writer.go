package wire

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Writer appends one value by hand, for the paths where reflection is too slow. Keys and
// values come in turn; Begin and End in pairs. A Writer does not check that, because its
// caller's tests do. It allocates only when its buffer grows.
type Writer struct {
	enc  Encoding
	buf  []byte
	base int     // where the value begins in buf
	open []frame // of MessagePack: the lists and maps that are open

	fields *Fields // that write with it; nil: none have yet
}

// A frame is an open MessagePack list or map, whose count is written at its end.
type frame struct {
	at    int // of the head in buf
	count int
	list  bool
}

// NewWriter returns a Writer that appends to buf.
func NewWriter(enc Encoding, buf []byte) *Writer {
	w := new(Writer)
	w.Reset(enc, buf)
	return w
}

// Reset makes w begin anew, appending to buf.
func (w *Writer) Reset(enc Encoding, buf []byte) {
	w.enc, w.buf, w.base, w.open = enc, buf, len(buf), w.open[:0]
}

// Encoding returns the encoding that w writes.
func (w *Writer) Encoding() Encoding { return w.enc }

// Bytes returns the buffer given to Reset, with the bytes appended since.
func (w *Writer) Bytes() []byte { return w.buf }

// Whole returns the output since Reset, which must be one whole value. It shares w's
// buffer.
func (w *Writer) Whole() Value { return Value{raw: w.buf[w.base:len(w.buf):len(w.buf)], enc: w.enc} }

// BeginMap begins a map; pairs of [Writer.Key] and a value follow.
func (w *Writer) BeginMap() { w.BeginMapWith(nil, 0) }

// BeginMapWith begins a map with count members that are written already, as
// [Members] returns them.
func (w *Writer) BeginMapWith(members []byte, count int) {
	w.next()
	if w.enc == JSON {
		w.buf = append(w.buf, '{')
	} else {
		w.open = append(w.open, frame{at: len(w.buf), count: count})
		w.buf = append(w.buf, 0xde, 0, 0)
	}
	w.buf = append(w.buf, members...)
}

// EndMap ends the innermost map.
func (w *Writer) EndMap() { w.end('}') }

// BeginList begins a list; its elements follow.
func (w *Writer) BeginList() {
	w.next()
	if w.enc == JSON {
		w.buf = append(w.buf, '[')
		return
	}
	w.open = append(w.open, frame{at: len(w.buf), list: true})
	w.buf = append(w.buf, 0xdc, 0, 0)
}

// EndList ends the innermost list.
func (w *Writer) EndList() { w.end(']') }

func (w *Writer) end(bracket byte) {
	if w.enc == JSON {
		w.buf = append(w.buf, bracket)
		return
	}
	f := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	if f.count <= math.MaxUint16 {
		binary.BigEndian.PutUint16(w.buf[f.at+1:], uint16(f.count))
		return
	}
	// The head has no room for so large a count. Making it moves all bytes behind it,
	// which is rare.
	w.buf[f.at]++ // 0xdc to 0xdd, 0xde to 0xdf
	w.buf = append(w.buf, 0, 0)
	copy(w.buf[f.at+5:], w.buf[f.at+3:])
	binary.BigEndian.PutUint32(w.buf[f.at+1:], uint32(f.count))
}

// next makes room for a key, or for a value that is not a member's.
func (w *Writer) next() {
	if w.enc == JSON {
		if len(w.buf) == w.base {
			return
		}
		// A value ends in a quote, a bracket, a digit or a letter.
		switch w.buf[len(w.buf)-1] {
		case '{', '[', ':':
		default:
			w.buf = append(w.buf, ',')
		}
		return
	}
	if n := len(w.open); n > 0 && w.open[n-1].list {
		w.open[n-1].count++
	}
}

// A Name is a key that a program writes: printable ASCII without quotes and backslashes,
// so that nothing has to be escaped in it. It is a type of its own, because constants are
// then names by themselves, and input from outside never is.
type Name string

// Key writes the key of the value that comes next.
func (w *Writer) Key(name Name) {
	if w.enc == MsgPack {
		w.open[len(w.open)-1].count++
		w.buf = append(appendMsgpackTextHead(w.buf, len(name)), name...)
		return
	}
	w.next()
	w.buf = append(append(append(w.buf, '"'), name...), `":`...)
}

// KeyText is [Writer.Key] for any text.
func (w *Writer) KeyText(s string) {
	if w.enc == MsgPack {
		w.open[len(w.open)-1].count++
		w.buf = appendMsgpackText(w.buf, s)
		return
	}
	w.next()
	w.buf = append(appendJSONText(w.buf, s), ':')
}

// Text writes s; bytes in it that are not UTF-8 become U+FFFD.
func (w *Writer) Text(s string) {
	w.next()
	if w.enc == MsgPack {
		w.buf = appendMsgpackText(w.buf, s)
		return
	}
	w.buf = appendJSONText(w.buf, s)
}

// Int writes a whole number.
func (w *Writer) Int(i int64) {
	w.next()
	switch {
	case w.enc == JSON:
		w.buf = strconv.AppendInt(w.buf, i, 10)
	case i >= 0:
		w.buf = appendMsgpackUint(w.buf, uint64(i))
	case i >= -32:
		w.buf = append(w.buf, byte(i))
	case i >= math.MinInt8:
		w.buf = append(w.buf, 0xd0, byte(i))
	case i >= math.MinInt16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, 0xd1), uint16(i))
	case i >= math.MinInt32:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, 0xd2), uint32(i))
	default:
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, 0xd3), uint64(i))
	}
}

// Uint writes a whole number.
func (w *Writer) Uint(u uint64) {
	w.next()
	if w.enc == MsgPack {
		w.buf = appendMsgpackUint(w.buf, u)
		return
	}
	w.buf = strconv.AppendUint(w.buf, u, 10)
}

func appendMsgpackUint(dst []byte, u uint64) []byte {
	switch {
	case u < 0x80:
		return append(dst, byte(u))
	case u <= math.MaxUint8:
		return append(dst, 0xcc, byte(u))
	case u <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 0xcd), uint16(u))
	case u <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, 0xce), uint32(u))
	default:
		return binary.BigEndian.AppendUint64(append(dst, 0xcf), u)
	}
}

// Float writes a number. A number that is not finite, which neither encoding may hold, becomes
// null.
func (w *Writer) Float(f float64) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		w.Null()
	case w.enc == MsgPack:
		w.next()
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, 0xcb), math.Float64bits(f))
	default:
		w.next()
		format := byte('f')
		// The digits of a large float are not those of a whole number; it has an exponent,
		// so that it is not taken for one.
		if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1<<53) {
			format = 'e'
		}
		w.buf = strconv.AppendFloat(w.buf, f, format, -1, 64)
	}
}

// Bool writes a truth value.
func (w *Writer) Bool(b bool) {
	w.next()
	switch {
	case w.enc == JSON:
		w.buf = strconv.AppendBool(w.buf, b)
	case b:
		w.buf = append(w.buf, 0xc3)
	default:
		w.buf = append(w.buf, 0xc2)
	}
}

// Null writes null.
func (w *Writer) Null() {
	w.next()
	if w.enc == MsgPack {
		w.buf = append(w.buf, 0xc0)
		return
	}
	w.buf = append(w.buf, "null"...)
}

// Time writes a moment: RFC 3339 in UTC with as many decimals as it needs, or a
// timestamp in its shortest form. Moments outside of the years 0 to 9999, which
// RFC 3339 cannot write, become null.
func (w *Writer) Time(t time.Time) {
	sec, nsec := t.Unix(), uint64(t.Nanosecond())
	if sec < firstSecond || sec > lastSecond {
		w.Null()
		return
	}
	w.next()
	if w.enc == MsgPack {
		w.buf = appendMsgpackTime(w.buf, sec, nsec)
		return
	}
	w.buf = append(w.buf, '"')
	w.buf = append(t.UTC().AppendFormat(w.buf, time.RFC3339Nano), '"')
}

func appendMsgpackTime(dst []byte, sec int64, nsec uint64) []byte {
	switch {
	case sec>>34 != 0:
		dst = binary.BigEndian.AppendUint32(append(dst, 0xc7, 12, timestampType), uint32(nsec))
		return binary.BigEndian.AppendUint64(dst, uint64(sec))
	case nsec == 0 && sec <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, 0xd6, timestampType), uint32(sec))
	default:
		return binary.BigEndian.AppendUint64(append(dst, 0xd7, timestampType), nsec<<34|uint64(sec))
	}
}

// Binary writes bytes; in JSON, as a text in base64.
func (w *Writer) Binary(b []byte) {
	w.next()
	if w.enc == JSON {
		w.buf = append(w.buf, '"')
		w.buf = append(base64.StdEncoding.AppendEncode(w.buf, b), '"')
		return
	}
	switch n := len(b); {
	case n <= math.MaxUint8:
		w.buf = append(w.buf, 0xc4, byte(n))
	case n <= math.MaxUint16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, 0xc5), uint16(n))
	default:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, 0xc6), uint32(n))
	}
	w.buf = append(w.buf, b...)
}

// appendMsgpackText and appendJSONText take texts and their bytes alike.
func appendMsgpackText[T string | []byte](dst []byte, s T) []byte {
	if !validBytes(s) {
		return appendMsgpackText(dst, string([]rune(string(s))))
	}
	return append(appendMsgpackTextHead(dst, len(s)), s...)
}

func appendMsgpackTextHead(dst []byte, n int) []byte {
	switch {
	case n < 32:
		return append(dst, 0xa0|byte(n))
	case n <= math.MaxUint8:
		return append(dst, 0xd9, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 0xda), uint16(n))
	default:
		return binary.BigEndian.AppendUint32(append(dst, 0xdb), uint32(n))
	}
}

func validBytes[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return utf8.ValidString(string(s[i:]))
		}
	}
	return true
}

func appendJSONText[T string | []byte](dst []byte, s T) []byte {
	if isPlain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	if !validBytes(s) {
		return appendJSONText(dst, string([]rune(string(s))))
	}
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[done:]...), '"')
}
