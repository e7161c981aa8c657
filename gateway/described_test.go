package gateway

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewriteFields = flag.Bool("rewrite", false, "write docs/fields.md anew from what components.json says")

// A describedShape is a shape of components.json, its members in the order in which they stand.
type describedShape struct {
	Description string
	Properties  memberList
}

type memberList []describedMember

type describedMember struct {
	Name        string
	Description string          `json:"description"`
	Ref         string          `json:"$ref"`
	Type        json.RawMessage `json:"type"`
	AnyOf       []struct {
		Type string `json:"type"`
	} `json:"anyOf"`
}

// UnmarshalJSON keeps the order, which a map has not.
func (m *memberList) UnmarshalJSON(body []byte) error {
	d := json.NewDecoder(strings.NewReader(string(body)))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var one describedMember
		if err := d.Decode(&one); err != nil {
			return err
		}
		one.Name = fmt.Sprint(name)
		*m = append(*m, one)
	}
	return nil
}

func describedShapes(t *testing.T) map[string]describedShape {
	t.Helper()
	var shapes map[string]describedShape
	if err := json.Unmarshal(components, &shapes); err != nil {
		t.Fatal(err)
	}
	return shapes
}

// Who reads the document is told of each member what it is.
func TestEachMemberIsDescribed(t *testing.T) {
	for name, shape := range describedShapes(t) {
		for _, m := range shape.Properties {
			if m.Description == "" && m.Ref == "" {
				t.Errorf("%s.%s is not described", name, m.Name)
			}
		}
	}
}

// The page of fields is what the document says of them.
func TestThePageOfFieldsIsThatOfTheDocument(t *testing.T) {
	const path = "../docs/fields.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, shapes := string(page), describedShapes(t)
	for _, name := range []string{"Plan", "Retry", "Station"} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no place for %s", path, name)
		}
		want = before + begin + fieldTable(shapes[name]) + end + after
	}
	if *rewriteFields {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("go test ./gateway -run PageOfFields -rewrite writes it anew (-want +got):\n%s", diff)
	}
}

func fieldTable(shape describedShape) string {
	var b strings.Builder
	b.WriteString("| field | type | what it is |\n|---|---|---|\n")
	for _, m := range shape.Properties {
		about := strings.ReplaceAll(m.Description, "|", `\|`)
		if m.Ref != "" {
			about = "see " + m.Ref[strings.LastIndexByte(m.Ref, '/')+1:] + " in `/openapi.json`"
		}
		if m.Name == "retry" {
			about = "What follows an error; [below](#its-retry)."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, typeOfMember(m), about)
	}
	return b.String()
}

func typeOfMember(m describedMember) string {
	switch {
	case m.Ref != "":
		return "a map"
	case len(m.AnyOf) > 0:
		names := make([]string, len(m.AnyOf))
		for i, one := range m.AnyOf {
			names[i] = word(one.Type)
		}
		return strings.Join(names, " or ")
	case len(m.Type) == 0:
		return "any"
	}
	return word(strings.Trim(string(m.Type), `"`))
}

// word is a type of JSON as the pages call it.
func word(of string) string {
	switch of {
	case "string":
		return "text"
	case "integer":
		return "whole number"
	case "boolean":
		return "true or false"
	case "array":
		return "list"
	case "object":
		return "map"
	default:
		return of
	}
}
