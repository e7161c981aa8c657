package worker

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// errNotUTF8 refuses a content with a text that would arrive as another.
var errNotUTF8 = errors.New("is not UTF-8, in which texts are sent: return []byte where it is bytes, which are base64 in JSON and binary in MessagePack, or convert it")

// checkTexts refuses a content with a text that is not UTF-8. The encoded form has U+FFFD in the
// place of each invalid byte; the content is searched, because it may have U+FFFD itself.
func checkTexts(content any, encoded wire.Value) error {
	if !bytes.Contains(encoded.Raw(), []byte(string(utf8.RuneError))) {
		return nil
	}
	where, wrong := notUTF8(reflect.ValueOf(content))
	switch {
	case !wrong:
		return nil
	case where == "":
		return fmt.Errorf("a text %w", errNotUTF8)
	}
	return fmt.Errorf("%s %w", strings.TrimPrefix(where, "."), errNotUTF8)
}

// notUTF8 returns the place of a text that is not UTF-8 in a value that was encoded.
func notUTF8(v reflect.Value) (where string, wrong bool) {
	switch v.Kind() {
	case reflect.String:
		return "", !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notUTF8(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if inner, wrong := notUTF8(v.Index(i)); wrong {
				return fmt.Sprintf("[%d]%s", i, inner), true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if _, wrong := notUTF8(key); wrong {
				return fmt.Sprintf(".%q", key), true
			}
			if inner, wrong := notUTF8(v.MapIndex(key)); wrong {
				return fmt.Sprintf(".%s%s", key, inner), true
			}
		}
	case reflect.Struct:
		for f, field := range v.Fields() {
			if !f.IsExported() || f.Tag.Get("json") == "-" {
				continue
			}
			if inner, wrong := notUTF8(field); wrong {
				return "." + f.Name + inner, true
			}
		}
	}
	return "", false
}
