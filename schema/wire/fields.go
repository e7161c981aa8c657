package wire

import (
	"reflect"
	"time"
)

// A Fields goes through the members of a record that a program keeps for itself: the
// record's type has one function that hands each of its fields, with its name, to a
// Fields, which writes them or reads them. So a member is named once, none is written that
// is not read, and neither takes the reflection of [Marshal] and [Decode].
//
// Members are written in the order in which they are named, zero ones left out, and read
// in any order. Null is the same as absent.
type Fields struct {
	w *Writer // nil: members are read
	decoder
	members []member // that are left of the maps which are being read, the innermost last
	names   []string // the names that those maps may have, if others are refused
	in      extent
}

// Fields returns a Fields that writes into the map that w has begun.
func (w *Writer) Fields() *Fields {
	if w.fields == nil || w.fields.w != w { // which a copy of a Writer has from another
		w.fields = &Fields{w: w}
	}
	return w.fields
}

// Reads reports that members are read, so that values computed from them have to be
// computed anew.
func (f *Fields) Reads() bool { return f.w == nil }

// Refuse adds an error about a member that was read. If unknown members are passed over it
// does nothing.
func (f *Fields) Refuse(name Name, reason string) {
	if f.strict {
		f.failIn(name, reason)
	}
}

func (f *Fields) failIn(name Name, reason string) {
	before := len(f.errs)
	f.fail(reason)
	f.within(string(name), before)
}

// Int is a whole number.
func (f *Fields) Int(name Name, i *int64) {
	if *i != 0 || f.w == nil { // zero members are many, and are recognised without a call
		f.number(name, i)
	}
}

func (f *Fields) number(name Name, i *int64) {
	if f.w != nil {
		f.w.Key(name)
		f.w.Int(*i)
		return
	}
	if v := f.take(name); !v.IsZero() {
		n, ok := v.Int()
		if !ok {
			n = slowly[int64](f, name, v)
		}
		*i = n
	}
}

// Number is a whole number of any type.
func Number[T ~int32 | ~int64](f *Fields, name Name, n *T) {
	if f.w != nil {
		if *n != 0 {
			f.w.Key(name)
			f.w.Int(int64(*n))
		}
		return
	}
	if v := f.take(name); !v.IsZero() {
		i, ok := v.Int()
		if !ok || int64(T(i)) != i {
			*n = slowly[T](f, name, v)
			return
		}
		*n = T(i)
	}
}

// Uint is a whole number.
func (f *Fields) Uint(name Name, u *uint64) {
	if f.w == nil {
		if v := f.take(name); !v.IsZero() {
			*u = slowly[uint64](f, name, v)
		}
	} else if *u != 0 {
		f.w.Key(name)
		f.w.Uint(*u)
	}
}

// Bool is a truth value.
func (f *Fields) Bool(name Name, b *bool) {
	if *b || f.w == nil {
		f.truth(name, b)
	}
}

func (f *Fields) truth(name Name, b *bool) {
	if f.w != nil {
		f.w.Key(name)
		f.w.Bool(true)
		return
	}
	if v := f.take(name); !v.IsZero() {
		*b = slowly[bool](f, name, v)
	}
}

// Word is a text of any type.
func Word[T ~string](f *Fields, name Name, s *T) {
	if *s != "" || f.w == nil {
		*s = T(f.text(name, string(*s)))
	}
}

// text returns the written text, or the one that was read instead.
func (f *Fields) text(name Name, s string) string {
	if f.w != nil {
		f.w.Key(name)
		f.w.Text(s)
		return s
	}
	if v := f.take(name); !v.IsZero() {
		read, ok := v.Text()
		if !ok {
			read = slowly[string](f, name, v)
		}
		return read
	}
	return s
}

// Time is a moment. The number 0 is none.
func (f *Fields) Time(name Name, t *time.Time) {
	if f.w == nil || !t.IsZero() {
		f.time(name, t)
	}
}

func (f *Fields) time(name Name, t *time.Time) {
	if f.w != nil {
		f.w.Key(name)
		f.w.Time(*t)
		return
	}
	if v := f.take(name); !v.IsZero() {
		at, ok := v.Time()
		if !ok || at.Unix() == 0 { // which a number may be
			at = slowly[time.Time](f, name, v)
		}
		*t = at
	}
}

// Micros is a moment in microseconds since 1970. Zero is none.
func Micros[T ~int64](f *Fields, name Name, at *T) {
	if *at != 0 || f.w == nil {
		*at = T(f.micros(name, int64(*at)))
	}
}

// micros returns the written time, or the one that was read instead.
func (f *Fields) micros(name Name, at int64) int64 {
	if f.w != nil {
		f.w.Key(name)
		f.w.Time(time.UnixMicro(at))
		return at
	}
	var t time.Time
	if f.time(name, &t); t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Value is a member of any kind. A value that was read shares the bytes of the record.
func (f *Fields) Value(name Name, v *Value) {
	if f.w == nil {
		*v = f.take(name)
	} else if !v.IsZero() {
		f.w.Key(name)
		f.w.Value(*v)
	}
}

// Numbers is a list of whole numbers in which none stands twice.
func (f *Fields) Numbers(name Name, list *[]int64) {
	if f.w == nil {
		if v := f.take(name); !v.IsZero() {
			*list = slowly[[]int64](f, name, v)
			before := len(f.errs)
			f.once(reflect.ValueOf(list).Elem(), true)
			f.within(string(name), before)
		}
		return
	}
	if len(*list) > 0 {
		f.w.Key(name)
		f.w.BeginList()
		for _, n := range *list {
			f.w.Int(n)
		}
		f.w.EndList()
	}
}

// Other is a member whose type writes itself, and is read by its json tags into the value
// that dst points to: it is there, or it is left out.
func (f *Fields) Other(name Name, dst any, isThere bool, write func(*Writer)) {
	if f.w == nil {
		if v := f.take(name); !v.IsZero() {
			f.decodeIn(name, v, dst)
		}
	} else if isThere {
		f.w.Key(name)
		write(f.w)
	}
}

// Map is a record in a member; nil is left out.
func Map[E any](f *Fields, name Name, record **E, fields func(*E, *Fields)) {
	if f.w == nil {
		if v := f.take(name); !v.IsZero() {
			*record = new(E)
			before := len(f.errs)
			outer := f.begin(v)
			fields(*record, f)
			f.end(outer)
			f.within(string(name), before)
		}
	} else if *record != nil {
		f.w.Key(name)
		f.w.BeginMap()
		fields(*record, f)
		f.w.EndMap()
	}
}

// List is a list of records; an empty one is left out.
func List[E any](f *Fields, name Name, list *[]E, fields func(*E, *Fields)) {
	if f.w != nil {
		if len(*list) > 0 {
			f.w.Key(name)
			f.w.BeginList()
			for i := range *list {
				f.w.BeginMap()
				fields(&(*list)[i], f)
				f.w.EndMap()
			}
			f.w.EndList()
		}
		return
	}
	v := f.take(name)
	if v.IsZero() {
		return
	}
	before := len(f.errs)
	if v.Kind() != KindList {
		f.takes("a list", v)
	} else if n := v.Len(); n > 0 {
		*list = make([]E, n)
	}
	i := 0
	for c := v.walk(KindList); c.next(); i++ {
		f.element(i, c.value, func() { fields(&(*list)[i], f) })
	}
	f.within(string(name), before)
}
