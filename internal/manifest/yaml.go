package manifest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A part is a list that a file may have.
type part struct {
	name  string
	texts map[string]bool // members whose value is always a text
	add   func(s *Set, where string, v wire.Value) error
}

var parts = []part{
	{"calendars", textsOf[schema.Calendar](), (*Set).addCalendar},
	{"stations", textsOf[schema.Station](), (*Set).addStation},
	{"plans", textsOf[schema.Plan](), (*Set).addPlan},
	{"tasks", textsOf[cronjob.Task](), (*Set).addTask},
}

// Read adds the content of a YAML file: lists `calendars`, `stations`, `plans` and `tasks`,
// whose members have the names of calendars.put, stations.put, plans.create and POST /api/v1/tasks. A plan must
// have its plan_id. All errors are returned, each with file and line.
//
// Texts are taken literally from the file: plan_id 007 is not 7. A time without a zone is a
// text, too, which is refused. So is a number that is none in JSON, because YAML reads it
// as another than people do (010 is 8), or not with all its digits.
func (s *Set) Read(name string, in io.Reader) error {
	docs := yaml.NewDecoder(in)
	var errs []error
	for {
		var doc yaml.Node
		err := docs.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return errors.Join(errs...)
		}
		if err != nil { // nothing behind it can be read
			return errors.Join(append(errs, fmt.Errorf("%s: %s", name, spoken(err)))...)
		}
		err = s.document(name, &doc)
		if errors.Is(err, errBackup) {
			return err
		}
		errs = append(errs, err)
	}
}

var errBackup = errors.New("here is a backup that export wrote; \"stationmaster import -f\" restores it")

func (s *Set) document(name string, doc *yaml.Node) error {
	root := doc.Content[0]
	switch {
	case isNull(root):
		return nil
	case root.Kind != yaml.MappingNode:
		return fmt.Errorf("%s:%d: here is no map; a file has the lists %s, such as \"plans:\"", name, root.Line, listed())
	}
	var errs []error
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], resolved(root.Content[i+1])
		where := fmt.Sprintf("%s:%d", name, key.Line)
		p := partOf(key.Value)
		switch {
		case key.Value == "stationmaster":
			return fmt.Errorf("%s: %w", where, errBackup)
		case p == nil:
			errs = append(errs, fmt.Errorf("%s: unknown list %q; a file has %s%s", where, key.Value, listed(), nearest(key.Value)))
		case seen[p.name]:
			errs = append(errs, fmt.Errorf("%s: %s is given twice in one document", where, p.name))
		case isNull(value):
		case value.Kind != yaml.SequenceNode:
			errs = append(errs, fmt.Errorf("%s: %s takes a list, each member of which begins with \"- \"", where, p.name))
		default:
			errs = append(errs, s.list(name, p, value))
		}
		seen[key.Value] = true
	}
	return errors.Join(errs...)
}

func (s *Set) list(name string, p *part, of *yaml.Node) error {
	var errs []error
	for _, n := range of.Content {
		where := fmt.Sprintf("%s:%d", name, n.Line)
		v, err := valueOf(resolved(n), p.texts)
		if err == nil {
			err = p.add(s, where, v)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	return errors.Join(errs...)
}

// valueOf turns YAML into JSON.
func valueOf(n *yaml.Node, texts map[string]bool) (wire.Value, error) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			if texts[n.Content[i].Value] {
				asText(n.Content[i+1])
			}
		}
	}
	if err := literal(n); err != nil {
		return wire.Value{}, err
	}
	var decoded any
	if err := n.Decode(&decoded); err != nil { // such as a member twice, or aliases that go in circles
		return wire.Value{}, errors.New(spoken(err))
	}
	value, err := readNode(n)
	if err != nil {
		return wire.Value{}, err
	}
	return wire.ValueOf(wire.JSON, value)
}

// readNode reads a node that could be decoded, with numbers in the digits of the file.
func readNode(n *yaml.Node) (any, error) {
	switch n = resolved(n); n.Kind {
	case yaml.MappingNode:
		return readMap(n)
	case yaml.SequenceNode:
		list := []any{}
		for _, inner := range n.Content {
			element, err := readNode(inner)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		return list, nil
	}
	if isNumber(n) {
		number, _ := jsonNumber(n.Value)
		return number, nil
	}
	var scalar any
	err := n.Decode(&scalar)
	return scalar, err
}

// readMap reads a map. Its own members override those that are merged into it (<<), and of
// the latter the first map wins.
func readMap(n *yaml.Node) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		from := []*yaml.Node{n.Content[i+1]}
		if inner := resolved(from[0]); inner.Kind == yaml.SequenceNode {
			from = inner.Content
		}
		for _, one := range slices.Backward(from) {
			merged, err := readMap(resolved(one))
			if err != nil {
				return nil, err
			}
			maps.Copy(m, merged)
		}
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() == "!!merge" {
			continue
		}
		member, err := readNode(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		m[n.Content[i].Value] = member
	}
	return m, nil
}

func isNumber(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float")
}

// jsonNumber is a number of YAML in JSON, with the same digits; false: it is none.
func jsonNumber(text string) (wire.Value, bool) {
	sign := ""
	switch rest, negative := strings.CutPrefix(text, "-"); {
	case negative:
		sign, text = "-", rest
	default:
		text = strings.TrimPrefix(text, "+")
	}
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	v, err := wire.ScanAs(wire.JSON, []byte(sign+text), wire.Limits{})
	return v, err == nil && (v.Kind() == wire.KindInt || v.Kind() == wire.KindFloat)
}

// asText makes YAML read a scalar, or those of a list or a map, as literal texts.
func asText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		n.Tag = "!!str"
		n.Style |= yaml.DoubleQuotedStyle // as if it stood in quotes
	}
	for i, inner := range n.Content {
		if n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode && i%2 == 1 {
			asText(inner)
		}
	}
}

// literal makes YAML read times as texts, because it takes one without a zone for one of
// UTC, and refuses a number that YAML reads as another than its author. Tags, and names of
// members that are no texts, have no meaning in plans.
func literal(n *yaml.Node) error {
	if n.Style&yaml.TaggedStyle != 0 {
		return fmt.Errorf("line %d: a tag before a value means nothing here; leave it out", n.Line)
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			switch key := n.Content[i]; {
			case key.Kind != yaml.ScalarNode:
				return fmt.Errorf("line %d: the name of a member is a text, and here is a list or a map", key.Line)
			case key.ShortTag() != "!!str" && key.ShortTag() != "!!merge":
				return fmt.Errorf("line %d: the name of a member is a text: write \"%s\", in quotes", key.Line, key.Value)
			}
		}
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp":
		n.Tag = "!!str"
	case isNumber(n): // 08 is no octal number, and so a float
		if _, ok := jsonNumber(n.Value); !ok {
			return noNumber(n)
		}
	case isEndless(n):
		return fmt.Errorf("line %d: %s is too large a number: no number is above 1.7e308; put it in quotes if it is a text", n.Line, n.Value)
	}
	for _, inner := range n.Content {
		if err := literal(inner); err != nil {
			return err
		}
	}
	return nil
}

// isEndless reports whether a number is too large for a float64, so that YAML takes it for
// a text.
func isEndless(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Style&quoted != 0 {
		return false
	}
	_, err := strconv.ParseFloat(n.Value, 64)
	return errors.Is(err, strconv.ErrRange)
}

// noNumber is the error about a number that only YAML reads as one.
func noNumber(n *yaml.Node) error {
	digits := strings.TrimLeft(n.Value, "+-")
	if len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9' {
		return fmt.Errorf("line %d: %s is read as another number by YAML; write it without the leading zero, or in quotes if it is a text", n.Line, n.Value)
	}
	return fmt.Errorf("line %d: %s is read as a number by YAML, and is none in JSON; write its decimal digits, or put it in quotes if it is a text", n.Line, n.Value)
}

// textsOf are the members of a T that are texts, or lists or maps of them.
func textsOf[T any]() map[string]bool {
	texts := map[string]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for f := range t.Fields() {
			if f.Anonymous {
				add(f.Type)
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			of := f.Type
			if of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
				of = of.Elem()
			}
			if name != "" && of == reflect.TypeFor[string]() {
				texts[name] = true
			}
		}
	}
	add(reflect.TypeFor[T]())
	return texts
}

func partOf(name string) *part {
	for i := range parts {
		if parts[i].name == name {
			return &parts[i]
		}
	}
	return nil
}

// nearest suggests the list that may be meant.
func nearest(name string) string {
	near := wire.Nearest(name, func(yield func(string) bool) {
		for i := range parts {
			if !yield(parts[i].name) {
				return
			}
		}
	})
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

func listed() string {
	names := make([]string, len(parts))
	for i := range parts {
		names[i] = parts[i].name
	}
	return strings.Join(names, ", ")
}

// resolved is the target of an alias, or the node itself.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// spoken is an error of the YAML library without its own words.
func spoken(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimSpace(strings.TrimPrefix(text, "unmarshal errors:"))
	switch {
	case strings.Contains(text, "found character that cannot start any token"):
		line, _, _ := strings.Cut(text, ":")
		return line + ": a tab, or another character that begins nothing in YAML: lines are indented by spaces, and a text that begins with @, % or ` stands in quotes, as in cron: \"@daily\""
	case strings.Contains(text, "already defined"):
		return repeatedKey.ReplaceAllString(text, "member $1 is given twice, first in line $2")
	case strings.Contains(text, "unknown anchor"):
		return unknownAnchor.ReplaceAllString(text, "*$1 refers to nothing here: a text that begins with * or & stands in quotes, as in cron: \"*/5 * * * *\"")
	case strings.Contains(text, "!!"):
		return "a value does not fit its place, or the tag before it"
	}
	line, said, is := strings.Cut(text, ": ")
	if !is || !strings.HasPrefix(line, "line ") {
		line, said = "", text
	} else {
		line += ": "
	}
	for _, w := range yamlWords {
		if strings.Contains(said, w.raw) {
			said = w.by
		}
	}
	return "this is no YAML: " + line + said
}

const otherwise = "a line is indented otherwise than its neighbours, or lacks its colon"

// repeatedKey and unknownAnchor match texts of the YAML library, with the word of the user.
var (
	repeatedKey   = regexp.MustCompile(`mapping key (\S+) already defined at line (\d+)`)
	unknownAnchor = regexp.MustCompile(`unknown anchor '([^']*)' referenced`)
)

// yamlWords are texts of the YAML library, and those for users in their place.
var yamlWords = []struct{ raw, by string }{
	{"could not find expected ':'", otherwise},
	{"did not find expected key", otherwise},
	{"did not find expected '-' indicator", otherwise},
	{"mapping values are not allowed in this context", otherwise + "; a text with a colon and a space in it stands in quotes"},
	{"did not find expected node content", "a value is missing, or a list or a map in brackets is not closed"},
	{"did not find expected ',' or ']'", "a list in brackets is not closed, or lacks a comma"},
	{"did not find expected ',' or '}'", "a map in braces is not closed, or lacks a comma"},
	{"did not find expected alphabetic or numeric character", `a text that begins with * or & stands in quotes, as in cron: "* * * * *"`},
	{"found a tab character that violates indentation", "a tab stands where the line is indented; YAML takes spaces there"},
	{"found unexpected end of stream", "a text in quotes is not closed"},
	{"found unknown escape character", `a text in " has a \ before a character where it means nothing; write it in '`},
}
