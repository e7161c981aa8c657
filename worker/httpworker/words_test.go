package httpworker

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// literals are texts without template words.
var literals = rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "{{") && !strings.HasSuffix(s, "{") })

func fill(t *rapid.T, template string, value string, escape escape) string {
	filled, err := words{"name": value}.expand(template, escape)
	if err != nil {
		t.Fatalf("%q: %v", template, err)
	}
	return filled
}

// The value of a word, whichever it is, stays within the place of the word.
func TestWordsStayInTheirPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := literals.Draw(t, "before"), literals.Draw(t, "after")
		name := rapid.String().Draw(t, "name")

		template, err := json.Marshal(map[string]string{"a" + before: before + "{{name}}" + after, "b": `\"`})
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]string
		filled := fill(t, strings.TrimSuffix(string(template), "}")+`,"c":{{name}}}`, name, inJSON())
		if err := json.Unmarshal([]byte(filled), &body); err != nil {
			t.Fatalf("%s: %v", filled, err)
		}
		if body["a"+before] != before+name+after || body["b"] != `\"` || body["c"] != name || len(body) != 3 {
			t.Fatalf("%s: %q", filled, body)
		}

		filled = fill(t, "http://example.org/a/{{name}}/b?c={{name}}&d=e&{{name}}={{name}}#{{name}}", name, inURL())
		u, err := url.Parse(filled)
		if err != nil {
			t.Fatalf("%s: %v", filled, err)
		}
		segments := strings.Split(u.EscapedPath(), "/")
		query := u.Query()
		segment, _ := url.PathUnescape(segments[2])
		if u.Host != "example.org" || len(segments) != 4 || segment != name || query.Get("c") != name && name != "c" && name != "d" || query.Get("d") == "" {
			t.Fatalf("%s: %+v", filled, u)
		}

		filled = fill(t, before+"{{name}}"+after, name, inHeader)
		value := strings.TrimSuffix(strings.TrimPrefix(filled, before), after)
		if strings.ContainsAny(value, "\r\n\x00") {
			t.Fatalf("header %q", value)
		}

		form, err := url.ParseQuery(fill(t, "a={{name}}&b=c", name, inForm))
		if err != nil || form.Get("a") != name || form.Get("b") != "c" {
			t.Fatalf("form %v, %v", form, err)
		}
	})
}

func TestWordsInMarkup(t *testing.T) {
	var got struct {
		Attr string `xml:"attr,attr"`
		Text string `xml:",chardata"`
	}
	const name = `</a><b c="d">&amp; 'x' ` + "\U0001F600"
	filled, err := words{"name": name}.expand(`<a attr="{{name}}">{{name}}</a>`, inMarkup)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal([]byte(filled), &got); err != nil || got.Attr != name || got.Text != name {
		t.Errorf("%s: %+v, %v", filled, got, err)
	}
}

func TestBodyType(t *testing.T) {
	for _, tt := range []struct{ body, named, want, filled string }{
		{`{"a":"{{name}}"}`, "", "application/json", `{"a":"\"<&>\" ä"}`},
		{` [{{name}}]`, "", "application/json", ` ["\"<&>\" ä"]`},
		{`a={{name}}`, "", "text/plain; charset=utf-8", `a="<&>" ä`},
		{`a={{name}}`, "Application/X-WWW-Form-Urlencoded; charset=utf-8", "", `a=%22%3C%26%3E%22+%C3%A4`},
		{`"{{name}}"`, "application/merge-patch+json", "", `"\"<&>\" ä"`},
		{`<a>{{name}}</a>`, "application/soap+xml", "", `<a>&#34;&lt;&amp;&gt;&#34; ä</a>`},
		{`{"{{name}}`, "text/csv", "", `{""<&>" ä`},
	} {
		escape, contentType := bodyType(tt.body, tt.named)
		filled, err := words{"name": `"<&>" ä`}.expand(tt.body, escape)
		if err != nil || filled != tt.filled {
			t.Errorf("%s as %q: %s, %v", tt.body, tt.named, filled, err)
		}
		if tt.want == "" {
			tt.want = tt.named
		}
		if contentType != tt.want {
			t.Errorf("%s: %q", tt.body, contentType)
		}
	}
}

func TestForgetKeepsNoSecret(t *testing.T) {
	h := http.Header{"Authorization": {"x"}, "Cookie": {"x"}, "X-Api-Key": {"x"}, "X-Callback-Token": {"x"}, "Referer": {"x"},
		"X-Run-Id": {"r"}, "Idempotency-Key": {"k"}}
	forget(h)
	if len(h) != 2 || h.Get("X-Run-Id") == "" || h.Get("Idempotency-Key") == "" {
		t.Errorf("left %v", h)
	}
}
