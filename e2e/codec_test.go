package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
)

// A codec is one of the two encodings, by a library that the product does not use.
type codec struct {
	name        string
	contentType string
	encode      func(v any) ([]byte, error)
	decode      func(raw []byte) (any, error)
}

var (
	inJSON    = codec{"json", "application/json", json.Marshal, decodeJSON}
	inMsgPack = codec{"msgpack", "application/msgpack", msgpack.Marshal, decodeMsgPack}
)

// inBoth runs a test once for each encoding that a publisher may speak.
func inBoth(t *testing.T, f func(t *testing.T, c *client)) {
	for _, enc := range []codec{inJSON, inMsgPack} {
		t.Run(enc.name, func(t *testing.T) {
			t.Parallel()
			f(t, connect(t, common, enc))
		})
	}
}

// other is the other encoding.
func (c codec) other() codec {
	if c.name == inJSON.name {
		return inMsgPack
	}
	return inJSON
}

// speaks returns the encoding of a body by its first byte, because every body here is a
// map.
func speaks(raw []byte) codec {
	if len(raw) > 0 && raw[0] == '{' {
		return inJSON
	}
	return inMsgPack
}

func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("more than one value in %q", raw)
	}
	return plainNumbers(v), nil
}

func decodeMsgPack(raw []byte) (any, error) {
	r := bytes.NewReader(raw)
	v, err := msgpack.NewDecoder(r).DecodeInterface()
	if err == nil && r.Len() > 0 {
		err = fmt.Errorf("%d bytes behind the value", r.Len())
	}
	return plainNumbers(v), err
}

// plainNumbers makes whole numbers int64, or uint64 above its range, and others
// float64, so that values of both encodings compare.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		f, _ := v.Float64()
		return f
	case int8, int16, int32, int:
		return reflect.ValueOf(v).Int()
	case uint8, uint16, uint32, uint64:
		if u := reflect.ValueOf(v).Uint(); u > math.MaxInt64 {
			return u
		}
		return int64(reflect.ValueOf(v).Uint())
	case float32:
		return float64(v)
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	}
	return v
}

// A body is a decoded map, or one to be sent.
type body map[string]any

func (b body) text(key string) string { s, _ := b[key].(string); return s }
func (b body) int(key string) int64 {
	switch v := b[key].(type) {
	case int64:
		return v
	case int:
		return int64(v)
	}
	return -1 << 40 // not a value of any field
}
func (b body) bool(key string) bool { v, _ := b[key].(bool); return v }
func (b body) obj(key string) body  { m, _ := b[key].(map[string]any); return m }
func (b body) has(key string) bool  { _, ok := b[key]; return ok }

func (b body) list(key string) []body {
	items, _ := b[key].([]any)
	list := make([]body, len(items))
	for i := range items {
		m, _ := items[i].(map[string]any)
		list[i] = m
	}
	return list
}

// time reads a time as it travels in either encoding.
func (b body) time(key string) time.Time { return instant(b[key]) }

func instant(v any) time.Time {
	switch v := v.(type) {
	case time.Time:
		return v
	case string:
		at, _ := time.Parse(time.RFC3339Nano, v)
		return at
	}
	return time.Time{}
}

func (b body) keys() []string { return slices.Sorted(maps.Keys(b)) }

// with returns a copy with more members.
func (b body) with(more body) body {
	all := maps.Clone(b)
	maps.Copy(all, more)
	return all
}

// without returns a copy with fewer.
func (b body) without(keys ...string) body {
	rest := maps.Clone(b)
	for _, k := range keys {
		delete(rest, k)
	}
	return rest
}

// Words for match.
type expectation string

const (
	absent  expectation = "absent"
	present expectation = "present"
)

// match checks the members that want names, whole numbers in any Go type; times
// are compared as moments.
func match(t *testing.T, what string, got, want body) {
	t.Helper()
	for _, k := range want.keys() {
		w, g := want[k], got[k]
		switch w {
		case absent:
			if got.has(k) {
				t.Errorf("%s: %s = %v, want it left out\n%v", what, k, g, got)
			}
			continue
		case present:
			if !got.has(k) {
				t.Errorf("%s: no %s\n%v", what, k, got)
			}
			continue
		}
		if at, ok := w.(time.Time); ok {
			if !instant(g).Equal(at) {
				t.Errorf("%s: %s = %v, want %v\n%v", what, k, g, at, got)
			}
			continue
		}
		if diff := cmp.Diff(same(w), same(g)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s%v", what, k, diff, got)
		}
	}
}

// same brings both sides of a comparison to one form.
func same(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case float64: // 7.0 is 7
		if i := int64(v); float64(i) == v && -1<<53 < i && i < 1<<53 {
			return i
		}
	case body:
		return same(map[string]any(v))
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = same(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = same(e)
		}
		return l
	}
	return v
}

// fields checks that a body has exactly these members, so that a member without a place in
// the contract is noticed, too.
func fields(t *testing.T, what string, got body, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, got.keys()); diff != "" {
		t.Errorf("fields of %s (-want +got):\n%s%v", what, diff, got)
	}
}

// only checks that a body has no other members than these.
func only(t *testing.T, what string, got body, allowed ...string) {
	t.Helper()
	for _, k := range got.keys() {
		if !slices.Contains(allowed, k) {
			t.Errorf("%s has a member %s: %v", what, k, got)
		}
	}
}

func words(s string) []string { return strings.Fields(s) }
