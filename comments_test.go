package stationmaster_test

import (
	"go/ast"
	"testing"
)

// commented are the packages whose exported names all have a comment, because users look
// them up.
var commented = []string{"client", "schema", "schema/wire", "worker", "worker/httpworker", "worker/process"}

// Each exported name that users reach has a comment, such as a constant, a variable, a function,
// a type, a method, a field or a method of an interface. A comment above a group, or on a line of
// several names, counts for each of them.
func TestEveryExportedNameHasAComment(t *testing.T) {
	for _, dir := range commented {
		t.Run(dir, func(t *testing.T) {
			names := 0
			eachFile(t, dir, func(file *ast.File) {
				for _, name := range exportedNames(file) {
					if names++; !name.commented {
						t.Errorf("%s has no comment", name.name)
					}
				}
			})
			if names == 0 {
				t.Error("no exported name was found")
			}
		})
	}
}

// An exportedName is one that a file declares.
type exportedName struct {
	name      string
	commented bool
}

// exportedNames are those that a file declares.
func exportedNames(file *ast.File) (names []exportedName) {
	add := func(name *ast.Ident, prefix string, comments ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		commented := false
		for _, c := range comments {
			commented = commented || c.Text() != ""
		}
		names = append(names, exportedName{prefix + name.Name, commented})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name, "", d.Doc)
			} else if of := receiverType(d.Recv.List[0].Type); of.IsExported() {
				add(d.Name, of.Name+".", d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name, "", d.Doc, s.Doc, s.Comment)
					}
				case *ast.TypeSpec:
					add(s.Name, "", d.Doc, s.Doc, s.Comment)
					if s.Name.IsExported() {
						for _, f := range members(s.Type) {
							for _, name := range f.Names {
								add(name, s.Name.Name+".", f.Doc, f.Comment)
							}
						}
					}
				}
			}
		}
	}
	return names
}

// members are the fields of a struct, those of structs within it too, or the methods of an
// interface.
func members(of ast.Expr) (all []*ast.Field) {
	switch of := of.(type) {
	case *ast.StructType:
		for _, f := range of.Fields.List {
			all = append(append(all, f), members(f.Type)...)
		}
	case *ast.InterfaceType:
		all = of.Methods.List
	case *ast.StarExpr:
		return members(of.X)
	case *ast.ArrayType:
		return members(of.Elt)
	case *ast.MapType:
		return members(of.Value)
	}
	return all
}
