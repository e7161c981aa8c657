package schema_test

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A number that is too large is reported by its member; other syntax errors are reported
// by their position, as before.
func TestATooLargeNumberIsReportedWithItsMember(t *testing.T) {
	const large = " is too large a number: no number is above 1.7e308; write it as a text, in double quotes, if it is to stay"
	for _, tt := range []struct{ body, field, message string }{
		{`{"exec_timeout":1e400}`, "exec_timeout", "exec_timeout: 1e400" + large},
		{`{"a":{"x":[1,{}]},"ext":{"b":"}","a":-1e999}}`, "ext.a", "ext.a: -1e999" + large},
		{`{"messages":[{"a":1e400}]}`, "messages", "messages: 1e400" + large},
		{`1e400`, "", "1e400" + large},
		{`[1, 1e400]`, "", "1e400" + large},
		{`{"n":` + strings.Repeat("9", 400) + `}`, "n", "n: " + strings.Repeat("9", 40) + "…" + large},
		{`{"a":1,}`, "", "byte 7 of the JSON: a key is missing"},
		{`{"a":-NaN}`, "", "byte 5 of the JSON: "},
		{`{"a":`, "", "byte 5 of the JSON: the value is cut off"},
		{`{"a":[` + strings.Repeat("1,", 20_000) + `1]}`, "", "byte "},
		{`{"` + strings.Repeat("x", 65) + `":1e400}`, "", "1e400" + large},
	} {
		body := []byte(tt.body)
		_, err := wire.ScanAs(wire.JSON, body, wire.Limits{})
		if err == nil {
			t.Fatalf("%s is JSON", tt.body)
		}
		errs := schema.BodyErrors(schema.CodeInvalidPlan, body, err)
		if len(errs) != 1 || errs[0].Field != tt.field || !strings.HasPrefix(errs[0].Message, tt.message) {
			t.Errorf("%s: %+v, want %q of %q", tt.body, errs, tt.message, tt.field)
		}
	}
	packed := []byte("\x81\xa1a\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00")
	_, err := wire.Scan(packed, wire.Limits{})
	if errs := schema.BodyErrors(schema.CodeInvalidPlan, packed, err); len(errs) != 1 || errs[0].Message != err.Error() {
		t.Errorf("MessagePack: %v", errs)
	}
}
