package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A coverage records, for each type in a sample, at any depth, which of its fields some
// sample sets.
type coverage map[reflect.Type][]bool

// look records the fields that v sets, through pointers, lists and maps as well.
func (c coverage) look(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.look(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.look(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			c.look(v.MapIndex(key))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[wire.Value]() {
			return // the codec's own
		}
		set := c[v.Type()]
		if set == nil {
			set = make([]bool, v.NumField())
			c[v.Type()] = set
		}
		for i := range v.NumField() {
			set[i] = set[i] || !v.Field(i).IsZero()
			c.look(v.Field(i))
		}
	}
}

func coverageOfSamples() coverage {
	c := coverage{}
	for _, sample := range samples(wire.JSON) {
		c.look(reflect.ValueOf(sample))
	}
	return c
}

// Every field of every type, and of every type within it, is set in one sample or
// another, so that no member is frozen by accident only.
func TestSamplesAreFull(t *testing.T) {
	for typ, set := range coverageOfSamples() {
		for i, isSet := range set {
			if f := typ.Field(i); !isSet && f.Tag.Get("json") != "-" {
				t.Errorf("no sample sets %s.%s", typ.Name(), f.Name)
			}
		}
	}
}

// A struct with names for the wire travels, so it is a sample or stands in one.
func TestEveryTypeThatTravelsHasASample(t *testing.T) {
	sampled := map[string]bool{}
	for typ := range coverageOfSamples() {
		sampled[typ.Name()] = true
	}
	found := 0
	for _, name := range wireStructs(t) {
		if found++; !sampled[name] {
			t.Errorf("%s stands in no sample: its members are not frozen", name)
		}
	}
	if found < 100 {
		t.Errorf("only %d structs with names for the wire were found in the package", found)
	}
}

// wireStructs are the exported structs of the package that have a member with a name for
// the wire.
func wireStructs(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			if of, ok := spec.Type.(*ast.StructType); ok && hasWireTag(of) {
				names = append(names, spec.Name.Name)
			}
			return true
		})
	}
	return names
}

func hasWireTag(s *ast.StructType) bool {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		if name := tag.Get("json"); name != "" && name != "-" {
			return true
		}
	}
	return false
}
