package wire

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// NotUTF8 finds a text in v, which [Marshal] has encoded, that is not UTF-8, and so arrives as
// another text, with U+FFFD in the place of each invalid byte. Field is its place in the names of
// the encoded form, such as retry.strategy or messages[1]; empty: v is that text. Found is false
// when there is none. Bytes are no text, and may be anything.
func NotUTF8(v any) (field string, found bool) {
	field, found = notUTF8In(reflect.ValueOf(v))
	return strings.TrimPrefix(field, "."), found
}

func notUTF8In(v reflect.Value) (where string, found bool) {
	switch v.Kind() {
	case reflect.String:
		return "", !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notUTF8In(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return "", false
		}
		for i := range v.Len() {
			if inner, found := notUTF8In(v.Index(i)); found {
				return fmt.Sprintf("[%d]%s", i, inner), true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if _, found := notUTF8In(key); found {
				return fmt.Sprintf(".%q", key), true
			}
			if inner, found := notUTF8In(v.MapIndex(key)); found {
				return fmt.Sprintf(".%s%s", key, inner), true
			}
		}
	case reflect.Struct:
		return notUTF8InFields(v)
	}
	return "", false
}

func notUTF8InFields(v reflect.Value) (where string, found bool) {
	for f, member := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		switch inner, found := notUTF8In(member); {
		case !found:
		case name == "" && f.Anonymous:
			return inner, true
		case name == "":
			return "." + f.Name + inner, true
		default:
			return "." + name + inner, true
		}
	}
	return "", false
}
