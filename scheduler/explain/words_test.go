package explain

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Both languages have the same texts, and put the same values in.
func TestLanguagesSayTheSame(t *testing.T) {
	value := regexp.MustCompile(`\{\w+\}`)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(chinese))); diff != "" {
		t.Fatalf("keys (-English +Chinese):\n%s", diff)
	}
	for key, text := range english {
		en, zh := value.FindAllString(text, -1), value.FindAllString(chinese[key], -1)
		slices.Sort(en)
		slices.Sort(zh)
		if !slices.Equal(en, zh) {
			t.Errorf("%s: English has %v, Chinese %v", key, en, zh)
		}
	}
}

// Each text is used, because its key, or the beginning of its key, is in the code.
func TestEachTextIsUsed(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, path := range paths {
		if strings.HasPrefix(path, "words_") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		code += string(text)
	}
	for key := range english {
		used := strings.Contains(code, `"`+key+`"`)
		for i := range key {
			used = used || key[i] == '/' && (strings.Contains(code, `"`+key[:i+1]+`"`) || strings.Contains(code, `"`+key[i:]+`"`))
		}
		if !used && key != "failed" && key != "cancelled" && key != "skipped" {
			t.Errorf("nothing says %s", key)
		}
	}
}

// Invisible characters, and those that would turn the text around, are shown with escapes.
func TestNamesAreShownWithEscapes(t *testing.T) {
	for name, want := range map[string]string{
		"w3": "w3", "工号 7": "工号 7", "a\nb": `a\nb`, "\x1b[31m": `\x1b[31m`, "a\u202eb": `a\u202eb`, "\u2066x": `\u2066x`, "{it}": "{it}", "a'b": "a'b",
	} {
		if got := shown(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}
