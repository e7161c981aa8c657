package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Decoder is a type that reads itself from a value, for members that come in several
// shapes: a word or a number, one or a list. Null and absent members never reach it. The
// error names the shapes it takes: "takes a word or a list".
type Decoder interface {
	// DecodeWire sets the receiver to v, or returns the reason why v does not fit.
	DecodeWire(v Value) error
}

// A class is how the codec treats a Go type.
type class uint8

const (
	classText class = iota
	classBool
	classInt
	classUint
	classFloat
	classTime
	classBinary
	classValue
	classValues // a list of values
	classAny
	classDecoder
	classPointer
	classList
	classMap
	classStruct
)

// typeInfo is the codec's description of a Go type; made once and cached.
type typeInfo struct {
	class  class
	elem   *typeInfo // of a pointer, a list or a map; of a decoder, how it is encoded
	fields []fieldInfo
	byName map[string]int // index into fields
}

// fieldInfo is one member of a struct, those of embedded structs included.
type fieldInfo struct {
	name      string
	index     []int
	info      *typeInfo
	omitEmpty bool
	omitZero  bool
	zeroer    bool // it knows itself whether it is zero
	numeric   bool // `wire:"numeric"`: a text for which a whole number is taken, too
	set       bool // `wire:"set"`: a list that holds nothing twice; see once
	distinct  bool // `wire:"distinct"`: a list in which nothing may stand twice
	bounds    *bounds
}

// bounds are those of a whole number in a request, both included: `wire:"1-1000"`.
type bounds struct{ least, most int64 }

// boundsOf reads the bounds of a rule; nil: it has none.
func boundsOf(rule string) *bounds {
	low, high, _ := strings.Cut(rule, "-")
	least, err := strconv.ParseInt(low, 10, 64)
	if err != nil {
		return nil
	}
	most, err := strconv.ParseInt(high, 10, 64)
	if err != nil {
		return nil
	}
	return &bounds{least, most}
}

// of returns the field of a struct.
func (f *fieldInfo) of(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		v = v.Field(i)
	}
	return v
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	valueType   = reflect.TypeFor[Value]()
	valuesType  = reflect.TypeFor[[]Value]()
	decoderType = reflect.TypeFor[Decoder]()
	zeroerType  = reflect.TypeFor[interface{ IsZero() bool }]()
)

// types caches every typeInfo that was asked for. Types may refer to themselves,
// so an entry is made before its parts; the lock keeps half-made ones inside.
var types = struct {
	sync.RWMutex
	known map[reflect.Type]*typeInfo
}{known: map[reflect.Type]*typeInfo{}}

func infoOf(t reflect.Type) (*typeInfo, error) {
	types.RLock()
	info := types.known[t]
	types.RUnlock()
	if info != nil {
		return info, nil
	}
	types.Lock()
	defer types.Unlock()
	b := typeBuilder{made: map[reflect.Type]*typeInfo{}}
	info, err := b.build(t)
	if err != nil {
		return nil, err
	}
	for t, info := range b.made {
		types.known[t] = info
	}
	return info, nil
}

type typeBuilder struct{ made map[reflect.Type]*typeInfo }

func (b *typeBuilder) build(t reflect.Type) (*typeInfo, error) {
	if info := types.known[t]; info != nil {
		return info, nil
	}
	if info := b.made[t]; info != nil {
		return info, nil
	}
	info := new(typeInfo)
	b.made[t] = info
	var err error
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(decoderType) {
		info.class = classDecoder
		info.elem = new(typeInfo)
		err = b.fill(info.elem, t)
	} else {
		err = b.fill(info, t)
	}
	return info, err
}

func (b *typeBuilder) fill(info *typeInfo, t reflect.Type) (err error) {
	switch {
	case t == timeType:
		info.class = classTime
		return nil
	case t == valueType:
		info.class = classValue
		return nil
	case t == valuesType:
		info.class = classValues
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		info.class = classText
	case reflect.Bool:
		info.class = classBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		info.class = classInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		info.class = classUint
	case reflect.Float32, reflect.Float64:
		info.class = classFloat
	case reflect.Interface:
		info.class = classAny
	case reflect.Pointer:
		info.class = classPointer
		info.elem, err = b.build(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			info.class = classBinary
			return nil
		}
		info.class = classList
		info.elem, err = b.build(t.Elem())
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("type %s: keys of maps are texts", t)
		}
		info.class = classMap
		info.elem, err = b.build(t.Elem())
	case reflect.Struct:
		info.class = classStruct
		err = b.structOf(info, t)
	default:
		err = fmt.Errorf("type %s has no encoding", t)
	}
	return err
}

func (b *typeBuilder) structOf(info *typeInfo, t reflect.Type) error {
	if err := b.addFields(info, t, nil); err != nil {
		return err
	}
	info.byName = make(map[string]int, len(info.fields))
	for i, f := range info.fields {
		if _, twice := info.byName[f.name]; twice {
			return fmt.Errorf("type %s has two fields named %q", t, f.name)
		}
		info.byName[f.name] = i
	}
	return nil
}

// addFields adds the members of t, which is reached by index.
func (b *typeBuilder) addFields(info *typeInfo, t reflect.Type, index []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clip(index), i)
		tag, tagged := f.Tag.Lookup("json")
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			if err := b.addFields(info, f.Type, at); err != nil {
				return err
			}
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		rule := f.Tag.Get("wire")
		field := fieldInfo{name: name, index: at, numeric: rule == "numeric", set: rule == "set", distinct: rule == "distinct", bounds: boundsOf(rule)}
		for option := range strings.SplitSeq(options, ",") {
			field.omitEmpty = field.omitEmpty || option == "omitempty"
			field.omitZero = field.omitZero || option == "omitzero"
		}
		field.zeroer = f.Type.Kind() != reflect.Pointer && f.Type.Implements(zeroerType)
		var err error
		if field.info, err = b.build(f.Type); err != nil {
			return fmt.Errorf("field %s of %w", name, err)
		}
		info.fields = append(info.fields, field)
	}
	return nil
}
