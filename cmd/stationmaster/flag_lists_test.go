package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// All text behind the first = is the value.
func TestLabelsOfFlags(t *testing.T) {
	type labels = map[string]string
	for _, c := range []struct {
		typed   []string
		want    labels
		refused string
	}{
		{[]string{"team=blue"}, labels{"team": "blue"}, ""},
		{[]string{`k="q"`}, labels{"k": `"q"`}, ""},
		{[]string{`note="hello world"`}, labels{"note": `"hello world"`}, ""},
		{[]string{`k=a"`}, labels{"k": `a"`}, ""},
		{[]string{"k='a'"}, labels{"k": "'a'"}, ""},
		{[]string{"url=http://x/?a=1,b=2"}, labels{"url": "http://x/?a=1,b=2"}, ""},
		{[]string{"to=x,y"}, labels{"to": "x,y"}, ""},
		{[]string{`a="1",b=2`}, labels{"a": `"1",b=2`}, ""},
		{[]string{"eq=a=b"}, labels{"eq": "a=b"}, ""},
		{[]string{"empty="}, labels{"empty": ""}, ""},
		{[]string{" a = b "}, labels{" a ": " b "}, ""},
		{[]string{"a=1,b=2"}, labels{"a": "1", "b": "2"}, ""}, // several, as in a variable
		{[]string{"größe=1,x.y/z-1=a b"}, labels{"größe": "1", "x.y/z-1": "a b"}, ""},
		{[]string{"a=1", "b=2,c=3"}, labels{"a": "1", "b": "2", "c": "3"}, ""},
		{[]string{"a=1", "a=2"}, nil, `a is there already, as "1": a label has one value`},
		{[]string{"a=1,a=1"}, nil, "a is there already"},
		{[]string{"a"}, nil, "give NAME=VALUE"},
		{[]string{"=a"}, nil, "give NAME=VALUE"},
		{[]string{""}, nil, "give NAME=VALUE"},
	} {
		var got labels
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		labelsVar(fs, &got, "label", "")
		var err error
		for _, text := range c.typed {
			if err == nil {
				err = fs.Set("label", text)
			}
		}
		switch {
		case c.refused != "":
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%q: %v, %v; want %q", c.typed, got, err, c.refused)
			}
		case err != nil || !cmp.Equal(got, c.want):
			t.Errorf("%q: %v, %v; want %v", c.typed, got, err, c.want)
		}
	}
}

func TestListsOfFlags(t *testing.T) {
	for _, c := range []struct{ typed, want []string }{
		{[]string{"a,b", "c"}, []string{"a", "b", "c"}},
		{[]string{`say "hi"`, `"`}, []string{`say "hi"`, `"`}},
		{[]string{""}, nil},
		{[]string{"a,"}, []string{"a", ""}}, // the user of the list refuses it
	} {
		var got []string
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		listVar(fs, &got, "list", "")
		for _, text := range c.typed {
			if err := fs.Set("list", text); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if !cmp.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
}

// No flag reads its text as comma-separated values (CSV), in which quotes vanish.
func TestNoFlagIsReadAsATable(t *testing.T) {
	walk(newRoot(func() {}), nil, func(cmd *cobra.Command, path []string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "stringToString", "stringSlice":
				_, labels := f.Value.(*labelsValue)
				if _, list := f.Value.(*listValue); !labels && !list {
					t.Errorf("%q --%s is a %T", path, f.Name, f.Value)
				}
			}
		})
	})
}
