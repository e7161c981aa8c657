package main

import (
	"bytes"
	"testing"
)

// Texts of others do not control a terminal.
func TestATerminalGetsNoEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ä, 中\n": "plain, ä, 中\n",
		"\x1b[2Jgone":   "�[2Jgone",
		"a\u009b1mb":    "a�1mb",
	} {
		var out bytes.Buffer
		if n, err := (withoutEscapes{&out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q is %q; %d, %v", text, out.String(), n, err)
		}
	}
}
