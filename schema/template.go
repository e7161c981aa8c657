package schema

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// templateWords are the words that may stand between {{ and }} in an [HTTPCall].
//
//	run_id          <plan_id>.<n>
//	task_id         the plan's id
//	name            the task's name
//	plan_time       the due time, RFC 3339 in UTC
//	attempt         1, 2, …
//	occurrence      k; 0 of a run that a user requested
//	callback_url    where an ASYNC call is to be answered; empty in a SYNC one
//	callback_token  the credential for it; empty in a SYNC one
//
// Beside these, secret:NAME is the value of a [NamedSecret].
var templateWords = []string{
	"run_id", "task_id", "name", "plan_time", "attempt", "occurrence", "callback_url", "callback_token",
}

// A Template is a text with words such as {{run_id}} in it. Its zero value is the
// empty text.
type Template struct {
	parts []templatePart
}

// A templatePart is a text and the word behind it, empty at the end.
type templatePart struct{ literal, word string }

// maxWords bounds the size of a template after its words are filled in.
const maxWords = 1000

// ParseTemplate reads a template. White space within the braces is allowed; }}
// without {{ is a text like any other. The error continues a sentence that begins
// with the field.
func ParseTemplate(text string) (Template, error) {
	var t Template
	for {
		literal, rest, found := strings.Cut(text, "{{")
		if !found {
			t.parts = append(t.parts, templatePart{literal: literal})
			return t, nil
		}
		word, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return Template{}, fmt.Errorf("has {{ without }} behind %q", tail(literal))
		}
		word = strings.TrimSpace(word)
		if name, ok := SecretOf(word); ok {
			if err := CheckID(name); err != nil {
				return Template{}, fmt.Errorf("has the word {{%s}}, whose name of a secret %w", shorten(word), err)
			}
		} else if !slices.Contains(templateWords, word) {
			return Template{}, fmt.Errorf("has the unknown word {{%s}}; there are {{%s}} and {{secret:NAME}}", shorten(word), strings.Join(templateWords, "}}, {{"))
		}
		if len(t.parts) == maxWords {
			return Template{}, fmt.Errorf("has more than %d words in it", maxWords)
		}
		t.parts = append(t.parts, templatePart{literal, word})
		text = after
	}
}

// tail is the end of a text, to find a place in it.
func tail(s string) string {
	const most = 20
	if len(s) <= most {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}

// Plain reports that there are no words in t.
func (t Template) Plain() bool { return len(t.parts) <= 1 }

// Parts walks t: each text, and the word behind it, which is empty behind the last.
func (t Template) Parts() iter.Seq2[string, string] {
	return func(yield func(literal, word string) bool) {
		for _, p := range t.parts {
			if !yield(p.literal, p.word) {
				return
			}
		}
	}
}

// expand puts the same value in the place of every word.
func (t Template) expand(value string) string {
	var b strings.Builder
	for literal, word := range t.Parts() {
		b.WriteString(literal)
		if word != "" {
			b.WriteString(value)
		}
	}
	return b.String()
}
