package schema_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// For each field, the page of all fields has the kinds of stations at which it has a
// meaning; at the others it is reported, and no other field is.
func TestFieldsWithoutEffectAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	of, _, _ := strings.Cut(string(page), "plans.update")
	kinds := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|(?: [^|]*\\|)+ ((?:pull|vote|pub|api)(?: and (?:pull|vote|pub|api))*): ").FindAllStringSubmatch(of, -1) {
		kinds[row[1]] = row[2]
	}
	if len(kinds) < 9 {
		t.Fatalf("the page has only %v", kinds)
	}
	for _, kind := range []schema.Kind{schema.KindAPI, schema.KindPull, schema.KindPub, schema.KindVote} {
		for field, at := range kinds {
			idle := schema.IdleAt(wire.Trust(wire.JSON, []byte(`{"station":"s","`+field+`":7}`)), kind)
			if want := !strings.Contains(at, string(kind)); (len(idle) == 1 && idle[0].Name == field) != want {
				t.Errorf("%s at %s: %v; the page has %s", field, kind, idle, at)
			}
		}
	}
	for _, body := range []string{`{"worker_count":1}`, `{"worker_count":0}`, `{"worker_count":null,"voters":null}`, `{}`, `{"exec_timeout":1,"retry":{}}`} {
		if idle := schema.IdleAt(wire.Trust(wire.JSON, []byte(body)), schema.KindPub); len(idle) > 0 {
			t.Errorf("%s: %v", body, idle)
		}
	}
}

// Fields of a plan that its type or retry strategy has no use for are idle, unless they have the
// value that holds anyway; those of other types are not.
func TestIdleFields(t *testing.T) {
	for plan, want := range map[string]string{
		`"plan_time":"2030-01-01T00:00:00Z","plan_type":"none"`:                                                   "plan_time",
		`"plan_type":"none","plan_value":5,"plan_repet":-1`:                                                       "plan_value plan_repet",
		`"plan_type":"none","plan_value":0,"plan_repet":1,"plan_time":0`:                                          "",
		`"plan_type":"time","plan_time":"2030-01-01T00:00:00Z","plan_repet":5,"plan_value":4`:                     "plan_value plan_repet",
		`"plan_type":"cron","cron":"0 9 * * *","plan_time":"2030-01-01T00:00:00Z","plan_value":7`:                 "plan_time plan_value",
		`"plan_type":"cron","cron":" @Every 90s","plan_time":"2030-01-01T00:00:00Z"`:                              "",
		`"plan_type":"cron","cron":"0 9 * * *","plan_repet":3`:                                                    "",
		`"plan_type":"week","plan_value":1,"plan_repet":-1,"plan_time":"2030-01-01T09:00:00Z"`:                    "",
		`"plan_type":"second","plan_value":1,"plan_repet":-1,"plan_time":"2030-01-01T09:00:00Z"`:                  "",
		`"retry":{"strategy":"none","max_error_count":5,"interval":3,"max_interval":9,"jitter":1,"sequence":[1]}`: "retry.interval retry.sequence retry.max_interval retry.max_error_count retry.jitter",
		`"retry":{"strategy":"none","max_error_count":0,"need_manual":true}`:                                      "",
		`"retry":{"strategy":"exponential","max_error_count":5,"interval":3,"max_interval":9,"jitter":1}`:         "",
	} {
		d, err := schema.ParsePlan(wire.Trust(wire.JSON, []byte(`{"station":"s","command":"c","plan_id":"p",`+plan+`}`)), schema.ParseOptions{})
		if err != nil {
			t.Errorf("%s: %v", plan, err)
			continue
		}
		if got := strings.Join(d.Plan.IdleFields(), " "); got != want {
			t.Errorf("%s: idle are %q, want %q", plan, got, want)
		}
	}
}
