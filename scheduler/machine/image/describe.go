package image

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unsafe"
)

// A met is a pointer that was met. Its type belongs to it, because a structure and its first field
// have one address.
type met struct {
	at unsafe.Pointer
	of reflect.Type
}

// seed is that of the hashes by which bytes are described.
var seed = maphash.MakeSeed()

// A description is the text of a value: a line "path = value" for each part that is not zero. A
// pointer that is met again is described by the path at which it was met first, so that a circle
// ends, and equal descriptions have the same pointers in common.
type description struct {
	out    []byte
	path   []byte
	met    map[met]string
	fields map[reflect.Type][]field
}

// A field is one of a structure that is described.
type field struct {
	index int
	path  string
}

// fieldsOf are the fields of a structure without those that no image has.
func (d *description) fieldsOf(t reflect.Type) []field {
	fields, known := d.fields[t]
	if known {
		return fields
	}
	for i := range t.NumField() {
		if name := "." + t.Field(i).Name; !without[t.String()+name] {
			fields = append(fields, field{i, name})
		}
	}
	d.fields[t] = fields
	return fields
}

// at describes v at a further element of the path.
func (d *description) at(element string, v reflect.Value) {
	length := len(d.path)
	d.path = append(d.path, element...)
	d.value(v)
	d.path = d.path[:length]
}

// line begins the description of a value that has no parts; the caller appends the value.
func (d *description) line() {
	d.out = append(append(append(d.out, '\n'), d.path...), " = "...)
}

// value describes v. All values are accessible, and all structures addressable.
func (d *description) value(v reflect.Value) {
	if !v.IsValid() || v.IsZero() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.pointer(v)
	case reflect.Interface:
		d.at("."+v.Elem().Type().String(), addressable(v.Elem()))
	case reflect.Struct:
		d.structure(v)
	case reflect.Map:
		d.mapping(v)
	case reflect.Slice, reflect.Array:
		d.list(v)
	case reflect.String:
		d.line()
		d.out = strconv.AppendQuote(d.out, v.String())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer: // which have no content to compare
		d.line()
		d.out = append(d.out, "some"...)
	default:
		d.line()
		d.out = fmt.Append(d.out, v)
	}
}

func (d *description) pointer(v reflect.Value) {
	is := met{v.UnsafePointer(), v.Type()}
	first, again := d.met[is]
	switch {
	case again:
		d.line()
		d.out = append(append(d.out, "→ "...), first...)
	case v.Type() == reflect.TypeFor[*time.Location]():
		d.line()
		d.out = fmt.Append(d.out, v)
	default:
		d.met[is] = string(d.path)
		d.value(v.Elem())
	}
}

func (d *description) structure(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		d.line()
		d.out = v.Interface().(time.Time).AppendFormat(d.out, time.RFC3339Nano)
		return
	}
	if d.tree(v.Addr()) {
		return
	}
	for _, f := range d.fieldsOf(v.Type()) {
		// At its address, because a field that is not exported gives no access by itself.
		at := v.Field(f.index)
		d.at(f.path, reflect.NewAt(at.Type(), at.Addr().UnsafePointer()).Elem())
	}
}

// tree describes a sorted tree by its items, or by its keys and values; false: v is none.
func (d *description) tree(v reflect.Value) bool {
	if v.Type().Elem().PkgPath() != "github.com/tidwall/btree" {
		return false
	}
	if items := v.MethodByName("Items"); items.IsValid() {
		d.value(items.Call(nil)[0])
		return true
	}
	d.at(".keys", v.MethodByName("Keys").Call(nil)[0])
	if values := v.MethodByName("Values"); values.IsValid() {
		d.at(".values", values.Call(nil)[0])
	}
	return true
}

// mapping describes a map in the order of its keys.
func (d *description) mapping(v reflect.Value) {
	type entry struct {
		key   string
		value reflect.Value
	}
	var entries []entry
	for each := v.MapRange(); each.Next(); {
		entries = append(entries, entry{d.key(each.Key()), each.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	for _, e := range entries {
		if e.value.IsZero() {
			d.line()
			d.out = append(append(d.out, "has "...), e.key...)
			continue
		}
		d.at("["+e.key+"]", addressable(e.value))
	}
}

// key is a text for a key of a map: of a pointer, where it was met.
func (d *description) key(v reflect.Value) string {
	if v.Kind() != reflect.Pointer {
		return fmt.Sprint(v)
	}
	if first, is := d.met[met{v.UnsafePointer(), v.Type()}]; is {
		return "→ " + first
	}
	return fmt.Sprint(v.Elem().Field(0))
}

func (d *description) list(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		d.line()
		d.out = fmt.Appendf(d.out, "%d bytes, %x", v.Len(), maphash.Bytes(seed, v.Bytes()))
		return
	}
	for i := range v.Len() {
		d.at("["+strconv.Itoa(i)+"]", v.Index(i))
	}
}

// addressable is a copy of v which has an address.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}
