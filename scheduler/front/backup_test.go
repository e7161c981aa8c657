package front_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A definition in the message's encoding travels as a map, and otherwise as its bytes;
// restored it is the same.
func TestExportAndRestoreKeepEveryByte(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		inJSON := plan(t, `{"plan_id":"a","station":"s","command":"c","messages":[1.50]}`)
		packed, err := schema.ParsePlan(plan(t, `{"plan_id":"b","station":"s","command":"c"}`).Value().In(wire.MsgPack), schema.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		record := value(t, `{"revision":1,"n":3}`).In(wire.MsgPack)
		l := &leader{script: func(_ int, c command.Command) (any, error) {
			if c, ok := c.(command.ListPlans); ok {
				if !c.Records || c.Limit != 101 {
					t.Errorf("%+v", c)
				}
				return command.PlanSlice{Plans: []command.PlanView{
					{PlanView: schema.PlanView{Plan: inJSON.Value()}, Record: record},
					{PlanView: schema.PlanView{Plan: packed.Value()}, Record: record},
				}}, nil
			}
			return schema.Created{Created: true}, nil
		}}
		d := openOn(t, ns, l)
		for _, enc := range encodings {
			answer := d.send("plans.export", in(t, enc, `{}`))
			if enc == wire.JSON {
				want := `{"plans":[{"plan":` + string(inJSON.Raw) + `,"record":{"revision":1,"n":3}},` +
					`{"raw":"` + base64.StdEncoding.EncodeToString(packed.Raw) + `","encoding":"msgpack","record":{"revision":1,"n":3}}]}`
				if got := string(answer.Data); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
			l.commands()
			if got := d.send("plans.restore", answer.Data); !strings.Contains(string(got.Data), "created") {
				t.Errorf("%q", got.Data)
			}
			asked := l.commands()
			if len(asked) != 2 {
				t.Fatalf("%d commands", len(asked))
			}
			for i, want := range []*schema.Definition{inJSON, packed} {
				c := asked[i].(command.RestorePlan)
				if c.Definition.Enc != want.Enc || string(c.Definition.Raw) != string(want.Raw) {
					t.Errorf("%s in %s came back as %q in %s", want.Plan.PlanID, enc, c.Definition.Raw, c.Definition.Enc)
				}
				if got := c.Record.String(); got != `{"revision":1,"n":3}` {
					t.Errorf("the record came back as %s", got)
				}
			}
		}
	})
}

func TestRestoreIsHeldToLimits(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(schema.Created{Created: true}, nil))
		d.refuse("plans.restore", ``, schema.CodeInvalidPlan, "plans", "missing")
		d.refuse("plans.restore", `{"plans":[],"on_conflict":"update"}`, schema.CodeInvalidPlan, "on_conflict", "keep")
		d.refuse("plans.restore", `{"plans":[`+strings.Repeat("{},", 1000)+`{}]}`, schema.CodeInvalidPlan, "plans", "1001 items")
		d.refuse("plans.export", `{"limit":1001}`, schema.CodeInvalidPlan, "limit", "1000")
		d.refuse("plans.items", `{"station":"s","plan_id":"p","limit":1001}`, schema.CodeInvalidPlan, "limit", "1000")
		d.refuse("plans.items", `{"station":"s"}`, schema.CodeInvalidPlan, "plan_id", "empty")
		d.refuse("plans.export", `{"cursor":"x"}`, schema.CodeInvalidPlan, "cursor", "begin anew")
		const good = `"station":"s","command":"c"`
		for copied, hint := range map[string]string{
			`{}`: "plan is missing", `{"plan":{` + good + `},"record":{}}`: "plan_id is missing",
			`{"plan":{"plan_id":"p",` + good + `},"raw":"e30=","encoding":"json"}`:                                             "not both",
			`{"plan":{` + good + `},"inbox":{},"items":{"items":[1]}}`:                                                         "plan_id is missing",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{},"items":{"items":[` + strings.Repeat("1,", 1000) + `1]}}`:         "at most 1000 are taken at a time",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{},"items":{"items":[1,"` + strings.Repeat("x", 256<<10) + `"]}}`:    "item 2 has",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{},"items":{"items":[1],"raw_data":"e30="}}`:                         "none of json, msgpack",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{"length":1,"bytes":2}}`:                                             "items is missing",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{"manner":"x"},"items":{"items":[]}}`:                                "manner is none",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{"abandon_after":1e10},"items":{"items":[1]}}`:                       "315360000 seconds",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{},"items":{"items":3}}`:                                             "items is a list",
			`{"plan":{"plan_id":"p",` + good + `},"inbox":{},"items":{"items":[],"data":[]}}`:                                  "data takes a map",
			`{"raw":"e30=","encoding":"xml"}`:                                                                                  "none of json, msgpack",
			`{"raw":"e30=","encoding":"msgpack"}`:                                                                              "invalid_plan",
			`{"plan":{"plan_id":"p",` + good + `},"record":{"n":[` + strings.Repeat("1,", 10_000) + `1]}}`:                     "record: ",
			`{"plan":{"plan_id":"p",` + good + `},"record":{"trace":"` + strings.Repeat("x", 128<<10) + `"}}`:                  "record: ",
			`{"plan":{"plan_id":"p",` + good + `,"messages":[` + strings.Repeat("1,", 10_000) + `1]},"record":{"revision":1}}`: "10000 items",
		} {
			for _, enc := range encodings {
				answer, _ := d.ask(enc, "plans.restore", `{"plans":[`+copied+`]}`)
				if !strings.Contains(answer, hint) || !strings.Contains(answer, `"created":0`) {
					t.Errorf("%.100s in %s: %s, want %s", copied, enc, answer, hint)
				}
			}
			var c schema.PlanCopy
			if err := wire.Unmarshal(wire.Trust(wire.JSON, []byte(copied)), &c); err != nil {
				t.Fatal(err)
			}
			if _, err := front.CheckCopy(c); err == nil || !strings.Contains(err.Error(), hint) {
				t.Errorf("%.100s without a scheduler: %v, want %s", copied, err, hint)
			}
		}
	})
}

// Ids may be numbers, as they may elsewhere.
func TestItemsOfAPlanWhoseIDIsANumber(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(command.Claimed{}, nil)
		d := openOn(t, ns, l)
		d.want("plans.items", `{"station":"s","plan_id":42}`, `{"items":[]}`)
		for _, c := range l.commands() {
			if query, _ := c.(command.ListItems); query.PlanID != "42" {
				t.Errorf("asked was %+v", c)
			}
		}
	})
}

// The items of an inbox are asked for together, and not one at a time, because a page of them
// would take longer on a slow disk than a client waits.
func TestItemsAreRestoredTogether(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var waiting []func(any, error)
		l := &holding{hold: func(c command.Command, done func(any, error)) {
			if _, pushes := c.(command.PushItem); !pushes {
				done(nil, &schema.Error{Code: schema.CodeNotFound, Message: "there is no such plan"})
				return
			}
			if waiting = append(waiting, done); len(waiting) == 3 {
				for _, done := range waiting {
					done(schema.Pushed{}, nil)
				}
			}
		}}
		d := openOn(t, ns, l)
		answer, _ := d.ask(wire.JSON, "plans.restore", `{"plans":[{"plan":{"plan_id":"p","station":"s","command":"c"},"inbox":{},"items":{"items":["a","b","c"],"data":{"d":1}}}]}`)
		if !strings.Contains(answer, `"created":1`) {
			t.Error(answer)
		}
		stderr := ""
		for _, c := range l.commands() {
			if push, is := c.(command.PushItem); is {
				stderr += push.Item.String() + push.Terms.Data.String()
			}
		}
		if stderr != `"a"{"d":1}"b"null"c"null` {
			t.Errorf("pushed were %s", stderr)
		}
	})
}

// A holding leader answers when the test releases it.
type holding struct {
	leader
	hold func(c command.Command, done func(any, error))
}

func (l *holding) Ask(_ int, c command.Command, done func(any, error)) {
	l.mu.Lock()
	l.asked = append(l.asked, c)
	l.mu.Unlock()
	l.hold(c, done)
}
