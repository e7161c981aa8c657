package stationmaster_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files of the public API")

// public are the packages that programs of users import.
var public = []string{"client", "worker", "worker/process", "worker/httpworker", "schema", "schema/wire", "stationtest"}

// mostMethods bounds the methods of a type, because a reader does not find one among more.
const mostMethods = 80

// TestPublicAPI compares the exported names of the public packages, with their types, to
// testdata/api, because a program of a user breaks by each line that changes or goes.
func TestPublicAPI(t *testing.T) {
	for _, dir := range public {
		golden := filepath.Join("testdata", "api", strings.ReplaceAll(dir, "/", "_")+".txt")
		got := exported(t, dir)
		if *rewrite {
			if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("package %s has lost:   %s", dir, line)
			}
		}
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("package %s has gained: %s (-rewrite accepts it)", dir, line)
			}
		}
	}
}

// TestNoTypeHasTooManyMethods counts the methods of each type of the module.
func TestNoTypeHasTooManyMethods(t *testing.T) {
	count := map[string]int{}
	all, _ := sources(t)
	for pkg, s := range all {
		for _, file := range s.files {
			for _, decl := range file.Decls {
				if f, is := decl.(*ast.FuncDecl); is && f.Recv != nil {
					count[pkg+"."+receiverType(f.Recv.List[0].Type).Name]++
				}
			}
		}
	}
	if count["client.Plan"] == 0 {
		t.Fatal("the methods of client.Plan were not found")
	}
	for of, n := range count {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d", of, n, mostMethods)
		}
	}
}

// exported lists the exported functions, methods, constants, variables, types, fields and methods
// of interfaces of a package, in the order of the text, each on a line.
func exported(t *testing.T, dir string) (lines []string) {
	t.Helper()
	eachFile(t, dir, func(file *ast.File) {
		ast.FileExports(file)
		for _, decl := range file.Decls {
			lines = append(lines, linesOf(t, decl)...)
		}
	})
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) == 0 {
		t.Fatalf("package %s exports nothing", dir)
	}
	return lines
}

func linesOf(t *testing.T, decl ast.Decl) (lines []string) {
	t.Helper()
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv != nil && !receiverType(decl.Recv.List[0].Type).IsExported() {
			return nil
		}
		return []string{printed(t, &ast.FuncDecl{Recv: decl.Recv, Name: decl.Name, Type: decl.Type})}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				lines = append(lines, linesOfValues(t, decl.Tok, spec)...)
			case *ast.TypeSpec:
				lines = append(lines, linesOfType(t, spec)...)
			}
		}
	}
	return lines
}

// linesOfValues are constants with their values, which are a part of the API, and variables
// without.
func linesOfValues(t *testing.T, kind token.Token, spec *ast.ValueSpec) (lines []string) {
	t.Helper()
	for i, name := range spec.Names {
		line := kind.String() + " " + name.Name
		if spec.Type != nil {
			line += " " + printed(t, spec.Type)
		}
		if kind == token.CONST && i < len(spec.Values) {
			line += " = " + printed(t, spec.Values[i])
		}
		lines = append(lines, line)
	}
	return lines
}

func linesOfType(t *testing.T, spec *ast.TypeSpec) []string {
	t.Helper()
	name := "type " + spec.Name.Name
	params := ""
	if spec.TypeParams != nil {
		var all []string
		for _, p := range spec.TypeParams.List {
			for _, n := range p.Names {
				all = append(all, n.Name+" "+printed(t, p.Type))
			}
		}
		params = "[" + strings.Join(all, ", ") + "]"
	}
	var members *ast.FieldList
	kind := ""
	switch of := spec.Type.(type) {
	case *ast.StructType:
		members, kind = of.Fields, "struct"
	case *ast.InterfaceType:
		members, kind = of.Methods, "interface"
	default:
		if spec.Assign.IsValid() {
			params += " ="
		}
		return []string{name + params + " " + printed(t, spec.Type)}
	}
	lines := []string{name + params + " " + kind}
	for _, m := range members.List {
		names := []string{""} // embedded
		if len(m.Names) > 0 {
			names = nil
			for _, n := range m.Names {
				names = append(names, n.Name+" ")
			}
		}
		for _, n := range names {
			line := name + " " + kind + ", " + n + printed(t, m.Type)
			if m.Tag != nil {
				line += " " + m.Tag.Value
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// printed is a node on one line.
func printed(t *testing.T, n ast.Node) string {
	t.Helper()
	var out bytes.Buffer
	if err := printer.Fprint(&out, token.NewFileSet(), n); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
