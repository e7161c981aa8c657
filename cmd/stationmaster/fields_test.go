package main

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A --message that begins as JSON is JSON, or refused with the place of its error; any
// other is a text.
func TestAMessageThatBeginsAsJSONIsJSON(t *testing.T) {
	for _, tt := range []struct{ typed, refused string }{
		{`{"a":1,}`, "byte 7 of the JSON: a key is missing"},
		{` {"a":1`, "is cut off"},
		{`[1 2]`, "a comma or ] is missing"},
		{`{a: 1}`, "byte 1"},
		{`{"a":[1e400]}`, "a: 1e400 is too large a number"},
		{`"x`, "the text has no end"},
		{`"x" y`, "byte 4"},
		{`{{word}}`, "a key is missing"},
		{`[INFO] done`, "byte 1"},
	} {
		if _, err := frame(tt.typed); err == nil || !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s: %v, want %q", tt.typed, err, tt.refused)
		}
	}
	for _, json := range []string{`{"a":1}`, ` [1]`, `"x"`, `1`, `-1.5e3`, `null`, `true`} {
		if v, err := frame(json); err != nil || v.(wire.Value).IsZero() {
			t.Errorf("%s: %v, %v; want it as JSON", json, v, err)
		}
	}
	for _, text := range []string{``, ` `, `hello`, `a{`, `tru`, `1,`, `007`, `1e400`, `-`} {
		if v, err := frame(text); err != nil || v != text {
			t.Errorf("%s: %v, %v; want it as a text", text, v, err)
		}
	}
}
