package stationmaster_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// notOfClients are the endpoints of the front without a method in package client, with the
// reason.
var notOfClients = map[string]string{
	"plans.claim":    "package worker asks for work",
	"plans.export":   "Plans.export asks for it, with the group as an argument, because secrets may come along",
	"secrets.export": "likewise",
}

// TestEachEndpointHasAMethod checks that package client asks for each endpoint that package
// front serves, and for no other.
func TestEachEndpointHasAMethod(t *testing.T) {
	served, asked := endpoints(t), requests(t)
	for of := range served {
		switch why := notOfClients[of]; {
		case !asked[of] && why == "":
			t.Errorf("%s is an endpoint of package front, and package client has no method for it", of)
		case asked[of] && why != "":
			t.Errorf("%s has a method in package client: it is no exception any more", of)
		}
	}
	for of := range asked {
		if !served[of] {
			t.Errorf("package client asks for %s, which is no endpoint of package front", of)
		}
	}
	for of := range notOfClients {
		if !served[of] {
			t.Errorf("%s is no endpoint of package front any more", of)
		}
	}
}

// endpoints are those of the table of services, as plans.pause.
func endpoints(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	ast.Inspect(parsed(t, token.NewFileSet(), filepath.Join("scheduler", "front", "verbs.go")), func(n ast.Node) bool {
		service, is := n.(*ast.CompositeLit)
		if !is {
			return true
		}
		name, verbs := text(field(service, "name")), field(service, "verbs")
		if name == "" || verbs == nil {
			return true
		}
		for _, v := range verbs.(*ast.CompositeLit).Elts {
			found[name+"."+text(v.(*ast.CompositeLit).Elts[0])] = true
		}
		return false
	})
	if len(found) == 0 {
		t.Fatal("package front has no endpoints")
	}
	return found
}

// requests are the endpoints that package client names by the constant of a group, and a text
// behind it.
func requests(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("client", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	groups, calls := map[string]string{}, []*ast.CallExpr{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		ast.Inspect(parsed(t, token.NewFileSet(), path), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if len(n.Names) == 1 && len(n.Values) == 1 && strings.HasSuffix(n.Names[0].Name, "Group") {
					groups[n.Names[0].Name] = text(n.Values[0])
				}
			case *ast.CallExpr:
				calls = append(calls, n)
			}
			return true
		})
	}
	found := map[string]bool{}
	for _, c := range calls {
		for i := range len(c.Args) - 1 {
			group, is := c.Args[i].(*ast.Ident)
			if endpoint := text(c.Args[i+1]); is && groups[group.Name] != "" && endpoint != "" {
				found[groups[group.Name]+"."+endpoint] = true
			}
		}
	}
	return found
}

// field is the value of a field in a literal; nil: absent.
func field(of *ast.CompositeLit, name string) ast.Expr {
	for _, e := range of.Elts {
		if pair, is := e.(*ast.KeyValueExpr); is {
			if key, is := pair.Key.(*ast.Ident); is && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}

// text is the value of a text; empty: e is none.
func text(e ast.Expr) string {
	literal, is := e.(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return value
}
