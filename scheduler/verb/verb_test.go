package verb_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
)

// Every type that is a command is one of the verbs, under a name of its own.
func TestEachCommandIsAVerb(t *testing.T) {
	listed, names := map[string]bool{}, map[string]string{}
	for _, k := range verb.All() {
		of := k.Command.Name()
		if listed[of] {
			t.Errorf("command.%s is two verbs", of)
		}
		if other := names[k.Name]; other != "" {
			t.Errorf("command.%s and command.%s have one name, %q", of, other, k.Name)
		}
		listed[of], names[k.Name] = true, of
	}
	for _, of := range commands(t) {
		if !listed[of] {
			t.Errorf("command.%s is a command, and not in the list of verbs", of)
		}
	}
}

func TestOf(t *testing.T) {
	if k := verb.Of(command.PausePlan{}); k != verb.Pause.Kind {
		t.Errorf("PausePlan is %+v", k)
	}
	dated := command.Dated{Command: command.GetTask{}}
	if verb.Of(dated) != nil || verb.Is(dated, verb.Reads) {
		t.Error("a date is a command")
	}
	if !verb.Is(dated.Command, verb.Reads|verb.AfterResults) || verb.Is(command.GetPlan{}, verb.Reads|verb.AfterResults) {
		t.Error("GetTask reads behind the results, and GetPlan does not wait for them")
	}
}

// commands are the types of package command that have the method of a command.
func commands(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "internal", "command", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Recv == nil || f.Name.Name != "command" {
				continue
			}
			if of, is := f.Recv.List[0].Type.(*ast.Ident); is {
				names = append(names, of.Name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("package command has no commands")
	}
	return names
}
