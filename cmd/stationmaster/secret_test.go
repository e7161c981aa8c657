package main

import (
	"strings"
	"testing"
)

// Line ends behind a value are those of its file; any other unusual part stays and is
// reported, without a word of the value.
func TestWhiteSpaceAroundASecret(t *testing.T) {
	for _, tt := range []struct{ in, value, odd string }{
		{"hush", "hush", ""}, {"hush\n", "hush", ""}, {"hush\r\n", "hush", ""}, {"hush\n\n", "hush", ""}, {"hush\r\n\r\n", "hush", ""},
		{"hu sh", "hu sh", ""}, {"", "", ""}, {"\n", "", ""},
		{"hush \n", "hush ", "ends with white space"},
		{"hush\t", "hush\t", "ends with white space"},
		{"hush\u00a0\n", "hush\u00a0", "ends with white space"},
		{" hush", " hush", "begins with white space"},
		{"\nhush\n", "\nhush", "begins with white space"},
		{"\uFEFFhush", "\uFEFFhush", "begins with a byte order mark"},
		{"\uFEFF hush ", "\uFEFF hush ", "begins with a byte order mark|begins with white space|ends with white space"},
		{"hu\nsh\n", "hu\nsh", "has several lines, which a header makes one of, with spaces"},
	} {
		value, err := readSecret(strings.NewReader(tt.in), "-")
		if odd := strings.Join(oddOfSecret(value), "|"); err != nil || string(value) != tt.value || odd != tt.odd {
			t.Errorf("%q: %q, %q, %v; want %q, %q", tt.in, string(value), odd, err, tt.value, tt.odd)
		}
	}
}

// A value that is not read to its end is refused as such, because its size is not known.
func TestASecretThatIsFarTooLong(t *testing.T) {
	_, err := readSecret(strings.NewReader(strings.Repeat("a", 2_000_000)), "-")
	if err == nil || !strings.Contains(err.Error(), "has 65536 bytes or more; at most 4096 are taken") {
		t.Error(err)
	}
}
