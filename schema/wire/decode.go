package wire

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A FieldError is the fault of one member. Field is its wire name, that of a nested one
// with dots: retry.strategy. It is empty when the value as a whole is wrong.
type FieldError struct {
	Field  string // the wire name; empty: the value as a whole
	Reason string // for users, in words
}

// Error is the reason, behind the field if there is one.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Reason
	}
	return e.Field + ": " + e.Reason
}

// FieldErrors is all that is wrong with a value, in the order of its members.
type FieldErrors []*FieldError

// Error is all errors, one after the other.
func (e FieldErrors) Error() string {
	texts := make([]string, len(e))
	for i, one := range e {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.As find the first *FieldError.
func (e FieldErrors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, one := range e {
		errs[i] = one
	}
	return errs
}

// Decode stores v in the value that dst points to, by its json tags. A null is the same as
// an absent member. The number 0 is no time, as in the seed's plan_time, and leaves a time
// as it was. Of duplicates in a list, the first is taken where the field is tagged
// `wire:"set"`; `wire:"distinct"` refuses them. Texts are copied; a [Value] within dst
// shares the bytes of v. Members that dst does not know are refused, with the nearest known
// name. A whole number tagged `wire:"1-1000"` must be within these bounds if it is there,
// so that its zero in Go means absent. The error is a [FieldErrors]; dst then holds the
// members without a fault.
func Decode(v Value, dst any) error {
	_, err := decodeTop(v, dst, true, nil)
	return err
}

// DecodeLoose is [Decode] for responses and stored values: members that dst does not know
// are passed over, and so is a distinct list that is none.
func DecodeLoose(v Value, dst any) error {
	_, err := decodeTop(v, dst, false, nil)
	return err
}

// A Member is one member of a map.
type Member struct {
	Name  string // the key
	Value Value  // its value, which shares the bytes of the map
}

// DecodeMembers is [Decode] into a struct, for callers that write the members of v
// elsewhere: it appends them, in their order, to members, which is not nil.
func DecodeMembers(v Value, dst any, members []Member) ([]Member, error) {
	return decodeTop(v, dst, true, members)
}

func decodeTop(v Value, dst any, strict bool, members []Member) ([]Member, error) {
	rv := reflect.ValueOf(dst)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		panic("wire: Decode wants a pointer, not " + fmt.Sprintf("%T", dst))
	}
	info, err := infoOf(rv.Type().Elem())
	if err != nil {
		panic("wire: Decode: " + err.Error())
	}
	d := decoder{strict: strict}
	switch {
	case v.IsZero():
		d.fail("is missing")
	case members != nil:
		members = d.structOf(v, rv.Elem(), info, members)
	default:
		d.decode(v, rv.Elem(), info)
	}
	if len(d.errs) > 0 {
		return members, d.errs
	}
	return members, nil
}

// A decoder collects errors.
type decoder struct {
	strict bool
	errs   FieldErrors
}

// maxErrors bounds the number of errors about one value.
const maxErrors = 20

func (d *decoder) fail(reason string) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, &FieldError{Reason: reason})
	}
}

// within adds the name of a member to the errors found in it, those from before on. A path
// is built only then, backwards, because most values have no error.
func (d *decoder) within(name string, before int) {
	for _, e := range d.errs[before:] {
		if e.Field == "" {
			e.Field = name
		} else {
			e.Field = name + "." + e.Field
		}
	}
}

func (d *decoder) takes(what string, v Value) {
	d.fail("takes " + what + ", not " + v.Kind().String())
}

func (d *decoder) decode(v Value, dst reflect.Value, info *typeInfo) {
	if v.isNull() && info.class != classPointer {
		return
	}
	switch info.class {
	case classText:
		if s, ok := v.Text(); ok {
			dst.SetString(s)
		} else {
			d.takes("a text", v)
		}
	case classBool:
		if b, ok := v.Bool(); ok {
			dst.SetBool(b)
		} else {
			d.takes("true or false", v)
		}
	case classInt:
		d.int(v, dst)
	case classUint:
		d.uint(v, dst)
	case classFloat:
		if f, ok := v.Float(); ok {
			dst.SetFloat(f)
		} else {
			d.takes("a number", v)
		}
	case classTime:
		d.time(v, dst)
	case classBinary:
		if b, ok := v.Binary(); ok {
			dst.SetBytes(append([]byte{}, b...))
		} else {
			d.takes("binary, or a text in base64", v)
		}
	case classValue:
		*dst.Addr().Interface().(*Value) = v
	case classAny:
		dst.Set(reflect.ValueOf(v.Any()))
	case classDecoder:
		if err := dst.Addr().Interface().(Decoder).DecodeWire(v); err != nil {
			d.fail(err.Error())
		}
	case classPointer:
		d.pointer(v, dst, info)
	case classValues:
		if v.Kind() == KindList {
			*dst.Addr().Interface().(*[]Value) = v.Elements()
		} else {
			d.takes("a list", v)
		}
	case classList:
		d.list(v, dst, info)
	case classMap:
		d.mapOf(v, dst, info)
	case classStruct:
		d.structOf(v, dst, info, nil)
	}
}

func (d *decoder) int(v Value, dst reflect.Value) {
	if i, ok := v.Int(); ok && !dst.OverflowInt(i) {
		dst.SetInt(i)
	} else {
		d.notWhole(v)
	}
}

func (d *decoder) uint(v Value, dst reflect.Value) {
	if u, ok := v.Uint(); ok && !dst.OverflowUint(u) {
		dst.SetUint(u)
	} else {
		d.notWhole(v)
	}
}

func (d *decoder) notWhole(v Value) {
	switch text := v.String(); {
	case v.Kind() == KindInt, v.Kind() == KindFloat && strings.Trim(text, "-0123456789") == "":
		d.fail("is " + shorten(text) + ", which is out of range")
	case v.Kind() == KindFloat:
		d.fail("takes a whole number, not " + shorten(text))
	default:
		d.takes("a whole number", v)
	}
}

func (d *decoder) time(v Value, dst reflect.Value) {
	if i, ok := v.Int(); ok && i == 0 {
		return
	}
	t, ok := v.Time()
	if !ok && v.Kind() == KindInt {
		d.fail("is " + v.String() + ", which as Unix seconds is no year from 0 to 9999; milliseconds are not taken")
		return
	}
	if !ok {
		d.fail("takes a time, RFC 3339 such as 2026-03-01T10:00:00Z, or Unix seconds")
		return
	}
	*dst.Addr().Interface().(*time.Time) = t
}

func (d *decoder) pointer(v Value, dst reflect.Value, info *typeInfo) {
	if v.isNull() {
		dst.SetZero()
		return
	}
	before, fresh := len(d.errs), dst.IsNil()
	if fresh {
		dst.Set(reflect.New(dst.Type().Elem()))
	}
	d.decode(v, dst.Elem(), info.elem)
	if fresh && len(d.errs) > before && info.elem.class != classStruct {
		dst.SetZero() // a value that is no number counts as absent, and not as 0
	}
}

func (d *decoder) list(v Value, dst reflect.Value, info *typeInfo) {
	if v.Kind() != KindList {
		d.takes("a list", v)
		return
	}
	n := v.Len()
	list := reflect.MakeSlice(dst.Type(), n, n)
	dst.Set(list)
	i := 0
	for c := v.walk(KindList); c.next(); i++ {
		before := len(d.errs)
		d.decode(c.value, list.Index(i), info.elem)
		for _, e := range d.errs[before:] {
			e.Reason = "item " + strconv.Itoa(i+1) + " " + e.Reason
		}
	}
}

func (d *decoder) mapOf(v Value, dst reflect.Value, info *typeInfo) {
	if v.Kind() != KindMap {
		d.takes("a map", v)
		return
	}
	m := reflect.MakeMap(dst.Type())
	dst.Set(m)
	for c := v.walk(KindMap); c.next(); {
		name := c.name()
		elem := reflect.New(dst.Type().Elem()).Elem()
		before := len(d.errs)
		d.decode(c.value, elem, info.elem)
		d.within(name, before)
		m.SetMapIndex(reflect.ValueOf(name).Convert(dst.Type().Key()), elem)
	}
}

// structOf appends the members of v to members unless that is nil.
func (d *decoder) structOf(v Value, dst reflect.Value, info *typeInfo, members []Member) []Member {
	if v.Kind() != KindMap {
		d.takes("a map", v)
		return members
	}
	next := 0
	for c := v.walk(KindMap); c.next(); {
		i := info.field(&c, next)
		if i < 0 {
			d.unknown(&c, info)
			continue
		}
		next = i + 1
		f := &info.fields[i]
		if members != nil {
			members = append(members, Member{f.name, c.value})
		}
		before := len(d.errs)
		field := f.of(dst)
		if f.numeric && c.value.Kind() == KindInt {
			field.SetString(c.value.String())
		} else {
			d.decode(c.value, field, f.info)
		}
		if f.set || f.distinct {
			d.once(field, f.distinct)
		}
		if f.bounds != nil && d.strict && len(d.errs) == before && !c.value.isNull() {
			d.bounded(field.Int(), f.bounds)
		}
		d.within(f.name, before)
	}
	return members
}

func (d *decoder) bounded(n int64, b *bounds) {
	if n < b.least || n > b.most {
		d.fail(fmt.Sprintf("is %d; it can be %d to %d", n, b.least, b.most))
	}
}

// field returns the index of the field that the key of c names, or -1. Field next and the few
// behind it are compared first, because most maps have their members in the order of the fields.
func (info *typeInfo) field(c *cursor, next int) int {
	if c.escaped {
		if i, ok := info.byName[c.name()]; ok {
			return i
		}
		return -1
	}
	for i := next; i < min(next+4, len(info.fields)); i++ {
		if info.fields[i].name == string(c.key) {
			return i
		}
	}
	if i, ok := info.byName[string(c.key)]; ok {
		return i
	}
	return -1
}

func (d *decoder) unknown(c *cursor, info *typeInfo) {
	if !d.strict {
		return
	}
	name := c.name()
	reason := "unknown field " + strconv.Quote(shorten(name))
	if near := Nearest(name, info.names); near != "" {
		reason += "; did you mean " + strconv.Quote(near) + "?"
	}
	before := len(d.errs)
	d.fail(reason)
	d.within(shorten(name), before)
}

// shorten keeps untrusted input from filling an error.
func shorten(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// names are those of the fields.
func (info *typeInfo) names(yield func(string) bool) {
	for i := range info.fields {
		if !yield(info.fields[i].name) {
			return
		}
	}
}
