package main

import (
	"strings"
	"testing"
)

// Arguments that are not UTF-8 are refused before any request, because they would be sent
// changed.
func TestWordsThatAreNoUTF8AreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"queue", "push", "caf\xe9", "1"},
		{"queue", "rm", "caf\xe8"},
		{"plan", "create", "--station", "s", "--command", "c", "--message", "caf\xe9.txt"},
		{"plan", "ls", "--tenant-id", "t\xe9"},
		{"plan", "create", "--station", "s", "--command", "c", "--label", "a=\xe9"},
	} {
		code, _, errs := try(t, "", args...)
		if code != exitUsage || !strings.Contains(errs, "is not UTF-8, in which texts are sent: write it so") {
			t.Errorf("%q: exit code %d, %s", args, code, errs)
		}
	}
	if code, _, errs := try(t, "p\xe9ss", "secret", "put", "s", "--host", "h.example.org"); code == 0 || !strings.Contains(errs, "the secret is not UTF-8") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
