package schema

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The parts of a template, put together again, are its text; and only words that are
// known are words.
func TestTemplateParts(t *testing.T) {
	pieces := rapid.OneOf(
		rapid.SampledFrom([]string{"{{run_id}}", "{{ name }}", "{{", "}}", "{", "}", "{{nope}}", "{{}}", "{{\trun_id\n}}", `{"a":{"b":1}}`}),
		rapid.StringN(0, 5, 20),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), "")
		template, err := ParseTemplate(text)
		if err != nil {
			if !strings.Contains(text, "{{") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		var again strings.Builder
		words := 0
		for literal, word := range template.Parts() {
			if strings.Contains(literal, "{{") {
				t.Fatalf("%q: an open word in %q", text, literal)
			}
			again.WriteString(literal)
			if word != "" {
				words++
				if !slices.Contains(templateWords, word) {
					t.Fatalf("%q: word %q", text, word)
				}
				again.WriteString("{{" + word + "}}")
			}
		}
		if template.Plain() != (words == 0) || strings.Count(text, "{{") != words {
			t.Fatalf("%q: %d words", text, words)
		}
		squeeze := strings.NewReplacer(" ", "", "\t", "", "\n", "")
		if squeeze.Replace(again.String()) != squeeze.Replace(text) {
			t.Fatalf("%q became %q", text, again.String())
		}
	})
}

func TestATemplateHasABound(t *testing.T) {
	if _, err := ParseTemplate(strings.Repeat("{{run_id}}", 1000)); err != nil {
		t.Error(err)
	}
	if _, err := ParseTemplate(strings.Repeat("{{run_id}}", 1001)); err == nil {
		t.Error("a thousand and one words are taken")
	}
	for _, text := range []string{"{{", "a{{run_id", "{{run_id}", "{{RUN_ID}}", "{{run id}}"} {
		if _, err := ParseTemplate(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
