package schema

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The attribution is taken off a request, and one out of bounds is refused.
func TestTakeAttribution(t *testing.T) {
	for _, c := range []struct {
		name, request, rest, code, field string
		want                             Attribution
	}{
		{name: "none", request: `{"n":1}`, rest: `{"n":1}`},
		{name: "both", request: `{"by":"ada","n":1,"note":"a\nb"}`, rest: `{"n":1}`, want: Attribution{By: "ada", Note: "a\nb"}},
		{name: "the longest", request: `{"by":"` + strings.Repeat("b", MaxBy) + `","note":"` + strings.Repeat("n", MaxNote) + `"}`, rest: `{}`,
			want: Attribution{By: strings.Repeat("b", MaxBy), Note: strings.Repeat("n", MaxNote)}},
		{name: "null", request: `{"by":null,"n":1}`, rest: `{"n":1}`},
		{name: "a long name", request: `{"by":"` + strings.Repeat("b", MaxBy+1) + `"}`, code: "too_large", field: "by"},
		{name: "a long note", request: `{"note":"` + strings.Repeat("é", MaxNote/2) + `!"}`, code: "too_large", field: "note"},
		{name: "a line end", request: `{"by":"a\nb"}`, code: "invalid_request", field: "by"},
		{name: "a number", request: `{"note":1}`, code: "invalid_request", field: "note"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := wire.Scan([]byte(c.request), wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got, rest, err := TakeAttribution(v, CodeInvalidRequest)
			if c.code != "" {
				if e, is := err.(Errors); !is || string(e[0].Code) != c.code || e[0].Field != c.field {
					t.Fatalf("%v, want %s in %s", err, c.code, c.field)
				}
				return
			}
			if err != nil || got != c.want || rest.String() != c.rest {
				t.Errorf("%+v, %s, %v; want %+v, %s", got, rest, err, c.want, c.rest)
			}
			if c.want.IsZero() {
				return
			}
			if again, _, err := TakeAttribution(WithAttribution(rest, got), CodeInvalidRequest); err != nil || again != got {
				t.Errorf("put back it is %+v, %v", again, err)
			}
		})
	}
}

// The creator of a plan and the reason are no part of its definition, and held to their
// bounds.
func TestAttributionIsNoPartOfAPlan(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		plain := Plan{PlanID: "p", Station: "s", Command: "c"}
		asked := plain
		asked.Attribution = Attribution{By: "ada", Note: "why"}
		var raw [2]string
		for i, p := range []Plan{plain, asked} {
			v, err := wire.ValueOf(enc, p)
			if err != nil {
				t.Fatal(err)
			}
			d, err := ParsePlan(v, ParseOptions{})
			if err != nil || d.Plan.Attribution != p.Attribution {
				t.Fatalf("%+v, %v", d, err)
			}
			raw[i] = string(d.Raw)
		}
		if raw[0] != raw[1] {
			t.Errorf("%q, and with its creator %q", raw[0], raw[1])
		}
	}
	v, err := wire.ValueOf(wire.JSON, Plan{Station: "s", Command: "c", Attribution: Attribution{By: "a\x01", Note: strings.Repeat("n", MaxNote+1)}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ParsePlan(v, ParseOptions{})
	if errs, is := err.(Errors); !is || len(errs) != 2 || errs[0].Code != CodeTooLarge || errs[1].Field != "by" {
		t.Errorf("%v", err)
	}
}
