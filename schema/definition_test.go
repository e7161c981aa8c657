package schema

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stationmaster-io/stationmaster/internal/wiretest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const sentPlan = `{ "plan_type" : 2, "plan_value":10 , "plan_repet":1e2,"messages":[ "f" , {"a": 1.50}],"command":"greet",
	"labels":{"b":"2", "a":"1"},"on_conflict":"keep","paused":null,"tenant_id":17,"station":"hello","ext":5,"creator":4}`

func TestDefinitionIsLaidOut(t *testing.T) {
	d, err := ParsePlan(scanned(t, sentPlan), ParseOptions{NewID: func() string { return "P1" }})
	if err != nil {
		t.Fatal(err)
	}
	shared := `"plan_id":"P1","station":"hello","command":"greet","tenant_id":"17",` +
		`"labels":{"b":"2", "a":"1"},"ext":5,"messages":[ "f" , {"a": 1.50}]`
	want := "{" + shared + `,"plan_type":2,"plan_value":10,"plan_repet":1e2,"creator":"4"}`
	if diff := cmp.Diff(want, string(d.Raw)); diff != "" {
		t.Errorf("Raw:\n%s", diff)
	}
	if diff := cmp.Diff(shared, string(d.Shared)); diff != "" || d.SharedCount != 7 {
		t.Errorf("Shared, %d members:\n%s", d.SharedCount, diff)
	}
	if d.Plan.OnConflict != ConflictKeep || d.Plan.PlanType != TypeSecond || *d.Plan.PlanRepet != 100 || d.Plan.TenantID != "17" {
		t.Errorf("Plan = %+v", d.Plan)
	}
	brief, count := WithoutMessages(d.Enc, d.Shared)
	if want := strings.TrimSuffix(shared, `,"messages":[ "f" , {"a": 1.50}]`); string(brief) != want || count != 6 {
		t.Errorf("without messages: %d members, %s", count, brief)
	}
}

// A definition reads back from the store as it was parsed, in either encoding, and its
// shared part gives the same in both.
func TestLoadDefinition(t *testing.T) {
	for _, plan := range []string{sentPlan, `{"station":"s","command":"c"}`, typicalPlan, planWith("messages", "[]")} {
		var bodies []any
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			v := scanned(t, plan).In(enc)
			parsed, err := ParsePlan(v, ParseOptions{NewID: func() string { return "P1" }})
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Raw() {
				v.Raw()[i] = 'x' // the definition holds nothing of the request
			}
			loaded, err := LoadDefinition(parsed.Raw)
			if err != nil {
				t.Fatal(err)
			}
			parsed.Plan.OnConflict = "" // no part of the definition
			if diff := cmp.Diff(parsed, loaded, wiretest.SameValues); diff != "" {
				t.Errorf("%s:\n%s", plan, diff)
			}
			var w wire.Writer
			w.Reset(enc, nil)
			(&Execution{Occurrence: 1, Attempt: 1, Exec: "1-" + nonce, PlanTime: due}).AppendTo(&w, loaded.Shared, loaded.SharedCount)
			body := scanned(t, string(w.Bytes()))
			bodies = append(bodies, body.In(wire.JSON).In(wire.MsgPack).Field("messages").Any())
		}
		if diff := cmp.Diff(bodies[0], bodies[1]); diff != "" {
			t.Errorf("%s: the encodings differ:\n%s", plan, diff)
		}
	}
}

// A definition without its messages is still a definition, otherwise the same; ext goes
// too when it is too large.
func TestLeanDefinition(t *testing.T) {
	for _, plan := range []string{
		sentPlan, typicalPlan, `{"station":"s","command":"c"}`, `{"station":"s","command":"c","messages":["m"]}`,
		planWith("messages", "[]"), planWith("messages", `["m",{"a":[1,2]}]`, "ext", `{"x":"y"}`),
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			for _, most := range []int{1, MaxDefinitionBytes} {
				d, err := ParsePlan(scanned(t, plan).In(enc), ParseOptions{NewID: func() string { return "P1" }})
				if err != nil {
					t.Fatal(err)
				}
				lean(t, d, most)
			}
		}
	}
}

// lean checks the lean form of d where so many bytes may be shared.
func lean(t *testing.T, d *Definition, most int) {
	t.Helper()
	raw := d.Lean(most)
	is, err := LoadDefinition(raw)
	if err != nil {
		t.Fatalf("%q became %q: %v", d.Raw, raw, err)
	}
	if v, err := wire.ScanAs(d.Enc, raw, wire.Limits{Items: len(raw)}); err != nil || !v.Field("messages").IsZero() {
		t.Fatalf("%q became %q: %v", d.Raw, raw, err)
	}
	want := d.Plan
	want.Messages, want.OnConflict = nil, ""
	if brief, _ := WithoutMessages(d.Enc, d.Shared); len(brief) > most {
		want.Ext = wire.Value{}
	}
	if diff := cmp.Diff(want, is.Plan, wiretest.SameValues); diff != "" {
		t.Fatalf("%q became %q:\n%s", d.Raw, raw, diff)
	}
	if shared, count := SharedOf(d.Enc, raw); string(shared) != string(is.Shared) || count != is.SharedCount {
		t.Fatalf("%q shares %d members, %q", raw, count, shared)
	}
}

// The last members go first, and the plan's name never.
func TestSharedMembersFit(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		v := scanned(t, `{"messages":["`+long+`"],"ext":"`+long+`","description":"`+long+`","command":"c","station":"s","plan_id":"p"}`)
		d, err := ParsePlan(v.In(enc), ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			most int
			want []string
		}{
			{1000, []string{"plan_id", "station", "command", "description", "ext", "messages"}},
			{350, []string{"plan_id", "station", "command", "description", "ext"}},
			{200, []string{"plan_id", "station", "command", "description"}},
			{100, []string{"plan_id", "station", "command"}},
			{1, []string{"plan_id", "station"}},
		} {
			within, count := FitShared(enc, d.Shared, d.SharedCount, tt.most)
			var names []string
			for name := range wire.MapOf(enc, within, count).Map() {
				names = append(names, name)
			}
			if diff := cmp.Diff(tt.want, names); diff != "" {
				t.Errorf("%v, %d bytes:\n%s", enc, tt.most, diff)
			}
			if len(tt.want) > 2 && len(within) > tt.most {
				t.Errorf("%v: %d bytes, %d were allowed", enc, len(within), tt.most)
			}
		}
	}
}

func TestLoadDefinitionRefusesWhatIsNone(t *testing.T) {
	for _, raw := range []string{"", "x", "[]", `{"plan_value":"x"}`, `{"a":1`, "\x81"} {
		if d, err := LoadDefinition([]byte(raw)); err == nil {
			t.Errorf("%q is %+v", raw, d)
		}
	}
}

// vectors are the plans of the calendar's vectors, which have all kinds of times.
func vectors(f *testing.F) (plans []string) {
	f.Helper()
	data, err := os.ReadFile("../scheduler/calendar/testdata/plan_times.json")
	if err != nil {
		f.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Plan map[string]any `json:"plan"`
		} `json:"vectors"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		f.Fatal(err)
	}
	for _, v := range file.Vectors {
		v.Plan["station"], v.Plan["command"] = "s", "c"
		body, err := json.Marshal(v.Plan)
		if err != nil {
			f.Fatal(err)
		}
		plans = append(plans, string(body))
	}
	return plans
}

// FuzzParsePlan checks that no request makes a check panic, and that a plan that passes reads
// back, and runs through terms and encoders.
func FuzzParsePlan(f *testing.F) {
	f.Add([]byte(sentPlan))
	f.Add([]byte(typicalPlan))
	f.Add([]byte(planWith("plan_type", `"cron"`, "cron", `"@daily"`, "timezone", `"UTC"`)))
	f.Add(scanned(f, typicalPlan).In(wire.MsgPack).Raw())
	f.Add([]byte("\xdf\x0f\xff\xff\xff"))
	f.Add([]byte(`{"station":"a","command":"b","plan_type":"none","retry":{"sequence":[]},"messages":[],"worker_ids":[],"labels":{}}`))
	for _, body := range frozen(f, "plan") {
		f.Add(body)
	}
	for _, plan := range vectors(f) {
		f.Add([]byte(plan))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := wire.Scan(body, wire.Limits{})
		if err != nil {
			return
		}
		d, err := ParsePlan(v, ParseOptions{})
		if err != nil {
			for _, e := range err.(Errors) {
				if e.Message == "" || e.Code == "" || len(e.Message) > 500 {
					t.Fatalf("%q: %+v", body, e)
				}
			}
			return
		}
		loaded, err := LoadDefinition(d.Raw)
		if err != nil {
			t.Fatalf("%q was laid out as %q: %v", body, d.Raw, err)
		}
		d.Plan.OnConflict, d.Plan.Attribution = "", Attribution{}
		if diff := cmp.Diff(d, loaded, wiretest.SameValues); diff != "" {
			t.Fatal(diff)
		}
		lean(t, d, 100)
		terms := d.Plan.Terms(nil, Defaults{})
		for e := range int64(70) {
			if delay, ok := terms.Retry.Delay(e+1, 0.99); ok && delay < 0 {
				t.Fatalf("%q: delay %d is %v", body, e+1, delay)
			}
		}
		var w wire.Writer
		w.Reset(d.Enc, nil)
		(&Result{State: StateOK}).AppendTo(&w, d.Shared, d.SharedCount)
		if _, err := wire.ScanAs(d.Enc, w.Bytes(), wire.Limits{Items: len(w.Bytes())}); err != nil {
			t.Fatalf("a result of %q is %q: %v", body, w.Bytes(), err)
		}
	})
}

func FuzzParseStation(f *testing.F) {
	f.Add([]byte(`{"station":"a.b","kind":"vote","retry":{"strategy":"sequence","sequence":[1]},"voters":3,"quorum":2}`))
	f.Add([]byte("\x81\xa7station\xa1a"))
	f.Add([]byte(`{"station":"a","retry":{"sequence":[]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := wire.Scan(body, wire.Limits{})
		if err != nil {
			return
		}
		s, err := ParseStation(v)
		if err != nil {
			return
		}
		stored, err := wire.ValueOf(wire.MsgPack, s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseStation(stored)
		if err != nil {
			t.Fatalf("%q is stored as %s: %v", body, stored, err)
		}
		if diff := cmp.Diff(s, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
