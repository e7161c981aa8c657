package stationmaster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of this folder read the module's files themselves, not by a child process, so that
// the test cache sees them, because a run that asks `go list` stays "(cached)" after a file
// changes.

// eachGoFile calls f with each file of the module, tests included, and its path.
func eachGoFile(t *testing.T, set *token.FileSet, f func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f(filepath.ToSlash(path), parsed(t, set, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eachFile calls f with each file of a folder that is no test.
func eachFile(t *testing.T, dir string, f func(*ast.File)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			f(parsed(t, token.NewFileSet(), path))
		}
	}
}

func parsed(t *testing.T, set *token.FileSet, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// receiverType is the type of a method, without its star and parameters.
func receiverType(of ast.Expr) *ast.Ident {
	switch of := of.(type) {
	case *ast.Ident:
		return of
	case *ast.StarExpr:
		return receiverType(of.X)
	case *ast.IndexExpr:
		return receiverType(of.X)
	case *ast.IndexListExpr:
		return receiverType(of.X)
	}
	return ast.NewIdent("_")
}
