package stationmaster_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Comments and pages cite no document that is not in the repository, because its reader has no
// other. A rule stands where it matters, and not by its number elsewhere.
func TestNothingAbsentIsCited(t *testing.T) {
	comments := 0
	set := token.NewFileSet()
	eachGoFile(t, set, func(name string, file *ast.File) {
		for _, group := range file.Comments {
			comments++
			for _, c := range absent(group.Text(), path.Dir(name), strings.Contains(name, "internal/task/") || strings.Contains(name, "internal/cronjob/")) {
				t.Errorf("%s cites %q, which is not in the repository", set.Position(group.Pos()), c)
			}
		}
	})
	if comments < 5_000 {
		t.Fatalf("only %d comments were read", comments)
	}
	for name, text := range pages(t) {
		for _, c := range absent(text, path.Dir(name), true) {
			t.Errorf("%s cites %q, which is not in the repository", name, c)
		}
	}
}

// documents match the ways in which a text names a document in capitals. A bare JOURNAL or NATS is
// none, because streams and systems have these names. The words of the last have no other meaning.
var documents = []*regexp.Regexp{
	regexp.MustCompile(`\b([A-Z]{3,}[0-9]?)\.md\b`),
	regexp.MustCompile(`\b([A-Z]{4,}),? (?:sections?|rules?|chapters?|parts?) (?:[0-9]+|[A-H]\b)`),
	regexp.MustCompile(`\b(PROTOCOL|STYLE|RELIABILITY) [A-H]\b`),
	regexp.MustCompile(`\b(DESIGN|KERNEL)\b`),
}

var (
	pathOfPage = regexp.MustCompile(`(?:[\w.-]+/)+[\w.-]+\.md\b`)
	aSeed      = regexp.MustCompile(`(?i)\bseed 00[0-9]\b`)
)

// absent returns what a text of a folder cites and the repository has not. Seeds are specifications
// that docs/conformance names; seeds is true where a text may name one.
func absent(text, folder string, seeds bool) (found []string) {
	text = strings.Join(strings.Fields(text), " ")
	exists := func(name string) bool {
		for _, at := range []string{name, path.Join(folder, name)} {
			if _, err := os.Stat(at); err == nil {
				return true
			}
		}
		return false
	}
	for _, document := range documents {
		for _, m := range document.FindAllStringSubmatch(text, -1) {
			if !exists(m[1] + ".md") {
				found = append(found, m[0])
			}
		}
	}
	for _, m := range pathOfPage.FindAllStringIndex(text, -1) {
		url := strings.HasSuffix(text[:m[0]], "/") || strings.Contains(text[m[0]:m[1]], "github.com")
		if !url && !exists(text[m[0]:m[1]]) {
			found = append(found, text[m[0]:m[1]])
		}
	}
	if !seeds {
		found = append(found, aSeed.FindAllString(text, -1)...)
	}
	return found
}

func TestAbsentDocumentsAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"a rule of DESIGN section 6":               "[DESIGN section 6 DESIGN]",
		"PROTOCOL D\nand rule 4 of STYLE, section": "[PROTOCOL D]",
		"see JOURNAL.md":                           "[JOURNAL.md]",
		"in docs/adr/9999-none.md":                 "[docs/adr/9999-none.md]",
		"the way of seed 001":                      "[seed 001]",
		"README.md and docs/protocol.md":           "[]",
		"the stream JOURNAL of NATS":               "[]",
		"https://github.com/a/b/c.md":              "[]",
	} {
		if found := fmt.Sprint(absent(text, ".", false)); found != want {
			t.Errorf("%q: %s, want %s", text, found, want)
		}
	}
}
