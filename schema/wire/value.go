package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"iter"
	"math"
	"strconv"
	"time"
)

// Kind is the type of a value.
type Kind uint8

const (
	KindAbsent Kind = iota // the zero Value
	KindNull               // null, nil
	KindBool               // true or false
	KindInt                // a whole number between -2^63 and 2^64-1, written as one
	KindFloat              // any other number
	KindText               // a text in UTF-8
	KindBinary             // MessagePack only; extensions that are no timestamps count as it
	KindList               // a list
	KindMap                // a map, or object
	KindTime               // a MessagePack timestamp; in JSON times are texts
)

// String names k as an error message does: "a number", "a list".
func (k Kind) String() string {
	return [...]string{
		"nothing", "null", "true or false", "a whole number", "a number", "a text",
		"binary", "a list", "a map", "a time",
	}[k]
}

// A Value is one well-formed value, as the bytes it came in; the zero Value is
// absent. It is immutable, and shares its bytes with the body that was scanned.
// Only a scan or a [Writer] makes one ([Trust] aside), so reading it needs no
// check and no limit.
type Value struct {
	raw []byte
	enc Encoding
}

// Trust returns raw as a Value without looking at it. Raw must be one value that was
// scanned or written by this package, because reading any other may panic.
func Trust(enc Encoding, raw []byte) Value { return Value{raw: raw, enc: enc} }

// Encoding returns the encoding of the bytes of v.
func (v Value) Encoding() Encoding { return v.enc }

// Raw returns the bytes of v, which must not be changed.
func (v Value) Raw() []byte { return v.raw }

// IsZero reports that v is absent.
func (v Value) IsZero() bool { return len(v.raw) == 0 }

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if len(v.raw) == 0 {
		return KindAbsent
	}
	if v.enc == MsgPack {
		h, _ := headOf(v.raw)
		return h.kind
	}
	switch v.raw[0] {
	case '{':
		return KindMap
	case '[':
		return KindList
	case '"':
		return KindText
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	if _, ok := jsonInt(v.raw); ok {
		return KindInt
	}
	if _, ok := jsonUint(v.raw); ok {
		return KindInt
	}
	return KindFloat
}

// isNull and isText are cheaper than asking for the kind.
func (v Value) isNull() bool {
	return len(v.raw) > 0 && (v.raw[0] == 'n' && v.enc == JSON || v.raw[0] == 0xc0 && v.enc == MsgPack)
}

func (v Value) isText() bool {
	if v.enc == JSON {
		return len(v.raw) > 0 && v.raw[0] == '"'
	}
	return v.Kind() == KindText
}

// jsonInt and jsonUint read a scanned JSON value that may be a whole number. They refuse
// -0, because its sign would be lost.
func jsonInt(raw []byte) (int64, bool) {
	if !isJSONNumber(raw) || len(raw) > 20 {
		return 0, false
	}
	digits := raw
	if raw[0] == '-' {
		digits = raw[1:]
	}
	if len(digits) > 18 { // it may not fit
		i, err := strconv.ParseInt(string(raw), 10, 64)
		return i, err == nil
	}
	var i int64
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		i = i*10 + int64(c-'0')
	}
	if len(digits) < len(raw) {
		return -i, i != 0
	}
	return i, true
}

func isJSONNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || isDigit(raw[0]))
}

func jsonUint(raw []byte) (uint64, bool) {
	if len(raw) > 20 {
		return 0, false
	}
	u, err := strconv.ParseUint(string(raw), 10, 64)
	return u, err == nil
}

// payload returns the bytes of a MessagePack text, binary, number or timestamp.
func (v Value) payload() []byte {
	h, _ := headOf(v.raw)
	return v.raw[h.header:]
}

// Text returns the text that v is.
func (v Value) Text() (string, bool) {
	if !v.isText() {
		return "", false
	}
	b, escaped := v.textBytes()
	if escaped {
		b = appendUnescaped(nil, b)
	}
	return string(b), true
}

// textBytes returns the bytes of a text, which in JSON may hold escapes.
func (v Value) textBytes() (b []byte, escaped bool) {
	if v.enc == MsgPack {
		return v.payload(), false
	}
	b = v.raw[1 : len(v.raw)-1]
	return b, bytes.IndexByte(b, '\\') >= 0
}

// Binary returns the bytes that v is: binary, or a text in base64.
func (v Value) Binary() ([]byte, bool) {
	switch v.Kind() {
	case KindBinary:
		return v.payload(), true
	case KindText:
		s, _ := v.Text()
		b, err := base64.StdEncoding.DecodeString(s)
		return b, err == nil
	default:
		return nil, false
	}
}

// Bool returns the truth value that v is.
func (v Value) Bool() (value, ok bool) {
	if v.Kind() != KindBool {
		return false, false
	}
	return v.raw[0] == 't' || v.raw[0] == 0xc3, true
}

// Int returns v when it is a whole number that an int64 holds exactly, however
// it is written: 3, 3.0 and 3e0 are all 3.
func (v Value) Int() (int64, bool) {
	if v.enc == JSON {
		if i, ok := jsonInt(v.raw); ok {
			return i, true
		}
	} else if h, ok := headOf(v.raw); ok && h.kind == KindInt {
		i, u := msgpackInt(v.raw)
		return i, u <= math.MaxInt64
	}
	f, ok := v.Float()
	// Beyond 2^53 a float no longer distinguishes one whole number from the next.
	return int64(f), ok && f == math.Trunc(f) && math.Abs(f) <= 1<<53
}

// Uint is [Value.Int] for uint64.
func (v Value) Uint() (uint64, bool) {
	if i, ok := v.Int(); ok {
		return uint64(i), i >= 0
	}
	if v.Kind() != KindInt {
		return 0, false
	}
	if v.enc == JSON {
		return jsonUint(v.raw)
	}
	i, u := msgpackInt(v.raw)
	return u, i >= 0 || u > math.MaxInt64
}

// msgpackInt reads a scanned MessagePack integer. Of one above the largest int64
// u alone holds the value; of all others i does, and u is at most that.
func msgpackInt(raw []byte) (i int64, u uint64) {
	c, b := raw[0], raw[1:]
	switch c {
	case 0xcc:
		i = int64(b[0])
	case 0xcd:
		i = int64(binary.BigEndian.Uint16(b))
	case 0xce:
		i = int64(binary.BigEndian.Uint32(b))
	case 0xcf:
		u = binary.BigEndian.Uint64(b)
		return int64(u), u
	case 0xd0:
		i = int64(int8(b[0]))
	case 0xd1:
		i = int64(int16(binary.BigEndian.Uint16(b)))
	case 0xd2:
		i = int64(int32(binary.BigEndian.Uint32(b)))
	case 0xd3:
		i = int64(binary.BigEndian.Uint64(b))
	default:
		i = int64(int8(c))
	}
	return i, uint64(max(i, 0))
}

// Float returns the number that v is, to the nearest float64.
func (v Value) Float() (float64, bool) {
	if v.enc == JSON {
		if !isJSONNumber(v.raw) {
			return 0, false
		}
		f, _ := strconv.ParseFloat(string(v.raw), 64)
		return f, true
	}
	switch h, _ := headOf(v.raw); h.kind {
	case KindFloat:
		return floatOf(v.raw), true
	case KindInt:
		i, u := msgpackInt(v.raw)
		if u > math.MaxInt64 {
			return float64(u), true
		}
		return float64(i), true
	default:
		return 0, false
	}
}

// Time returns the moment that v is, in UTC: a timestamp, a text of RFC 3339, or
// a whole number of Unix seconds, between the years 0 and 9999.
func (v Value) Time() (time.Time, bool) {
	switch v.Kind() {
	case KindTime:
		sec, nsec := timestampOf(v.payload())
		return time.Unix(sec, int64(nsec)).UTC(), true
	case KindText:
		var t time.Time
		b, _ := v.textBytes()
		err := t.UnmarshalText(b)
		if err != nil { // it may be written in a way that only Parse takes
			s, _ := v.Text()
			t, err = time.Parse(time.RFC3339, s)
		}
		sec := t.Unix()
		return t.UTC(), err == nil && firstSecond <= sec && sec <= lastSecond
	case KindInt, KindFloat:
		sec, ok := v.Int()
		if !ok || sec < firstSecond || sec > lastSecond {
			return time.Time{}, false
		}
		return time.Unix(sec, 0).UTC(), true
	default:
		return time.Time{}, false
	}
}

// Map walks the members of a map in their order; of other values there are none.
func (v Value) Map() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		c := v.walk(KindMap)
		for c.next() {
			if !yield(c.name(), c.value) {
				return
			}
		}
	}
}

// List walks the elements of a list; of other values there are none.
func (v Value) List() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		c := v.walk(KindList)
		for i := 0; c.next(); i++ {
			if !yield(i, c.value) {
				return
			}
		}
	}
}

// Elements returns the elements of a list, and of other values none; never nil.
func (v Value) Elements() []Value {
	list := make([]Value, 0, 4)
	for c := v.walk(KindList); c.next(); {
		list = append(list, c.value)
	}
	return list
}

// Len returns the number of members of a map or of elements of a list, and 0 of
// other values.
func (v Value) Len() int {
	if v.enc == MsgPack {
		h, _ := headOf(v.raw)
		return h.count
	}
	n := 0
	for c := v.walk(v.Kind()); c.next(); {
		n++
	}
	return n
}

// Field returns a member of a map; the zero Value when there is none, or v is no
// map.
func (v Value) Field(name string) Value {
	for c := v.walk(KindMap); c.next(); {
		if c.is(name) {
			return c.value
		}
	}
	return Value{}
}
