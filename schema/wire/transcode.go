package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Value writes v, transcoded when it is in the other encoding; null when it is absent.
// Whole numbers stay exact, binary becomes a text in base64, a timestamp a text of RFC
// 3339. The reverse is not done, because such a text cannot be distinguished from one that
// only looks so.
func (w *Writer) Value(v Value) {
	switch {
	case v.IsZero():
		w.Null()
	case v.enc == w.enc:
		w.next()
		w.buf = append(w.buf, v.raw...)
	default:
		w.transcode(v)
	}
}

func (w *Writer) transcode(v Value) {
	switch v.Kind() {
	case KindNull:
		w.Null()
	case KindBool:
		b, _ := v.Bool()
		w.Bool(b)
	case KindInt:
		if i, ok := v.Int(); ok {
			w.Int(i)
			return
		}
		u, _ := v.Uint()
		w.Uint(u)
	case KindFloat:
		f, _ := v.Float()
		w.Float(f)
	case KindText:
		b, escaped := v.textBytes()
		w.textBytes(b, escaped)
	case KindBinary:
		w.Binary(v.payload())
	case KindTime:
		t, _ := v.Time()
		w.Time(t)
	case KindList:
		w.BeginList()
		for c := v.walk(KindList); c.next(); {
			w.transcode(c.value)
		}
		w.EndList()
	case KindMap:
		w.BeginMap()
		for c := v.walk(KindMap); c.next(); {
			w.KeyText(c.name())
			w.transcode(c.value)
		}
		w.EndMap()
	}
}

func (w *Writer) textBytes(b []byte, escaped bool) {
	w.next()
	if escaped {
		b = appendUnescaped(nil, b)
	}
	if w.enc == MsgPack {
		w.buf = appendMsgpackText(w.buf, b)
		return
	}
	w.buf = appendJSONText(w.buf, b)
}

// AppendTo appends v in enc to dst, as [Writer.Value] writes it.
func (v Value) AppendTo(dst []byte, enc Encoding) []byte {
	if v.enc == enc && !v.IsZero() {
		return append(dst, v.raw...)
	}
	var w Writer
	w.Reset(enc, dst)
	w.Value(v)
	return w.Bytes()
}

// In returns v in enc: v itself when it is so already, or absent.
func (v Value) In(enc Encoding) Value {
	if v.enc == enc || v.IsZero() {
		return v
	}
	return Value{raw: v.AppendTo(nil, enc), enc: enc}
}

// Text returns a text as a Value.
func Text(enc Encoding, s string) Value {
	w := NewWriter(enc, nil)
	w.Text(s)
	return w.Whole()
}

// Binary returns bytes as a Value; in JSON, as a text in base64.
func Binary(enc Encoding, b []byte) Value {
	w := NewWriter(enc, nil)
	w.Binary(b)
	return w.Whole()
}

// Members returns the members of a map without its head and brackets, for
// [Writer.BeginMapWith], and where they begin in v.Raw(); in JSON they stand
// between commas. Their number is v.Len().
func Members(v Value) (members []byte, at int) {
	if v.Kind() != KindMap {
		return nil, 0
	}
	if v.enc == MsgPack {
		h, _ := headOf(v.raw)
		return v.raw[h.header:len(v.raw):len(v.raw)], h.header
	}
	start, end := skipSpace(v.raw, 1), len(v.raw)-1
	for end > start && isSpace(v.raw[end-1]) {
		end--
	}
	return v.raw[start:end:end], start
}

// Leading returns those of some bare members that stand before the first whose
// name want refuses, and their number.
func Leading(enc Encoding, members []byte, want func(name []byte) bool) (leading []byte, count int) {
	c := cursor{raw: members, enc: enc, left: len(members), keys: true}
	end := 0
	for c.next() {
		name := c.key
		if c.escaped {
			name = appendUnescaped(nil, name)
		}
		if !want(name) {
			break
		}
		end = c.pos
		count++
	}
	return members[:end:end], count
}

// MapOf is the inverse of [Members]: a map of members that come from a Value or
// a Writer of the same encoding.
func MapOf(enc Encoding, members []byte, count int) Value {
	w := NewWriter(enc, make([]byte, 0, len(members)+3))
	w.BeginMapWith(members, count)
	w.EndMap()
	return w.Whole()
}

// Any returns v as Go values: map[string]any, []any, int64 or, above its range,
// uint64, float64, string, bool, nil, []byte, time.Time.
func (v Value) Any() any {
	switch v.Kind() {
	case KindBool:
		b, _ := v.Bool()
		return b
	case KindInt:
		if i, ok := v.Int(); ok {
			return i
		}
		u, _ := v.Uint()
		return u
	case KindFloat:
		f, _ := v.Float()
		return f
	case KindText:
		s, _ := v.Text()
		return s
	case KindBinary:
		return append([]byte{}, v.payload()...)
	case KindTime:
		t, _ := v.Time()
		return t
	case KindList:
		list := []any{}
		for c := v.walk(KindList); c.next(); {
			list = append(list, c.value.Any())
		}
		return list
	case KindMap:
		m := map[string]any{}
		for c := v.walk(KindMap); c.next(); {
			m[c.name()] = c.value.Any()
		}
		return m
	default:
		return nil
	}
}

// MarshalJSON makes encoding/json write v as JSON; null when it is absent.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendTo(nil, JSON), nil }

// UnmarshalJSON makes encoding/json read any JSON value into v.
func (v *Value) UnmarshalJSON(data []byte) error {
	got, err := ScanAs(JSON, append([]byte(nil), data...), Limits{Depth: maxDepth, Items: len(data)})
	*v = got
	return err
}

// String returns v as JSON, for messages and logs.
func (v Value) String() string { return string(v.AppendTo(nil, JSON)) }

var _ json.Marshaler = Value{}

var errAbsent = errors.New("a value that is absent")

// ValueOf encodes a Go value, as [Marshal] does.
func ValueOf(enc Encoding, v any) (Value, error) {
	if v, ok := v.(Value); ok {
		if v.IsZero() {
			return Value{}, fmt.Errorf("encode: %w", errAbsent)
		}
		return v.In(enc), nil
	}
	b, err := marshal(enc, nil, v) // mostly small
	if err != nil {
		return Value{}, err
	}
	return Value{raw: b, enc: enc}, nil
}
