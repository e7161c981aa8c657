package main

import (
	"strings"
	"testing"
)

// A dry run refuses every plan that the restore would, also for its record, and asks no server.
func TestADryRunMakesTheChecksOfTheRestore(t *testing.T) {
	const plan, good = `"station":"s","plan_id":"p","command":"c"`, `"revision":1,"accepted":"2026-03-01T11:00:00Z"`
	for line, want := range map[string]string{
		`{"plan":{` + plan + `},"record":{` + good + `}}`:                                        "",
		`{"plan":{` + plan + `},"inbox":{},"items":{"items":[1]}}`:                               "",
		`{"plan":{` + plan + `},"record":{` + good + `,"occurrence":-1}}`:                        "line 2: s/p: invalid_plan: record.occurrence: record.occurrence is -1",
		`{"plan":{` + plan + `},"record":{"revision":1,"accepted":"2999-01-01T00:00:00Z"}}`:      "record.accepted is 2999-01-01T00:00:00Z, which is yet to come",
		`{"plan":{` + plan + `},"record":{` + good + `,"bogus":1}}`:                              "record.bogus",
		`{"plan":{` + plan + `}}`:                                                                "record is missing",
		`{"plan":{"station":"s","command":"c"},"record":{` + good + `}}`:                         "plan_id is missing",
		`{"plan":{` + plan + `,"plan_type":"cron","cron":"0 0 30 2 *"},"record":{` + good + `}}`: "cron",
		`{"plan":{` + plan + `},"inbox":{"manner":"x"},"items":{"items":[1]}}`:                   "manner is none",
		`{"plan":{` + plan + `},"inbox":{"abandon_after":1e10},"items":{"items":[1]}}`:           "315360000 seconds",
		`{"plan":{` + plan + `},"inbox":{}}`:                                                     "items is missing",
	} {
		items := ""
		if strings.Contains(line, `"items":{`) {
			items = `,"items":1`
		}
		file := `{"stationmaster":"export","version":1}` + "\n" + line + "\n" + `{"end":{"stations":0,"plans":1` + items + `}}` + "\n"
		code, out, errs := try(t, file, "import", "-f", "-", "--dry-run", "--nats-url=nats://127.0.0.1:1")
		switch {
		case want == "" && code != exitDone, want != "" && (code != exitFailed || !strings.Contains(errs, want)):
			t.Errorf("%s: exit code %d, %s%s, want %q", line, code, out, errs, want)
		}
	}
}
