package stationmaster_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var (
	testName     = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)(?:/[a-z0-9_]+)?`")
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)\(`)
	relativeLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	anchoredLink = regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// Documents name tests as evidence, and point to files. Neither may have moved.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	tests := map[string]bool{}
	documents := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir // of others
		}
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
		for _, m := range anchoredLink.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			if !hasHeading(documents[target], m[2]) {
				t.Errorf("%s links to %s#%s, which is no heading there", name, target, m[2])
			}
		}
	}
}

// hasHeading reports whether a page has a heading that GitHub gives this anchor.
func hasHeading(page, anchor string) bool {
	for line := range strings.Lines(page) {
		heading := strings.TrimLeft(line, "#")
		if heading == line {
			continue
		}
		plain := notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
		if strings.ReplaceAll(plain, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// Pages are short, so that they are read. Further detail belongs into doc comments, commit
// messages or tests.
const (
	pagesHaveWords  = 42_000
	readmeHasWords  = 1_000
	lineHasAtMost   = 400
	performanceLong = 60
)

// pages are README, ARCHITECTURE, CONTRIBUTING, CHANGELOG, all below docs, and the page of
// deploy.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	names := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "deploy/README.md"}
	err := filepath.WalkDir("docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(text)
	}
	return found
}

// words counts the parts between spaces that have a letter or a digit.
func words(text string) int {
	n := 0
	for field := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

func TestPagesAreShort(t *testing.T) {
	total := 0
	for name, text := range pages(t) {
		total += words(text)
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > lineHasAtMost {
				t.Errorf("%s:%d has %d characters, at most %d", name, i+1, n, lineHasAtMost)
			}
		}
		if n := words(text); name == "README.md" && n > readmeHasWords {
			t.Errorf("%s has %d words, at most %d", name, n, readmeHasWords)
		}
		if n := strings.Count(text, "\n"); name == "docs/performance.md" && n > performanceLong {
			t.Errorf("%s has %d lines, at most %d", name, n, performanceLong)
		}
	}
	if total > pagesHaveWords {
		t.Errorf("all pages together have %d words, at most %d", total, pagesHaveWords)
	}
}

// Promises are tables with their evidence in the last column: a test, or the page of a
// decision.
func TestEveryPromiseNamesItsEvidence(t *testing.T) {
	for _, name := range []string{"seed-000", "seed-001", "seed-002", "seed-003", "seed-004", "contract"} {
		name = "docs/conformance/" + name + ".md"
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			if !strings.HasPrefix(line, "| ") || len(cells) < 2 || strings.HasSuffix(line, " | evidence |\n") {
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

// The story in docs/life-of-a-plan.md is a script of the machine's tests.
func TestLifeOfAPlanIsAGoldenTrace(t *testing.T) {
	page, err := os.ReadFile("docs/life-of-a-plan.md")
	if err != nil {
		t.Fatal(err)
	}
	story, err := os.ReadFile("scheduler/machine/testdata/script/second_grid")
	if err != nil {
		t.Fatal(err)
	}
	unfolded := strings.ReplaceAll(string(page), "\n    ", "") // the page folds long lines
	if want := "```\n" + strings.TrimSpace(string(story)) + "\n```"; !strings.Contains(unfolded, want) {
		t.Error("the page's trace is not that of scheduler/machine/testdata/script/second_grid")
	}
}
