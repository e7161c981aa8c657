package wire

import (
	"reflect"
	"strconv"
	"sync"
)

// A member of a map that is being read. Without a key it was taken.
type member struct {
	key   []byte
	value Value
}

// An extent is the part of the members and names that belongs to one map: where they
// begin, which member is probably the next one, and how many are left.
type extent struct{ members, next, left, names int }

// ReadFields has fields read the members of v. Others are refused when strict, and else
// passed over. The error is a [FieldErrors], as that of [Decode].
func ReadFields(v Value, strict bool, fields func(*Fields)) error {
	f := readers.Get().(*Fields)
	f.decoder = decoder{strict: strict}
	f.begin(v)
	fields(f)
	f.end(extent{})
	errs := f.errs
	f.decoder = decoder{}
	readers.Put(f)
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// readers keeps the buffers of ReadFields, because a start reads a record for each plan.
var readers = sync.Pool{New: func() any { return new(Fields) }}

// slowly reads v by its type, whose decoder reports the errors.
func slowly[T any](f *Fields, name Name, v Value) T {
	var read T
	f.decodeIn(name, v, &read)
	return read
}

func (f *Fields) decodeIn(name Name, v Value, dst any) {
	into := reflect.ValueOf(dst).Elem()
	info, err := infoOf(into.Type())
	if err != nil {
		panic("wire: Fields: " + err.Error())
	}
	before := len(f.errs)
	f.decode(v, into, info)
	f.within(string(name), before)
}

// begin makes the members of v those that are taken, until end.
func (f *Fields) begin(v Value) (outer extent) {
	outer = f.in
	f.in = extent{members: len(f.members), names: len(f.names)}
	if v.Kind() != KindMap && !v.isNull() {
		f.takes("a map", v)
	}
	for c := v.walk(KindMap); c.next(); {
		key := c.key
		if c.escaped {
			key = appendUnescaped(nil, key)
		}
		f.members = append(f.members, member{key, c.value})
	}
	f.in.left = len(f.members) - f.in.members
	return outer
}

// take returns a member, and has it be known; the zero Value when there is none, or null.
func (f *Fields) take(name Name) Value {
	if f.strict {
		f.names = append(f.names, string(name))
	}
	if f.in.left == 0 {
		return Value{}
	}
	members := f.members[f.in.members:]
	at := f.in.next
	if at == len(members) || string(members[at].key) != string(name) { // nearly always it is the next one
		if at = indexOf(members, name); at < 0 {
			return Value{}
		}
	}
	m := &members[at]
	m.key = nil
	f.in.next = at + 1
	f.in.left--
	if m.value.isNull() {
		return Value{}
	}
	return m.value
}

func indexOf(members []member, name Name) int {
	for i := range members {
		if string(members[i].key) == string(name) {
			return i
		}
	}
	return -1
}

// end leaves a map, with the members that were not taken, and goes back to the one around
// it.
func (f *Fields) end(outer extent) {
	if f.strict && f.in.left > 0 {
		f.refuseOthers()
	}
	clear(f.members[f.in.members:]) // because they hold on to the values that were read
	f.members, f.names, f.in = f.members[:f.in.members], f.names[:f.in.names], outer
}

func (f *Fields) refuseOthers() {
	info := &typeInfo{}
	for _, name := range f.names[f.in.names:] {
		info.fields = append(info.fields, fieldInfo{name: name})
	}
	for _, m := range f.members[f.in.members:] {
		if m.key != nil {
			f.unknown(&cursor{key: m.key}, info)
		}
	}
}

// element reads element i of a list of records.
func (f *Fields) element(i int, v Value, fields func()) {
	before := len(f.errs)
	outer := f.begin(v)
	fields()
	f.end(outer)
	for _, e := range f.errs[before:] {
		e.Reason = "item " + strconv.Itoa(i+1) + " " + e.Reason
	}
}
