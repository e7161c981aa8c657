package stationmaster_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName     = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)(?:/[a-z0-9_]+)?`")
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)\(`)
	relativeLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

// Documents name tests as evidence, and point to files. Neither may have moved.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	tests := map[string]bool{}
	documents := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		isTest, isDocument := strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, ".md")
		if !isTest && !isDocument {
			return nil
		}
		text, err := os.ReadFile(name)
		if isDocument {
			documents[name] = string(text)
		}
		for _, f := range testFunction.FindAllStringSubmatch(string(text), -1) {
			tests[f[1]] = isTest || tests[f[1]]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range documents {
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s names %s, which is no test", name, m[1])
			}
		}
		for _, m := range relativeLink.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
}

// Promises are tables whose last column says what shows them: a test, or the page of
// a decision.
func TestEveryPromiseNamesItsEvidence(t *testing.T) {
	for _, name := range []string{"docs/seed-000.md", "docs/seed-001.md", "docs/seed-002.md", "docs/seed-003.md", "docs/seed-004.md", "docs/contract.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			if !strings.HasPrefix(line, "| ") || len(cells) < 2 || strings.Contains(line, "what shows it") {
				continue
			}
			rows++
			if last := cells[len(cells)-1]; !testName.MatchString(last) && !relativeLink.MatchString(last) {
				t.Errorf("%s: nothing shows %q", name, cells[0])
			}
		}
		if rows < 20 {
			t.Errorf("%s has %d rows", name, rows)
		}
	}
}

// The story that docs/life-of-a-plan.md tells is the one that the machine is tested
// with.
func TestLifeOfAPlanIsAGoldenTrace(t *testing.T) {
	page, err := os.ReadFile("docs/life-of-a-plan.md")
	if err != nil {
		t.Fatal(err)
	}
	story, err := os.ReadFile("scheduler/machine/testdata/script/second_grid")
	if err != nil {
		t.Fatal(err)
	}
	if want := "```\n" + strings.TrimSpace(string(story)) + "\n```"; !strings.Contains(string(page), want) {
		t.Error("the page's trace is not that of scheduler/machine/testdata/script/second_grid")
	}
}
