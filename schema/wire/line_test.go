package wire

import "testing"

func TestOneLine(t *testing.T) {
	const text = "{\r\n\t\"a\\n\" : [\n1]}"
	if got, want := string(OneLine([]byte(text))), "{  \t\"a\\n\" : [ 1]}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := ScanAs(JSON, []byte("[\"a\nb\"]"), Limits{}); err == nil {
		t.Error("a text with a line break is taken")
	}
}
