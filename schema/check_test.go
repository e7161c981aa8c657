package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// planWith is a plan of type second with some members replaced or added; a value
// of "-" leaves the member out.
func planWith(members ...string) string {
	m := map[string]string{
		"station": `"hello"`, "command": `"greet"`, "plan_type": `"second"`, "plan_value": "10", "plan_repet": "-1",
	}
	for i := 0; i < len(members); i += 2 {
		if members[i+1] == "-" {
			delete(m, members[i])
		} else {
			m[members[i]] = members[i+1]
		}
	}
	var b strings.Builder
	for name, value := range m {
		fmt.Fprintf(&b, ",%q:%s", name, value)
	}
	return "{" + b.String()[1:] + "}"
}

func TestParsePlanRefuses(t *testing.T) {
	long := `"` + strings.Repeat("x", 4097) + `"`
	for _, c := range []struct {
		plan, field, message string
	}{
		{planWith("station", "-"), "station", "station is missing; it names where executions go"},
		{planWith("station", `""`), "station", "station is missing; it names where executions go"},
		{planWith("station", `"a..b"`), "station", "station has a dot at an end or two in a row; single dots join its parts"},
		{planWith("station", `".a"`), "station", "station has a dot at an end or two in a row; single dots join its parts"},
		{planWith("station", `"a."`), "station", "station has a dot at an end or two in a row; single dots join its parts"},
		{planWith("station", `"a b"`), "station", "station holds ' '; letters, digits, _ and - joined by single dots are allowed"},
		{planWith("station", `"a.>"`), "station", "station holds '>'; letters, digits, _ and - joined by single dots are allowed"},
		{planWith("station", `"`+strings.Repeat("a", 129)+`"`), "station", "station has 129 bytes; at most 128 are allowed"},
		{planWith("plan_id", `"a.b"`), "plan_id", "plan_id holds '.'; letters, digits, _ and - are allowed"},
		{planWith("plan_id", `"é"`), "plan_id", "plan_id holds 'é'; letters, digits, _ and - are allowed"},
		{planWith("plan_id", `"*a"`), "plan_id", "plan_id holds '*'; letters, digits, _ and - are allowed"},
		{planWith("plan_id", `1.5`), "plan_id", "plan_id takes a text, not a number"},
		{planWith("command", "-"), "command", "command is missing; it names the work of the station's workers"},
		{planWith("command", `"a\nb"`), "command", `command holds the control character '\n', which is not allowed`},
		{planWith("caller", `"a\u0000"`), "caller", `caller holds the control character '\x00', which is not allowed`},
		{planWith("request_id", `"a\u007f"`), "request_id", `request_id holds the control character '\x7f', which is not allowed`},
		{planWith("comand", `"x"`), "comand", `unknown field "comand"; did you mean "command"?`},
		{planWith("Station", `"x"`), "Station", `unknown field "Station"; did you mean "station"?`},
		{planWith("messages", `"x"`), "messages", "messages takes a list, not a text"},
		{planWith("plan_type", `"seconds"`), "plan_type", `plan_type is "seconds"; it takes none, time, second, minute, hour, day, week, month, cron; did you mean "second"?`},
		{planWith("plan_type", "8"), "plan_type", "plan_type takes a word such as second or cron, or a number 0 to 7"},
		{planWith("plan_type", "-"), "plan_type", "plan_type is missing; without it a plan runs once, at once, and needs no schedule"},
		{planWith("plan_type", "-", "cron", `"* * * * *"`), "plan_type", `plan_type is missing; with a cron expression it is "cron"`},
		{planWith("plan_value", "-"), "plan_value", "plan_value is missing; a plan of type second takes 0 to 32766"},
		{planWith("plan_value", "-1"), "plan_value", "plan_value is -1; a plan of type second takes 0 to 32766"},
		{planWith("plan_value", "32767"), "plan_value", "plan_value is 32767; a plan of type second takes 0 to 32766"},
		{planWith("plan_value", "1.5"), "plan_value", "plan_value takes a whole number, not 1.5"},
		{planWith("plan_type", "6", "plan_value", "7"), "plan_value", "plan_value is 7; a plan of type week takes 0 to 6"},
		{planWith("plan_type", `"month"`, "plan_value", "-32"), "plan_value", "plan_value is -32; a plan of type month takes -31 to 31"},
		{planWith("plan_repet", "-"), "plan_repet", "plan_repet is missing; a plan of type second takes -1 (for ever) or how many occurrences it has"},
		{planWith("plan_repet", "0"), "plan_repet", "plan_repet is 0; a plan of type second takes -1 (for ever) or how many occurrences it has"},
		{planWith("plan_repet", "-2"), "plan_repet", "plan_repet is -2; a plan of type second takes -1 (for ever) or how many occurrences it has"},
		{planWith("plan_type", `"cron"`, "cron", `"* * * * *"`, "plan_repet", "0"), "plan_repet", "plan_repet is 0; a plan of type cron takes -1 (for ever) or how many occurrences it has"},
		{planWith("plan_type", `"cron"`), "cron", "cron is missing; a plan of type cron takes an expression such as */5 * * * *"},
		{planWith("cron", `"* * * * *"`), "cron", "cron belongs to plan_type cron; this plan is of type second"},
		{planWith("plan_type", `"time"`), "plan_time", "plan_time is missing; a plan of type time is due then"},
		{planWith("plan_type", `"time"`, "plan_time", "0"), "plan_time", "plan_time is missing; a plan of type time is due then"},
		{planWith("plan_time", `"soon"`), "plan_time", "plan_time takes a time, RFC 3339 such as 2026-03-01T10:00:00Z, or Unix seconds"},
		{planWith("plan_time", "-1"), "plan_time", "plan_time lies in the year 1969; it takes 1970 to 9999"},
		{planWith("timezone", `"UTC"`), "timezone", "timezone belongs to plan_type cron, week and month, and to the days of calendars; all others count elapsed time"},
		{planWith("plan_type", `"week"`, "plan_value", "1", "timezone", `"Mars/Olympus"`), "timezone", `timezone "Mars/Olympus" is no IANA name such as Europe/Berlin or UTC`},
		{planWith("plan_type", `"week"`, "plan_value", "1", "timezone", `"Local"`), "timezone", `timezone "Local" is no IANA name such as Europe/Berlin or UTC`},
		{planWith("plan_type", `"week"`, "plan_value", "1", "timezone", `"../etc/passwd"`), "timezone", `timezone "../etc/passwd" is no IANA name such as Europe/Berlin or UTC`},
		{planWith("start_at", `"2026-03-02T00:00:00Z"`, "end_at", `"2026-03-01T00:00:00Z"`), "end_at", "end_at lies before start_at; no occurrence would count"},
		{planWith("jitter", "-1"), "jitter", "jitter is -1; it takes 0 to 86400 seconds"},
		{planWith("jitter", "3599996400"), "jitter", "jitter is 3599996400; it takes 0 to 86400 seconds"},
		{planWith("jitter", "86401"), "jitter", "jitter is 86401; it takes 0 to 86400 seconds"},
		{planWith("overlap", `"never"`), "overlap", `overlap is "never"; it takes skip, queue, cancel_prev, parallel, allow`},
		{planWith("failure", `"SKIP"`), "failure", `failure is "SKIP"; it takes run_new, skip, retry; did you mean "skip"?`},
		{planWith("concurrency", `"wait"`), "concurrency", `concurrency is "wait"; it takes queue, skip, parallel`},
		{planWith("catch_up", `"all"`), "catch_up", `catch_up is "all"; it takes none, compact, full`},
		{planWith("on_unknown", `"x"`), "on_unknown", `on_unknown is "x"; it takes redo, skip, hold`},
		{planWith("log", `"x"`), "log", `log is "x"; it takes none, trigger, full`},
		{planWith("on_conflict", `"x"`), "on_conflict", `on_conflict is "x"; it takes error, keep, update`},
		{planWith("priority", "10"), "priority", "priority is 10; it takes 0 to 9, 9 first"},
		{planWith("priority", "-1"), "priority", "priority is -1; it takes 0 to 9, 9 first"},
		{planWith("max_concurrency", "-1"), "max_concurrency", "max_concurrency is -1; it takes 0 or more"},
		{planWith("exec_timeout", "-1"), "exec_timeout", "exec_timeout is -1; it takes 0 (none) to 315360000 seconds"},
		{planWith("exec_timeout", "0.0001"), "exec_timeout", "exec_timeout is 0.0001 seconds, in which nothing can be done; the shortest is 0.001"},
		{planWith("start_timeout", "1e-9"), "start_timeout", "start_timeout is 1e-09 seconds, in which nothing can be done; the shortest is 0.001"},
		{planWith("start_timeout", "1e300"), "start_timeout", "start_timeout is 1e+300; it takes 0 (none) to 315360000 seconds"},
		{planWith("retry", `{"strategy":"always"}`), "retry.strategy", `retry.strategy is "always"; it takes none, fixed_period, sequence, exponential`},
		{planWith("retry", `{"strategi":"none"}`), "retry.strategi", `unknown field "strategi"; did you mean "strategy"?`},
		{planWith("retry", `{"interval":0}`), "retry.interval", "retry.interval is 0; it takes more than 0 seconds, and 315360000 at most"},
		{planWith("retry", `{"max_interval":-1}`), "retry.max_interval", "retry.max_interval is -1; it takes more than 0 seconds, and 315360000 at most"},
		{planWith("retry", `{"interval":10,"max_interval":5}`), "retry.max_interval", "retry.max_interval is 5, less than retry.interval"},
		{planWith("retry", `{"strategy":"sequence"}`), "retry.sequence", "retry.sequence is missing; strategy sequence takes a list of seconds such as [1, 10, 60]"},
		{planWith("retry", `{"sequence":[1]}`), "retry.strategy", `retry.strategy is missing; with a sequence it is "sequence"`},
		{planWith("retry", `{"strategy":"sequence","sequence":[1,-1]}`), "retry.sequence", "retry.sequence: item 2 is -1; delays are 0 to 315360000 seconds"},
		{planWith("retry", `{"strategy":"sequence","sequence":[1,"2"]}`), "retry.sequence", "retry.sequence item 2 takes a number, not a text"},
		{planWith("retry", `{"max_error_count":-1}`), "retry.max_error_count", "retry.max_error_count is -1; it takes 0 or more"},
		{planWith("retry", `{"jitter":1.1}`), "retry.jitter", "retry.jitter is 1.1; it takes 0 to 1, a share of the delay"},
		{planWith("voters", "0"), "voters", "voters is 0; it takes 1 to 64"},
		{planWith("voters", "3", "quorum", "4"), "quorum", "quorum is 4; with voters 3 it takes 1 to 3"},
		{planWith("quorum", "0"), "quorum", "quorum is 0; it takes 1 to 64"},
		{planWith("ping_interval_ms", "0"), "ping_interval_ms", "ping_interval_ms is 0; it takes 1 to 315360000000"},
		{planWith("max_unexpected_retries", "-1"), "max_unexpected_retries", "max_unexpected_retries is -1; it takes 0 or more"},
		{planWith("worker_count", "-1"), "worker_count", "worker_count is -1; it takes 1 to 100"},
		{planWith("worker_ids", `["w1","w 2"]`), "worker_ids", "worker_ids: item 2 holds ' '; letters, digits, _ and - are allowed"},
		{planWith("batch", "-1"), "batch", "batch is -1; it takes 1 to 10000"},
		{planWith("labels", `{"team":5}`), "labels.team", "labels.team takes a text, not a whole number"},
		{planWith("labels", `{"":"x"}`), "labels", "labels holds an empty name"},
		{planWith("no_keep", "1"), "no_keep", "no_keep takes true or false, not a whole number"},
		{planWith("description", long), "description", "description has 4097 bytes; at most 4096 are taken"},
		{planWith("command", long), "command", "command has 4097 bytes; at most 4096 are taken"},
		{`[]`, "", "the request takes a map, not a list"},
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			_, err := ParsePlan(scanned(t, c.plan).In(enc), ParseOptions{})
			var first *Error
			if !errors.As(err, &first) {
				t.Errorf("%s is taken (%v), want %s", c.plan, err, c.message)
				continue
			}
			want := Error{Code: CodeInvalidPlan, Field: c.field, Message: c.message}
			if strings.Contains(c.message, "bytes; at most 4096") {
				want.Code = CodeTooLarge
			}
			if diff := cmp.Diff(want, *first); diff != "" {
				t.Errorf("%.200s:\n%s", c.plan, diff)
			}
			if n := len(err.(Errors)); n != 1 {
				t.Errorf("%.200s has %d errors: %v", c.plan, n, err)
			}
		}
	}
}

func TestParsePlanListsAllErrors(t *testing.T) {
	_, err := ParsePlan(scanned(t, `{"plan_type":"minute","plan_value":"x","cron":"@daily","retry":{"jitter":7},"bogus":1}`), ParseOptions{})
	var fields []string
	for _, e := range err.(Errors) {
		fields = append(fields, e.Field)
	}
	want := []string{"plan_value", "bogus", "station", "command", "plan_repet", "cron", "retry.jitter"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if !errors.Is(err, CodeInvalidPlan) || errors.Is(err, CodeConflict) {
		t.Error("errors.Is does not compare codes")
	}
}

func TestParsePlanTakes(t *testing.T) {
	for _, plan := range []string{
		`{"station":"hello","command":"greet"}`,
		`{"station":"hello","command":"greet","plan_type":0}`,
		`{"station":"a.b-c_D.9","command":"greet","plan_type":"none","plan_repet":0,"plan_value":0,"plan_time":0}`,
		`{"station":"hello","command":"greet","plan_type":1,"plan_time":1772359200,"plan_repet":0}`,
		`{"station":"hello","command":"greet","plan_type":"time","plan_time":"2026-03-01T10:00:00+08:00"}`,
		planWith("plan_value", "0"), planWith("plan_value", "32766"), planWith("plan_repet", "1"),
		planWith("plan_type", `"week"`, "plan_value", "6", "timezone", `"America/New_York"`),
		planWith("plan_type", `7`, "plan_value", "-31", "timezone", `"UTC"`),
		planWith("plan_type", `"cron"`, "cron", `"@daily"`, "plan_repet", "-", "plan_value", "-"),
		planWith("start_at", "1", "end_at", "1"), planWith("description", `"a\nb"`), planWith("overlap", "null"),
		planWith("retry", `{"strategy":"sequence","sequence":[0,1.5]}`), planWith("exec_timeout", "0"), planWith("exec_timeout", "0.001"),
		planWith("plan_id", "12345678901234567890"), planWith("tenant_id", "7"), planWith("messages", "[]"),
		planWith("messages", `[null,1,{"a":[]}]`), planWith("labels", "{}"),
		planWith("description", `"`+strings.Repeat("x", 4096)+`"`),
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			if _, err := ParsePlan(scanned(t, plan).In(enc), ParseOptions{}); err != nil {
				t.Errorf("%s: %v", plan, err)
			}
		}
	}
}

func TestParsePlanOptions(t *testing.T) {
	if _, err := ParsePlan(scanned(t, `{"station":"s"}`), ParseOptions{NoCommand: true}); err != nil {
		t.Errorf("without a command: %v", err)
	}
	d, err := ParsePlan(scanned(t, `{}`), ParseOptions{Preview: true})
	if err != nil || d.Plan.PlanID != "" {
		t.Errorf("a preview: %v, id %q", err, d.Plan.PlanID)
	}
	d, err = ParsePlan(scanned(t, planWith()), ParseOptions{NewID: func() string { return "made" }})
	if err != nil || d.Plan.PlanID != "made" {
		t.Errorf("a made id: %v, %q", err, d.Plan.PlanID)
	}
	large, err := wire.Scan([]byte(planWith("ext", "["+strings.Repeat("1,", 10_000)+"1]")), wire.Limits{Items: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParsePlan(large, ParseOptions{}); err == nil || !strings.Contains(err.Error(), "more than 10000 items") {
		t.Errorf("a plan of too many items within a larger message: %v", err)
	}
	huge := scanned(t, planWith("ext", `"`+strings.Repeat("x", MaxDefinitionBytes)+`"`))
	if _, err := ParsePlan(huge, ParseOptions{}); !errors.Is(err, CodeTooLarge) {
		t.Errorf("a plan above the limit: %v", err)
	}
}

func TestParseStation(t *testing.T) {
	s, err := ParseStation(scanned(t, `{"station":"a.b","retry":{"strategy":"none"},"voters":3,"quorum":2}`))
	want := &Station{Station: "a.b", Kind: KindAPI, Policy: Policy{
		Retry: &Retry{Strategy: RetryNone}, Voters: ptr[int64](3), Quorum: ptr[int64](2),
	}}
	if diff := cmp.Diff(want, s); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, c := range []struct{ station, field, message string }{
		{`{}`, "station", "station is missing; it names where executions go"},
		{`{"station":"a b"}`, "station", "station holds ' '; letters, digits, _ and - joined by single dots are allowed"},
		{`{"station":"a","kind":"push"}`, "kind", `kind is "push"; it takes api, vote, pub, pull`},
		{`{"station":"queue","kind":"pub"}`, "kind", "kind is pub; stationmaster itself works at queue, which takes api"},
		{`{"station":"http","kind":"pull"}`, "kind", "kind is pull; stationmaster itself works at http, which takes api"},
		{`{"station":"http","kind":"push"}`, "kind", `kind is "push"; it takes api, vote, pub, pull`},
		{`{"station":"callback.a","kind":"vote"}`, "kind", "kind is vote; stationmaster itself works at callback.a, which takes api"},
		{`{"station":"a","encoding":"xml"}`, "encoding", `encoding is "xml"; it takes json, msgpack`},
		{`{"station":"a","kinds":"api"}`, "kinds", `unknown field "kinds"; did you mean "kind"?`},
		{`{"station":"a","plan_value":1}`, "plan_value", `unknown field "plan_value"`},
		{`{"station":"a","exec_timeout":0.0009}`, "exec_timeout", "exec_timeout is 0.0009 seconds, in which nothing can be done; the shortest is 0.001"},
		{`{"station":"a","exec_timeout":-1}`, "exec_timeout", "exec_timeout is -1; it takes 0 (none) to 315360000 seconds"},
	} {
		_, err := ParseStation(scanned(t, c.station))
		var first *Error
		if !errors.As(err, &first) {
			t.Errorf("%s is taken", c.station)
			continue
		}
		if diff := cmp.Diff(Error{Code: CodeInvalidRequest, Field: c.field, Message: c.message}, *first); diff != "" {
			t.Errorf("%s:\n%s", c.station, diff)
		}
	}
}

func TestBuiltInStationsTakeAllButAKind(t *testing.T) {
	for _, station := range []string{
		`{"station":"http","max_concurrency":3}`,
		`{"station":"queue","kind":"api","exec_timeout":60}`,
		`{"station":"callback.a","max_concurrency":3}`,
		`{"station":"queue.hold","kind":"pull"}`, // no worker serves it
		`{"station":"https","kind":"pub"}`,
	} {
		if _, err := ParseStation(scanned(t, station)); err != nil {
			t.Errorf("%s: %v", station, err)
		}
	}
}

func TestWireErrors(t *testing.T) {
	_, err := wire.Scan([]byte(`{"a":1,"a":2}`), wire.Limits{})
	if e := WireErrors(CodeInvalidPlan, err); e[0].Code != CodeInvalidPlan || !strings.Contains(e[0].Message, `"a" is given twice`) {
		t.Errorf("a syntax error is %v", e)
	}
	_, err = wire.Scan([]byte(`{"a":1,"a":2}`), wire.Limits{Bytes: 3})
	if e := WireErrors(CodeInvalidPlan, err); e[0].Code != CodeTooLarge {
		t.Errorf("a body that is too large is %v", e)
	}
}

func TestHTTPStatus(t *testing.T) {
	for code, want := range map[Code]int{
		CodeInvalidPlan: 400, CodeInvalidRequest: 400, CodeNotFound: 404, CodeAlreadyExists: 409,
		CodeConflict: 409, CodeTooLarge: 413, CodeQuotaExceeded: 429, CodeUnavailable: 503, CodeInternal: 500, "new": 500,
	} {
		if got := code.HTTPStatus(); got != want {
			t.Errorf("%s is %d, want %d", code, got, want)
		}
	}
}
