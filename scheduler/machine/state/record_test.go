package state_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// volatile are the fields of a record that are not persisted, because a successor learns them
// anew, or they follow from others.
var volatile = map[string]bool{
	"Occurrence.Held": true, "Occurrence.Offer": true, "Occurrence.Account": true,
	"Execution.Misses": true, "Execution.Retry": true, "Execution.Others": true, "Execution.Adopted": true,
	"Execution.PingBy": true, "Execution.Progress": true, "Execution.ReplyReceived": true, "Execution.Cut": true, "Execution.HeldDeadline": true, "Execution.Ordered": true,
	"Inbox.Sizes": true, "Inbox.Follow": true, "Inbox.Dropped": true,
	"Ballot.Size": true,
}

// Every field of a record but the volatile ones is there again after it was written and
// read. A new one that its type's function does not name is found here by its name.
func TestEveryFieldOfARecordIsKept(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.MsgPack, wire.JSON} {
		p := &state.Plan{}
		n := int64(0)
		eachField(reflect.ValueOf(&p.Record).Elem(), "Record", func(v reflect.Value, path string) {
			n++
			fill(t, v, path, n)
		})
		w := wire.NewWriter(enc, nil)
		p.WriteState(w)
		got, err := state.ParseState(w.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		compare(t, reflect.ValueOf(p.Record), reflect.ValueOf(got), "Record")
	}
}

// eachField leads do to each persisted field below v that holds a value of its own. It makes
// the target of a pointer, and one element of each list.
func eachField(v reflect.Value, path string, do func(v reflect.Value, path string)) {
	switch v.Interface().(type) {
	case time.Time, wire.Value:
		do(v, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		eachField(v.Elem(), path, do)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		eachField(v.Index(0), path, do)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if volatile[v.Type().Name()+"."+f.Name] {
				continue
			}
			eachField(v.Field(i), path+"."+f.Name, do)
		}
	default:
		do(v, path)
	}
}

// fill gives a field a value that no other has, as far as its type has so many.
func fill(t *testing.T, v reflect.Value, path string, n int64) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(n, 0).UTC()))
		return
	case wire.Value:
		v.Set(reflect.ValueOf(wire.Text(wire.MsgPack, fmt.Sprint(n))))
		return
	case schema.Status: // another is that of a later release
		v.Set(reflect.ValueOf(schema.StatusPaused))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(n)
	case reflect.Uint64:
		v.SetUint(uint64(n))
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), path, n*100+int64(i))
		}
	default:
		t.Fatalf("%s is a %s, for which fill has no value", path, v.Type())
	}
}

// compare names each persisted field in which got is not as want.
func compare(t *testing.T, want, got reflect.Value, path string) {
	t.Helper()
	switch is := want.Interface().(type) {
	case time.Time:
		if !is.Equal(got.Interface().(time.Time)) {
			t.Errorf("%s is lost: %v, and was %v", path, got, want)
		}
		return
	case wire.Value:
		if is.String() != got.Interface().(wire.Value).String() {
			t.Errorf("%s is lost: %v, and was %v", path, got, want)
		}
		return
	}
	switch want.Kind() {
	case reflect.Pointer:
		if got.IsNil() {
			t.Errorf("%s is lost", path)
			return
		}
		compare(t, want.Elem(), got.Elem(), path)
	case reflect.Slice:
		if got.Len() != 1 {
			t.Errorf("%s is lost", path)
			return
		}
		compare(t, want.Index(0), got.Index(0), path)
	case reflect.Struct:
		for i := range want.NumField() {
			f := want.Type().Field(i)
			if !volatile[want.Type().Name()+"."+f.Name] {
				compare(t, want.Field(i), got.Field(i), path+"."+f.Name)
			}
		}
	default:
		if !want.Equal(got) {
			t.Errorf("%s is lost: %v, and was %v", path, got, want)
		}
	}
}
