package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A text of a content that is no UTF-8 is refused wherever it stands, and by its place; bytes, and
// fields that are not sent, may be anything.
func TestATextThatIsNotUTF8IsRefusedByItsPlace(t *testing.T) {
	type inner struct {
		Text  string `json:"text"`
		Bytes []byte
		own   string // not sent, because it is not exported
		Not   string `json:"-"`
	}
	const bad = "caf\xe9"
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for _, tt := range []struct {
			content any
			at      string
		}{
			{bad, "a text"}, {new(string(bad)), "a text"},
			{map[string]any{"k": []any{1, "é", bad}}, "k[2]"},
			{map[string]int{bad: 1}, `"caf\xe9"`},
			{[]inner{{Text: "x"}, {Text: bad}}, "[1].text"},
			{map[string]*inner{"k": {Text: bad}}, "k.text"},
		} {
			if _, err := contentValue(enc, tt.content); err == nil || !strings.HasPrefix(err.Error(), tt.at+" is not UTF-8") {
				t.Errorf("%v: %#v: %v; want %s refused", enc, tt.content, err, tt.at)
			}
		}
		for _, content := range []any{
			"a\uFFFD", []byte(bad), map[string]any{"a\uFFFD": nil, "b": []byte(bad)}, inner{Text: "\uFFFD", Bytes: []byte(bad), own: bad, Not: bad},
			(*inner)(nil), []any{"\uFFFD", nil, time.Unix(0, 0), wire.Text(wire.JSON, "x")},
		} {
			if v, err := contentValue(enc, content); err != nil || v.IsZero() {
				t.Errorf("%v: %s: %v", enc, fmt.Sprintf("%#v", content), err)
			}
		}
	}
}
