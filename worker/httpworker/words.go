package httpworker

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// words are the values of the words of a template, by name.
type words map[string]string

// numbers are the words that a JSON body may hold outside of a text.
var numbers = map[string]bool{"attempt": true, "occurrence": true}

func wordsOf(x *worker.Execution, call *schema.HTTPCall, callback callback) words {
	name := call.Name
	if name == "" {
		name = x.PlanID
	}
	return words{
		"run_id":         runID(x),
		"task_id":        x.PlanID,
		"name":           name,
		"plan_time":      x.PlanTime.UTC().Format(time.RFC3339Nano),
		"attempt":        strconv.FormatInt(x.Attempt, 10),
		"occurrence":     strconv.FormatInt(x.Occurrence, 10),
		"callback_url":   callback.url,
		"callback_token": callback.token,
	}
}

func runID(x *worker.Execution) string { return x.PlanID + "." + strconv.FormatInt(x.N, 10) }

// An escape writes a word's value as its place in the template demands. It is called for each
// word in turn, with the text in front of it, up to the word before.
type escape func(literal, word, value string) string

// expand puts the words into a template that was checked when its plan was created.
func (w words) expand(text string, escape escape) (string, error) {
	t, err := schema.ParseTemplate(text)
	if err != nil || t.Plain() {
		return text, err
	}
	var b strings.Builder
	for literal, word := range t.Parts() {
		b.WriteString(literal)
		if word != "" {
			b.WriteString(escape(literal, word, w[word]))
		}
	}
	return b.String(), nil
}

// inURL escapes for a path, and behind the question mark for a query.
func inURL() escape {
	path := true
	return func(literal, _, value string) string {
		if path = path && !strings.ContainsAny(literal, "?#"); path {
			return url.PathEscape(value)
		}
		return url.QueryEscape(value)
	}
}

// inJSON escapes within a text. Elsewhere a word is a value of its own: a number, or a
// text with its quotation marks.
func inJSON() escape {
	within := false
	return func(literal, word, value string) string {
		within = endsInText(literal, within)
		text := wire.Text(wire.JSON, value).String()
		switch {
		case within:
			return text[1 : len(text)-1]
		case numbers[word]:
			return value
		default:
			return text
		}
	}
}

// endsInText reports whether a piece of JSON ends within a text; within: it begins in one.
func endsInText(json string, within bool) bool {
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '"':
			within = !within
		case '\\':
			if within {
				i++
			}
		}
	}
	return within
}

func inHeader(_, _, value string) string { return schema.HeaderText(value) }
func inForm(_, _, value string) string   { return url.QueryEscape(value) }
func inMarkup(_, _, value string) string { return html.EscapeString(value) }
func inText(_, _, value string) string   { return value }

const (
	typeJSON = "application/json"
	typeText = "text/plain; charset=utf-8"
)

// bodyType is the escape of words in a body, and its Content-Type, also when the plan has none.
func bodyType(body, named string) (escape, string) {
	kind, _, _ := strings.Cut(strings.ToLower(named), ";")
	switch {
	case strings.Contains(kind, "json"):
		return inJSON(), named
	case strings.Contains(kind, "form-urlencoded"):
		return inForm, named
	case strings.Contains(kind, "xml"), strings.Contains(kind, "html"):
		return inMarkup, named
	case named != "":
		return inText, named
	case strings.HasPrefix(strings.TrimSpace(body), "{"), strings.HasPrefix(strings.TrimSpace(body), "["):
		return inJSON(), typeJSON
	default:
		return inText, typeText
	}
}
