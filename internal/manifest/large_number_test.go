package manifest_test

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
)

// A number that is too large for a float64 is refused by line, and not taken for the text
// that YAML makes of it; a text that looks so is one where the field is a text, or in
// quotes.
func TestANumberThatIsTooLargeIsNoText(t *testing.T) {
	const begin = "plans:\n  - plan_id: a\n    station: h\n    command: c\n    "
	for _, refused := range []string{
		"exec_timeout: 1e400", "ext: 1e400", "ext: {a: [-1e999]}", "messages: [1, 1e400]", "messages:\n      - a: " + strings.Repeat("9", 400),
	} {
		var set manifest.Set
		err := set.Read("x.yaml", strings.NewReader(begin+refused+"\n"))
		if err == nil || !strings.Contains(err.Error(), "is too large a number") || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", refused, err)
		}
	}
	for taken, as := range map[string]string{
		`description: 1e400`: `"description":"1e400"`, `labels: {a: 1e400}`: `"a":"1e400"`, `ext: "1e400"`: `"ext":"1e400"`,
		`messages: ['1e400']`: `["1e400"]`, "ext: |-\n      1e400": `"ext":"1e400"`, `ext: 1e300`: `"ext":1e300`, `ext: 1e400x`: `"ext":"1e400x"`,
	} {
		var set manifest.Set
		if err := set.Read("x.yaml", strings.NewReader(begin+taken+"\n")); err != nil || !strings.Contains(set.Plans[0].String(), as) {
			t.Errorf("%s: %v, %v; want %s", taken, set.Plans, err, as)
		}
	}
}
