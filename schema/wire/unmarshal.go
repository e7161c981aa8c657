package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

// Unmarshal stores the output of [Marshal] in the value that dst points to, by its json
// tags and with the libraries of the two encodings: an answer, a command between nodes, a
// record. Moments are in UTC; a [Value] within dst has bytes of its own. Members that dst
// does not know are passed over. Users' input is read by [Decode] instead, because the
// first error ends Unmarshal and need not name a field.
func Unmarshal(v Value, dst any) error {
	switch {
	case v.IsZero():
		return errMissing
	case v.enc == JSON:
		if err := json.Unmarshal(v.raw, dst); err != nil {
			return fmt.Errorf("read JSON: %w", err)
		}
		return nil
	}
	d := msgpack.NewDecoder(bytes.NewReader(v.raw))
	d.SetCustomStructTag("json")
	if err := d.Decode(dst); err != nil {
		return fmt.Errorf("read MessagePack: %w", err)
	}
	inUTC(reflect.ValueOf(dst))
	return nil
}

var errMissing = errors.New("is missing")

// DecodeMsgpack makes the MessagePack library read any value into v. Null is none, as in a
// member that is absent.
func (v *Value) DecodeMsgpack(d *msgpack.Decoder) error {
	raw, err := d.DecodeRaw()
	if err != nil {
		return err
	}
	if *v = Trust(MsgPack, bytes.Clone(raw)); v.isNull() {
		*v = Value{}
	}
	return nil
}

// inUTC puts the moments that the library read into UTC, because it gives them the zone of
// this machine.
func inUTC(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			inUTC(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			inUTC(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == timeType {
			at := v.Addr().Interface().(*time.Time)
			*at = at.UTC()
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				inUTC(v.Field(i))
			}
		}
	}
}
