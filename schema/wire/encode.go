package wire

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Marshal encodes v by its json tags, in either encoding with the same names: omitempty
// and omitzero leave members out as encoding/json does, embedded structs are flattened,
// maps are sorted by key. A nil list is an empty one. The error names the field whose
// value has no encoding: a number that is not finite, a type that is no data, a value that
// holds itself.
func Marshal(enc Encoding, v any) ([]byte, error) {
	return marshal(enc, make([]byte, 0, marshalRoom), v)
}

// marshalRoom is enough for most requests and answers.
const marshalRoom = 512

func marshal(enc Encoding, buf []byte, v any) ([]byte, error) {
	w := NewWriter(enc, buf)
	if err := encodeAny(w, v, 0); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return w.Bytes(), nil
}

var (
	errNotFinite = errors.New("a number that is not finite")
	errDepth     = fmt.Errorf("nested deeper than %d", maxDepth)
	errYear      = errors.New("a time outside of the years 0 to 9999")
)

func encodeAny(w *Writer, v any, depth int) error {
	if v == nil {
		w.Null()
		return nil
	}
	rv := reflect.ValueOf(v)
	info, err := infoOf(rv.Type())
	if err != nil {
		return err
	}
	return encode(w, rv, info, depth)
}

func encode(w *Writer, v reflect.Value, info *typeInfo, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	switch info.class {
	case classText:
		w.Text(v.String())
	case classBool:
		w.Bool(v.Bool())
	case classInt:
		w.Int(v.Int())
	case classUint:
		w.Uint(v.Uint())
	case classFloat:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return errNotFinite
		}
		w.Float(v.Float())
	case classTime:
		return encodeTime(w, held[time.Time](v))
	case classBinary:
		w.Binary(v.Bytes())
	case classValue:
		w.Value(held[Value](v))
	case classValues:
		w.BeginList()
		for _, element := range held[[]Value](v) {
			w.Value(element)
		}
		w.EndList()
	case classAny:
		return encodeAny(w, v.Interface(), depth+1)
	case classDecoder:
		return encode(w, v, info.elem, depth)
	case classPointer:
		if v.IsNil() {
			w.Null()
			return nil
		}
		return encode(w, v.Elem(), info.elem, depth+1)
	case classList:
		w.BeginList()
		for i := range v.Len() {
			if err := encode(w, v.Index(i), info.elem, depth+1); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
		}
		w.EndList()
	case classMap:
		return encodeMap(w, v, info, depth)
	case classStruct:
		return encodeStruct(w, v, info, depth)
	}
	return nil
}

// held returns the T that v is, without a copy on the heap where v has an address.
func held[T any](v reflect.Value) T {
	if v.CanAddr() {
		return *v.Addr().Interface().(*T)
	}
	return v.Interface().(T)
}

func encodeTime(w *Writer, t time.Time) error {
	if sec := t.Unix(); sec < firstSecond || sec > lastSecond {
		return errYear
	}
	w.Time(t)
	return nil
}

func encodeMap(w *Writer, v reflect.Value, info *typeInfo, depth int) error {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	w.BeginMap()
	for _, k := range keys {
		w.KeyText(k.String())
		if err := encode(w, v.MapIndex(k), info.elem, depth+1); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
	}
	w.EndMap()
	return nil
}

func encodeStruct(w *Writer, v reflect.Value, info *typeInfo, depth int) error {
	w.BeginMap()
	for i := range info.fields {
		f := &info.fields[i]
		member := f.of(v)
		if f.omitEmpty && f.isEmpty(member) || f.omitZero && f.isZero(member) {
			continue
		}
		w.KeyText(f.name)
		if err := encode(w, member, f.info, depth+1); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	w.EndMap()
	return nil
}

// isEmpty reports that omitempty leaves a member out.
func (f *fieldInfo) isEmpty(v reflect.Value) bool {
	info := f.info
	if info.class == classDecoder {
		info = info.elem
	}
	switch info.class {
	case classText, classBinary, classValues, classList, classMap:
		return v.Len() == 0
	case classStruct, classTime, classValue:
		return false
	default:
		return v.IsZero()
	}
}

func (f *fieldInfo) isZero(v reflect.Value) bool {
	if !f.zeroer {
		return v.IsZero()
	}
	if v.CanAddr() {
		v = v.Addr() // which is not copied to the heap
	}
	return v.Interface().(interface{ IsZero() bool }).IsZero()
}
