package gateway

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
)

var rewriteFields = flag.Bool("rewrite", false, "write docs/fields.md anew from components.json")

// A describedShape is a shape of components.json, with its members in their order.
type describedShape struct {
	Description string
	Required    []string
	Properties  memberList
}

type memberList []describedMember

type describedMember struct {
	Name        string
	Description string          `json:"description"`
	Ref         string          `json:"$ref"`
	Type        json.RawMessage `json:"type"`
	Format      string          `json:"format"`
	AnyOf       []struct {
		Type string `json:"type"`
	} `json:"anyOf"`
}

// UnmarshalJSON keeps the order, because a map has none.
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

// describedShapes returns the shapes of the document, and those of messages that only NATS
// has.
func describedShapes(t *testing.T) map[string]describedShape {
	t.Helper()
	messages, err := os.ReadFile("testdata/messages.json")
	if err != nil {
		t.Fatal(err)
	}
	shapes := map[string]describedShape{}
	for _, text := range [][]byte{components, messages} {
		if err := json.Unmarshal(text, &shapes); err != nil {
			t.Fatal(err)
		}
	}
	return shapes
}

// The described members of an execution and of a reply are those of the types, in their
// order.
func TestTheDescribedMessagesAreTheTypes(t *testing.T) {
	shapes := describedShapes(t)
	for name, of := range map[string]reflect.Type{
		"Execution": reflect.TypeFor[schema.Execution](), "Reply": reflect.TypeFor[schema.Reply](),
	} {
		var has, described []string
		for i := range of.NumField() {
			if member, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); member != "-" {
				has = append(has, member)
			}
		}
		for _, m := range shapes[name].Properties {
			described = append(described, m.Name)
		}
		if diff := cmp.Diff(has, described); diff != "" {
			t.Errorf("%s (-type +testdata/messages.json):\n%s", name, diff)
		}
	}
}

// The document describes each member, also members inside members.
func TestEachMemberIsDescribed(t *testing.T) {
	var shapes map[string]any
	if err := json.Unmarshal(components, &shapes); err != nil {
		t.Fatal(err)
	}
	for name, shape := range shapes {
		eachMember(name, shape, func(path string, member map[string]any) {
			if member["description"] == nil {
				t.Errorf("%s is not described", path)
			}
		})
	}
}

// eachMember calls do for each member of a shape, and of the shapes inside it.
func eachMember(path string, shape any, do func(path string, member map[string]any)) {
	switch shape := shape.(type) {
	case []any:
		for _, one := range shape {
			eachMember(path, one, do)
		}
	case map[string]any:
		for key, value := range shape {
			members, ok := value.(map[string]any)
			if key != "properties" || !ok {
				eachMember(path, value, do)
				continue
			}
			for name, member := range members {
				if member, ok := member.(map[string]any); ok {
					do(path+"."+name, member)
				}
				eachMember(path+"."+name, member, do)
			}
		}
	}
}

// The page of fields has the document's descriptions.
func TestThePageOfFieldsIsThatOfTheDocument(t *testing.T) {
	const path = "../../docs/fields.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, shapes := string(page), describedShapes(t)
	for _, name := range []string{"Plan", "Retry", "ClockChange", "Station", "Execution", "Reply", "Result"} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no place for %s", path, name)
		}
		want = before + begin + fieldTable(name, shapes) + end + after
	}
	if *rewriteFields {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("go test ./internal/gateway -run PageOfFields -rewrite writes it anew (-want +got):\n%s", diff)
	}
}

// fieldTable is the table of a shape. A field that plans have as well is described once.
func fieldTable(name string, shapes map[string]describedShape) string {
	plans := map[string]string{}
	for _, m := range shapes["Plan"].Properties {
		plans[m.Name] = m.Description
	}
	sent := name == "Execution" || name == "Result"
	var b strings.Builder
	if sent {
		b.WriteString("| field | type | unit | there | meaning |\n|---|---|---|---|---|\n")
	} else {
		b.WriteString("| field | type | unit | default | meaning |\n|---|---|---|---|---|\n")
	}
	for _, m := range shapes[name].Properties {
		about, otherwise := cutDefault(m.Description)
		switch {
		case slices.Contains(shapes[name].Required, m.Name):
			otherwise = "always"
		case sent:
			otherwise = ""
		case name == "Station":
			otherwise = strings.TrimPrefix(otherwise, "the station's, then ")
		}
		if name != "Plan" && m.Description == plans[m.Name] {
			about = "As [a plan's](#a-plan)."
		}
		about = strings.TrimPrefix(about, "RFC 3339, or Unix seconds. ") // the unit
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, typeOfMember(m), unitOf(m), otherwise, strings.ReplaceAll(about, "|", `\|`))
	}
	return b.String()
}

// Patterns of a default in descriptions.
var (
	defaultSentence = regexp.MustCompile(`\s*Default: ((?:[^.(]|\.\d|\([^)]*\))*)\.`)
	defaultWord     = regexp.MustCompile("(`?[a-z0-9_]+`?) \\(default")
	withoutDefault  = strings.NewReplacer(" (default)", "", "(default; ", "(", "(default: ", "(")
	whenAbsent      = regexp.MustCompile(`[;,.]? (?:absent(?: \(default\))?: ([^.;]+)|([^ ;]+(?: [^ ;]+){0,3}) if absent)`)
)

// cutDefault cuts the default out of a description, or returns it where it is part of a
// sentence.
func cutDefault(description string) (about, otherwise string) {
	if about, required := strings.CutSuffix(description, " Required."); required {
		return about, "required"
	}
	if m := defaultSentence.FindStringSubmatch(description); m != nil {
		return strings.TrimSpace(strings.Replace(description, m[0], "", 1)), m[1]
	}
	if m := defaultWord.FindStringSubmatch(description); m != nil {
		return withoutDefault.Replace(description), m[1]
	}
	if m := whenAbsent.FindStringSubmatch(description); m != nil {
		return strings.Replace(description, m[0], "", 1), m[1] + m[2]
	}
	return description, ""
}

// unitOf is the unit of a number, or the format of a text.
func unitOf(m describedMember) string {
	about := strings.ToLower(m.Description)
	switch {
	case m.Format == "date-time":
		return "RFC 3339"
	case strings.HasPrefix(m.Description, "RFC 3339"):
		return "a time"
	case strings.HasSuffix(m.Name, "_ms") || strings.Contains(about, "unix milliseconds"):
		return "ms"
	case strings.Contains(about, "seconds ") && strings.Contains(string(m.Type), "number"), m.Name == "sequence":
		return "s"
	case m.Name == "progress":
		return "%"
	default:
		return ""
	}
}

func typeOfMember(m describedMember) string {
	switch {
	case m.Ref != "":
		return "map"
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

// word is the pages' name for a type of JSON.
func word(of string) string {
	switch of {
	case "string":
		return "text"
	case "integer":
		return "integer"
	case "boolean":
		return "boolean"
	case "array":
		return "list"
	case "object":
		return "map"
	default:
		return of
	}
}
