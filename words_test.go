package stationmaster_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Comments are in plain English, with the noun first and the cause with because. They were once
// written in a dialect of relative clauses, which these rates measure. Each bound is, per 1,000
// words, at most twice the rate of River's comments, or for causes at least the lowest rate of
// raft's, River's and Nomad's.
var dialect = []struct {
	name  string
	words *regexp.Regexp
	most  float64 // 0: no bound
	least float64
}{
	{"what", regexp.MustCompile(`(?i)\bwhat(ever)?\b`), 0.6, 0},
	{"said, told, heard", regexp.MustCompile(`(?i)\b(said|told|heard|says)\b`), 0.6, 0},
	{"nobody, somebody", regexp.MustCompile(`(?i)\b(nobody|somebody)\b`), 0.1, 0},
	{"because, so that", regexp.MustCompile(`(?i)\b(because|so that)\b`), 0, 1.3},
}

// strange are words that names and files used for things for which the field has one.
var strange = []string{
	"errand", "tidings", "desk", "ear", "shelf", "sweepings", "afterthoughts", "lately", "bereft", "muster",
	"unserved", "roster", "attendee", "larges", "halves", "reign", "tend", "pencil", "hunt", "metronome", "pulse", "pen", "lane", "laned",
	"strain", "timetable", "handout", "bed", "door", "welcome", "heard", "told", "said", "nobody", "crew", "away",
}

func TestCommentsAreInPlainEnglish(t *testing.T) {
	var comments []string
	eachGoFile(t, token.NewFileSet(), func(_ string, file *ast.File) {
		for _, group := range file.Comments {
			comments = append(comments, group.Text())
		}
	})
	checkDialect(t, comments, 100_000)
}

// scriptComment is a comment of TypeScript.
var scriptComment = regexp.MustCompile(`(?ms)/\*.*?\*/|(?:^|\s)// .*?$`)

func TestCommentsOfTheConsoleAreInPlainEnglish(t *testing.T) {
	files, err := filepath.Glob("console/app/*.ts*")
	if err != nil {
		t.Fatal(err)
	}
	var comments []string
	for _, file := range files {
		if filepath.Base(file) != "api.d.ts" { // which is generated
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			comments = append(comments, scriptComment.FindAllString(string(text), -1)...)
		}
	}
	checkDialect(t, comments, 4_000)
}

// checkDialect checks the rates of comments, which have at least so many words.
func checkDialect(t *testing.T, comments []string, least int) {
	t.Helper()
	words, found := 0, make([]int, len(dialect))
	for _, text := range comments {
		words += len(strings.Fields(text))
		for i, d := range dialect {
			found[i] += len(d.words.FindAllString(text, -1))
		}
	}
	if words < least {
		t.Fatalf("only %d words of comments were read", words)
	}
	for i, d := range dialect {
		rate := 1000 * float64(found[i]) / float64(words)
		if d.most > 0 && rate > d.most || rate < d.least {
			t.Errorf("%s: %.2f per 1,000 words of comments, want at most %.1f, at least %.1f (0: no bound)", d.name, rate, d.most, d.least)
		}
	}
}

func TestNamesAreTheFields(t *testing.T) {
	parts := regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	check := func(where, name string) {
		for _, part := range parts.FindAllString(name, -1) {
			if slices.Contains(strange, strings.ToLower(part)) {
				t.Errorf("%s: %s: %q is no word of the field", where, name, part)
			}
		}
	}
	eachGoFile(t, token.NewFileSet(), func(path string, file *ast.File) {
		check(path, strings.TrimSuffix(filepath.Base(path), ".go"))
		for _, d := range file.Decls {
			for _, name := range declared(d) {
				check(path, name.Name)
			}
		}
	})
}

// declared returns the names of functions, methods, types, constants and variables that d
// declares, and of the fields, methods and parameters of all types inside.
func declared(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			names = append(names, field.Names...)
		}
		return true
	})
	return names
}
