package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Bodies that a service has to refuse, each wrong in one way. The station in
// them is replaced by the test's own.
var wrongPlans = []struct {
	name  string
	plan  body   // merged into a correct plan; nil values are left out
	field string // "": any or none
	in    string // part of the message; "": any
}{
	{"an unknown field", body{"plan_typ": "none"}, "plan_typ", "plan_type"},
	{"a name in another case", body{"Station": "s"}, "Station", "station"},
	{"an unknown field deep down", body{"retry": body{"strateg": "none"}}, "retry.strateg", "strategy"},
	{"no station", body{"station": absent}, "station", ""},
	{"an empty station", body{"station": ""}, "station", ""},
	{"a station that is a number", body{"station": 7}, "station", ""},
	{"a station with a star", body{"station": "a.*"}, "station", ""},
	{"a station with an end", body{"station": "a.>"}, "station", ""},
	{"a station with two dots", body{"station": "a..b"}, "station", ""},
	{"a station with a dot before", body{"station": ".a"}, "station", ""},
	{"a station with a blank", body{"station": "a b"}, "station", ""},
	{"a station with a line end", body{"station": "a\r\nb"}, "station", ""},
	{"a station of the server's", body{"station": "$JS.API.STREAM.DELETE.PLAN_JOURNAL"}, "station", ""},
	{"a station that is too long", body{"station": strings.Repeat("a", 129)}, "station", ""},
	{"a station in another script", body{"station": "grüße"}, "station", ""},
	{"an id with a dot", body{"plan_id": "a.b"}, "plan_id", ""},
	{"an id with a star", body{"plan_id": "*"}, "plan_id", ""},
	{"an id with a NUL", body{"plan_id": "a\x00"}, "plan_id", ""},
	{"an id that is too long", body{"plan_id": strings.Repeat("a", 129)}, "plan_id", ""},
	{"no command", body{"command": absent}, "command", ""},
	{"a command with a line end", body{"command": "a\nb"}, "command", ""},
	{"a caller with a control character", body{"caller": "a\x07"}, "caller", ""},
	{"a request_id with a tab", body{"request_id": "a\tb"}, "request_id", ""},
	{"messages that are no list", body{"messages": "x"}, "messages", ""},
	{"labels that are no map", body{"labels": []any{"x"}}, "labels", ""},
	{"a label that is no text", body{"labels": body{"a": body{}}}, "labels.a", ""},

	{"an unknown type", body{"plan_type": "seconds"}, "plan_type", "second"},
	{"the type's number 8", body{"plan_type": 8}, "plan_type", ""},
	{"a type that is a fraction", body{"plan_type": 1.5}, "plan_type", ""},
	{"time without plan_time", body{"plan_type": "time"}, "plan_time", ""},
	{"time at 0", body{"plan_type": "time", "plan_time": 0}, "plan_time", ""},
	{"a time of nowhere", body{"plan_type": "time", "plan_time": "tomorrow"}, "plan_time", ""},
	{"a time on 30 February", body{"plan_type": "time", "plan_time": "2026-02-30T00:00:00Z"}, "plan_time", ""},
	{"a grid without plan_repet", body{"plan_type": "second", "plan_value": 1}, "plan_repet", ""},
	{"a grid with plan_repet 0", body{"plan_type": "minute", "plan_value": 1, "plan_repet": 0}, "plan_repet", ""},
	{"a grid with plan_repet -2", body{"plan_type": "hour", "plan_value": 1, "plan_repet": -2}, "plan_repet", ""},
	{"a grid without plan_value", body{"plan_type": "day", "plan_repet": 1}, "plan_value", ""},
	{"a grid of 32767", body{"plan_type": "second", "plan_value": 32767, "plan_repet": 1}, "plan_value", ""},
	{"a grid of -1", body{"plan_type": "second", "plan_value": -1, "plan_repet": 1}, "plan_value", ""},
	{"week without plan_repet", body{"plan_type": "week", "plan_value": 1}, "plan_repet", ""},
	{"the eighth day of the week", body{"plan_type": "week", "plan_value": 7, "plan_repet": 1}, "plan_value", ""},
	{"the 32nd of the month", body{"plan_type": "month", "plan_value": 32, "plan_repet": 1}, "plan_value", ""},
	{"32 days before the last", body{"plan_type": "month", "plan_value": -32, "plan_repet": 1}, "plan_value", ""},

	{"cron without cron", body{"plan_type": "cron"}, "cron", ""},
	{"cron of four fields", body{"plan_type": "cron", "cron": "* * * *"}, "cron", ""},
	{"cron with minute 60", body{"plan_type": "cron", "cron": "60 * * * *"}, "cron", ""},
	{"cron with a leap second", body{"plan_type": "cron", "cron": "60 59 23 * * *"}, "cron", ""},
	{"cron with a step of 0", body{"plan_type": "cron", "cron": "*/0 * * * *"}, "cron", ""},
	{"cron with an unknown name", body{"plan_type": "cron", "cron": "0 0 * * mun"}, "cron", ""},
	{"cron of a day that never comes", body{"plan_type": "cron", "cron": "0 0 30 2 *"}, "cron", ""},
	{"cron of a weekday that never comes", body{"plan_type": "cron", "cron": "0 0 * * 1#6"}, "cron", ""},
	{"a zone of nowhere", body{"plan_type": "cron", "cron": "@daily", "timezone": "Europe/Atlantis"}, "timezone", ""},
	{"a zone that is a path", body{"plan_type": "cron", "cron": "@daily", "timezone": "../../etc/passwd"}, "timezone", ""},
	{"a window that ends before it begins", body{"plan_type": "cron", "cron": "@daily", "start_at": "2100-01-02T00:00:00Z", "end_at": "2100-01-01T00:00:00Z"}, "end_at", ""},

	{"an unknown overlap", body{"overlap": "wait"}, "overlap", ""},
	{"an unknown catch_up", body{"catch_up": "all"}, "catch_up", ""},
	{"an unknown strategy", body{"retry": body{"strategy": "linear"}}, "retry.strategy", ""},
	{"a sequence of nothing", body{"retry": body{"strategy": "sequence"}}, "retry.sequence", ""},
	{"a negative interval", body{"retry": body{"strategy": "fixed_period", "interval": -1}}, "retry.interval", ""},
	{"a negative max_error_count", body{"retry": body{"max_error_count": -1}}, "retry.max_error_count", ""},
	{"a jitter above 1", body{"retry": body{"jitter": 2}}, "retry.jitter", ""},
	{"a negative timeout", body{"exec_timeout": -1}, "exec_timeout", ""},
	{"a timeout that is text", body{"exec_timeout": "10"}, "exec_timeout", ""},
	{"an unknown on_unknown", body{"on_unknown": "guess"}, "on_unknown", ""},
	{"priority 10", body{"priority": 10}, "priority", ""},
	{"no_keep that is a number", body{"no_keep": 1}, "no_keep", ""},
}

func TestNothingWrongIsAccepted(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		base := c.station()
		for _, row := range wrongPlans {
			t.Run(row.name, func(t *testing.T) {
				c := &client{t, c.nc, c.enc}
				request := body{"station": base, "command": "c", "plan_type": "none"}.with(row.plan)
				for k, v := range row.plan {
					if v == absent {
						delete(request, k)
					}
				}
				for _, ask := range []struct {
					subject string
					request body
				}{
					{"plans.create", request},
					{"plans.preview", body{"plan": request}},
				} {
					if ask.subject == "plans.preview" && (row.field == "station" || row.field == "command") && (request[row.field] == nil || request[row.field] == "") {
						continue // a preview needs neither
					}
					e := c.refused(ask.subject, ask.request)
					field := strings.TrimPrefix(e.text("field"), "plan.")
					if e.text("code") != "invalid_plan" || field != row.field || !strings.Contains(e.text("message"), row.in) {
						t.Errorf("%s answers %v, want invalid_plan, field %q, %q in the message", ask.subject, e, row.field, row.in)
					}
				}
			})
		}
		c.nothingStored(base)
	})
}

// nothingStored checks that a station has no plan, and that its service goes on.
func (c *client) nothingStored(station string) {
	c.t.Helper()
	if plans := c.pages("plans.list", "plans", body{"station": station}); len(plans) > 0 {
		c.t.Errorf("stored all the same: %v", plans)
	}
	id := c.create(far(station)).text("plan_id")
	c.req("plans.remove", name(station, id))
}

func TestBytesThatAreNoRequestAreRefused(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	base := c.station()
	plan := fmt.Sprintf(`"station":%q,"command":"c","plan_type":"none"`, base)
	mp := func(v any) []byte {
		raw, err := inMsgPack.encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	entry := func(k string, v any) []byte { return append(mp(k), mp(v)...) }
	// packed is the plan as the members of a MessagePack map, with more behind them.
	packed := func(count byte, more ...[]byte) []byte {
		head := [][]byte{{0x80 | (3 + count)}, entry("station", base), entry("command", "c"), entry("plan_type", "none")}
		return bytes.Join(append(head, more...), nil)
	}
	deepJSON := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	deepPacked := append(bytes.Repeat([]byte{0x91}, 40), 0xc0)
	for _, row := range []struct {
		name string
		raw  []byte
		code string
		enc  codec // of the answer
	}{
		{"a key twice", []byte(`{` + plan + `,"command":"d"}`), "invalid_plan", inJSON},
		{"a key twice, escaped", []byte(`{` + plan + `,"comm\u0061nd":"d"}`), "invalid_plan", inJSON},
		{"a key twice, deep down", []byte(`{` + plan + `,"ext":[{"a":1,"a":2}]}`), "invalid_plan", inJSON},
		{"bytes behind the value", []byte(`{` + plan + `}x`), "invalid_plan", inJSON},
		{"two values", []byte(`{` + plan + `}{}`), "invalid_plan", inJSON},
		{"too deep", []byte(`{` + plan + `,"messages":` + deepJSON + `}`), "invalid_plan", inJSON},
		{"too many items", []byte(`{` + plan + `,"messages":[` + strings.Repeat("0,", 10_001) + `0]}`), "invalid_plan", inJSON},
		{"text that is not UTF-8", []byte(`{` + plan + ",\"description\":\"\xff\"}"), "invalid_plan", inJSON},
		{"half a surrogate pair", []byte(`{` + plan + `,"description":"\ud800"}`), "invalid_plan", inJSON},
		{"a number that is not finite", []byte(`{` + plan + `,"messages":[1e999]}`), "invalid_plan", inJSON},
		{"NaN", []byte(`{` + plan + `,"messages":[NaN]}`), "invalid_plan", inJSON},
		{"a list", []byte(`[1]`), "invalid_plan", inJSON},
		{"cut off", []byte(`{` + plan), "invalid_plan", inJSON},
		{"a comma too many", []byte(`{` + plan + `,}`), "invalid_plan", inJSON},
		{"above 512 KiB", []byte(`{` + plan + `,"messages":["` + strings.Repeat("x", 520<<10) + `"]}`), "too_large", inJSON},
		{"a description above 4 KiB", []byte(`{` + plan + `,"description":"` + strings.Repeat("x", 4097) + `"}`), "too_large", inJSON},
		{"a caller above 4 KiB", []byte(`{` + plan + `,"caller":"` + strings.Repeat("x", 4097) + `"}`), "too_large", inJSON},
		{"a request_id above 4 KiB", []byte(`{` + plan + `,"request_id":"` + strings.Repeat("x", 4097) + `"}`), "too_large", inJSON},
		{"a command above 4 KiB", []byte(`{"station":"` + base + `","plan_type":"none","command":"` + strings.Repeat("x", 4097) + `"}`), "too_large", inJSON},

		{"nonsense", []byte("\x00\x01\x02hello"), "invalid_plan", inMsgPack},
		{"text", []byte("hello"), "invalid_plan", inMsgPack},
		{"a byte that means nothing", []byte{0xc1}, "invalid_plan", inMsgPack},
		{"a list of four billion", []byte{0xdd, 0xff, 0xff, 0xff, 0xff}, "invalid_plan", inMsgPack},
		{"a map of four billion", []byte{0xdf, 0xff, 0xff, 0xff, 0xff}, "invalid_plan", inMsgPack},
		{"a text of four gigabytes", []byte{0xdb, 0xff, 0xff, 0xff, 0xff}, "invalid_plan", inMsgPack},
		{"bytes of four gigabytes", []byte{0xc6, 0xff, 0xff, 0xff, 0xff}, "invalid_plan", inMsgPack},
		{"a bomb within a plan", packed(1, mp("messages"), []byte{0xdd, 0x7f, 0xff, 0xff, 0xff}), "invalid_plan", inMsgPack},
		{"an extension of four gigabytes", packed(1, mp("ext"), []byte{0xc9, 0xff, 0xff, 0xff, 0xff, 0x01}), "invalid_plan", inMsgPack},
		{"packed, a key twice", packed(1, entry("command", "d")), "invalid_plan", inMsgPack},
		{"packed, bytes behind the value", append(packed(0), 0xc0), "invalid_plan", inMsgPack},
		{"packed, a key that is no text", packed(1, mp(7), mp(8)), "invalid_plan", inMsgPack},
		{"packed, too deep", packed(1, mp("messages"), deepPacked), "invalid_plan", inMsgPack},
		{"packed, cut off", packed(1), "invalid_plan", inMsgPack},
		{"packed, not finite", packed(1, mp("messages"), []byte{0x91, 0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1}), "invalid_plan", inMsgPack},
		{"packed, text that is not UTF-8", packed(1, mp("description"), []byte{0xa1, 0xff}), "invalid_plan", inMsgPack},
		{"packed, above 512 KiB", packed(1, entry("messages", []any{strings.Repeat("x", 520<<10)})), "too_large", inMsgPack},
		{"packed, an unknown field", packed(1, entry("comand", "d")), "invalid_plan", inMsgPack},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := &client{t, c.nc, c.enc}
			msg := c.ask("plans.create", row.raw)
			e := c.refusal("plans.create", msg)
			if got := msg.Header.Get("Content-Type"); got != row.enc.contentType {
				t.Errorf("the refusal is in %s", got)
			}
			if e.text("code") != row.code {
				t.Errorf("refused with %v, want %s", e, row.code)
			}
		})
	}
	c.nothingStored(base)
}

func TestServicesOtherThanPlansRefuseWithInvalidRequest(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		for what, row := range map[string]struct {
			request body
			field   string
		}{
			"no station":          {body{"kind": "pub"}, "station"},
			"a station of dots":   {body{"station": "a..b", "kind": "pub"}, "station"},
			"an unknown kind":     {body{"station": station, "kind": "queue"}, "kind"},
			"an unknown encoding": {body{"station": station, "kind": "api", "encoding": "xml"}, "encoding"},
			"an unknown field":    {body{"station": station, "kindd": "api"}, "kindd"},
			"a bad policy":        {body{"station": station, "kind": "api", "retry": body{"strategy": "x"}}, "retry.strategy"},
		} {
			if e := c.refused("stations.put", row.request); e.text("code") != "invalid_request" || e.text("field") != row.field {
				t.Errorf("%s: %v, want invalid_request, field %s", what, e, row.field)
			}
		}
		if e := c.refused("stations.get", body{"station": station}); e.text("code") != "not_found" {
			t.Errorf("stored all the same: %v", e)
		}
	})
}

func TestEveryVerbChecksItsRequest(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		for _, verb := range []string{"plans.get", "plans.close", "plans.remove"} {
			if e := c.refused(verb, name(station, "nobody")); e.text("code") != "not_found" {
				t.Errorf("%s of a plan that never was: %v", verb, e)
			}
		}
		for _, verb := range []string{"plans.get", "plans.close", "plans.remove", "plans.runs"} {
			for field, request := range map[string]body{
				"plan_id": {"station": station, "plan_id": "a b"},
				"station": {"plan_id": "p"},
				"id":      {"station": station, "plan_id": "p", "id": "p"},
			} {
				if e := c.refused(verb, request); e.text("code") != "invalid_plan" || e.text("field") != field {
					t.Errorf("%s %v: %v, want invalid_plan, field %s", verb, request, e, field)
				}
			}
			for _, request := range []body{name(station, "a.b"), name("a.*", "b"), name("", "b")} {
				if e := c.refused(verb, request); e.text("code") != "invalid_plan" {
					t.Errorf("%s %v: %v", verb, request, e)
				}
			}
			c.refusal(verb, c.ask(verb, []byte("{")))
			c.refusal(verb, c.ask(verb, []byte{0xdd, 0xff, 0xff, 0xff, 0xff}))
			if verb != "plans.runs" { // it lists the runs of all plans
				c.refusal(verb, c.ask(verb, nil))
			}
		}
		if got := len(c.req("plans.list", body{}).list("plans")); got > 100 {
			t.Errorf("%d plans on a page, want 100 at most", got)
		}
		if msg := c.ask("plans.list", nil); msg.Header.Get("Nats-Service-Error") != "" {
			t.Errorf("an empty body is no empty map: %q", msg.Data)
		}
	})
}
