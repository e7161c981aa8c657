package wire

import (
	"fmt"
	"reflect"
)

// once takes duplicates out of a list, in place; where they are refused, it adds an error
// instead.
func (d *decoder) once(list reflect.Value, refused bool) {
	if list.Len() < 2 || refused && !d.strict {
		return
	}
	at := make(map[any]int, list.Len())
	n := 0
	for i := range list.Len() {
		element := list.Index(i)
		is := identity(element)
		first, twice := at[is]
		switch {
		case !twice:
			at[is] = i
			list.Index(n).Set(element)
			n++
		case refused:
			d.fail(fmt.Sprintf("item %d is the same as item %d; each is named once", i+1, first+1))
			return
		}
	}
	list.SetLen(n)
}

// identity is a comparable value that is equal for equal elements of a list.
func identity(element reflect.Value) any {
	v, is := element.Interface().(Value)
	if !is {
		return element.Interface()
	}
	if s, is := v.Text(); is { // which may be written in several ways
		return valueIdentity{KindText, s}
	}
	return valueIdentity{v.Kind(), v.String()}
}

// A valueIdentity distinguishes 409 from "409".
type valueIdentity struct {
	kind Kind
	text string
}
