package front_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A keeper is a leader of one plan, which is replaced only at the revision that the update has
// read.
type keeper struct {
	mu          sync.Mutex
	plan        wire.Value
	incarnation uint64
	revision    uint64
	updates     []command.UpdatePlan

	kind schema.Kind // of the plan's station

	// together, unless nil, holds the first reader back until the second has come.
	together chan struct{}
	readers  atomic.Int32
}

// keeping returns a keeper of a plan that is given in JSON, in an encoding.
func keeping(t testing.TB, enc wire.Encoding, body string) *keeper {
	t.Helper()
	d, err := schema.ParsePlan(value(t, body).In(enc), schema.ParseOptions{NoCommand: true})
	if err != nil {
		t.Fatal(err)
	}
	return &keeper{plan: d.Value(), incarnation: 9, revision: 4}
}

func (l *keeper) Ask(_ int, c command.Command, done func(any, error)) {
	go func() { done(l.answer(c)) }()
}

func (l *keeper) answer(c command.Command) (any, error) {
	l.mu.Lock()
	view := command.PlanView{PlanView: schema.PlanView{Plan: l.plan, State: schema.PlanState{Revision: l.revision}}, Incarnation: l.incarnation}
	l.mu.Unlock()
	switch c := c.(type) {
	case command.GetPlan:
		if l.together != nil {
			if l.readers.Add(1) == 2 {
				close(l.together)
			}
			<-l.together
		}
		return view, nil
	case command.GetStation:
		return schema.Station{Station: c.Station, Kind: l.kind}, nil
	case command.UpdatePlan:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.updates = append(l.updates, c)
		if c.Revision != l.revision || c.Incarnation != l.incarnation {
			return nil, &schema.Error{Code: schema.CodeConflict, Field: "revision", Message: "it is another by now"}
		}
		l.plan = c.Definition.Value()
		l.revision++
		return schema.Created{PlanID: c.Definition.Plan.PlanID, Station: c.Definition.Plan.Station, State: schema.StatusQueued, Revision: l.revision}, nil
	}
	return nil, fmt.Errorf("unexpected %T", c)
}

// A change of labels keeps the label by which an apply finds its plans, unless the change names it
// or takes all labels away.
func TestAChangeOfLabelsKeepsTheSet(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const before = `{"plan_id":"p","station":"s","command":"c","labels":{"a":"1","stationmaster.set":"x"}}`
		for labels, want := range map[string]string{
			`{"b":"2"}`:                `,"labels":{"b":"2","stationmaster.set":"x"}`,
			`{}`:                       `,"labels":{"stationmaster.set":"x"}`,
			`{"stationmaster.set":""}`: `,"labels":{"stationmaster.set":""}`,
			`null`:                     ``,
		} {
			for _, enc := range encodings { // of the plan; the update comes in both
				for _, asked := range encodings {
					l := keeping(t, enc, before)
					d := openOn(t, ns, l)
					d.ask(asked, "plans.update", `{"station":"s","plan_id":"p","labels":`+labels+`}`)
					if got := l.plan.String(); got != `{"plan_id":"p","station":"s","command":"c"`+want+`}` {
						t.Errorf("labels %s: %s", labels, got)
					}
					if err := d.front.Stop(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// A given field replaces the stored one, null removes it, and all others stay, byte for byte
// and in the plan's own encoding.
func TestUpdate(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, _ *server.Server) {
		before := `{"plan_id":"p","station":"s","command":"c","messages":[1.50,{"a":null}],"plan_type":"second","plan_value":5,"plan_repet":-1,"retry":{"strategy":"none"}}`
		for _, c := range []struct{ fields, want, dropped string }{
			{``, before, ``},
			{`,"plan_value":7`, strings.Replace(before, `"plan_value":5`, `"plan_value":7`, 1), ``},
			{`,"retry":null`, strings.Replace(before, `,"retry":{"strategy":"none"}`, ``, 1), ``},
			{`,"retry":{"interval":3}`, strings.Replace(before, `{"strategy":"none"}`, `{"interval":3}`, 1), `,"dropped":["retry.strategy"]`},
			{`,"description":"d","priority":9,"messages":null`,
				`{"plan_id":"p","station":"s","command":"c","description":"d","plan_type":"second","plan_value":5,"plan_repet":-1,"retry":{"strategy":"none"},"priority":9}`, ``},
			{`,"plan_type":"cron","plan_value":null,"cron":"@daily"`,
				`{"plan_id":"p","station":"s","command":"c","messages":[1.50,{"a":null}],"plan_type":"cron","plan_repet":-1,"retry":{"strategy":"none"},"cron":"@daily"}`, ``},
			{`,"jitter":null,"caller":7`,
				`{"plan_id":"p","station":"s","command":"c","caller":"7","messages":[1.50,{"a":null}],"plan_type":"second","plan_value":5,"plan_repet":-1,"retry":{"strategy":"none"}}`, ``},
		} {
			for _, enc := range encodings { // of the plan; the update comes in both
				l := keeping(t, enc, before)
				d := open(t, l)
				for i, asked := range encodings {
					l.plan = value(t, before).In(enc)
					answer, _ := d.ask(asked, "plans.update", `{"station":"s","plan_id":"p"`+c.fields+`}`)
					if want := fmt.Sprintf(`{"plan_id":"p","station":"s","state":"queued","created":false,"revision":%d%s}`, 5+i, c.dropped); answer != want {
						t.Errorf("%s: %s", c.fields, answer)
						continue
					}
					if got := l.plan.String(); got != value(t, c.want).In(enc).String() || l.plan.Encoding() != enc {
						t.Errorf("%s in %s, to a plan in %s (-want +got):\n%s", c.fields, asked, enc, cmp.Diff(c.want, got))
					}
				}
			}
		}
	})
}

func TestUpdateRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := keeping(t, wire.JSON, `{"plan_id":"p","station":"s","command":"c","plan_type":"cron","cron":"@daily"}`)
		d := openOn(t, ns, l)
		for _, c := range []struct {
			fields      string
			code        schema.Code
			field, hint string
		}{
			{`"paused":true`, schema.CodeInvalidPlan, "paused", "plans.pause"},
			{`"paused":null`, schema.CodeInvalidPlan, "paused", "plans.resume"},
			{`"on_conflict":"keep"`, schema.CodeInvalidPlan, "on_conflict", "create"},
			{`"comand":"x"`, schema.CodeInvalidPlan, "comand", `"command"`},
			{`"rev":1`, schema.CodeInvalidPlan, "rev", "unknown field"},
			{`"revison":1`, schema.CodeInvalidPlan, "revison", `"revision"`},
			{`"revision":-1`, schema.CodeInvalidPlan, "revision", "out of range"},
			{`"revision":"4"`, schema.CodeInvalidPlan, "revision", "whole number"},
			{`"plan_value":"x"`, schema.CodeInvalidPlan, "plan_value", "whole number"},
			{`"priority":10`, schema.CodeInvalidPlan, "priority", "0 to 9"},
			{`"command":null`, schema.CodeInvalidPlan, "command", "missing"},
			{`"cron":null`, schema.CodeInvalidPlan, "cron", "missing"},
			{`"plan_type":null`, schema.CodeInvalidPlan, "plan_type", "missing"},
			{`"plan_type":"second"`, schema.CodeInvalidPlan, "plan_value", "missing"},
			{`"worker_count":101`, schema.CodeInvalidPlan, "worker_count", "1 to 100"},
			{`"retry":{"strategy":"no"}`, schema.CodeInvalidPlan, "retry.strategy", "exponential"},
			{`"revision":3`, schema.CodeConflict, "revision", "revision 4, not 3"},
			{`"description":"` + strings.Repeat("d", 5000) + `"`, schema.CodeTooLarge, "description", "4096"},
			{`"messages":["` + strings.Repeat("m", 512<<10) + `"]`, schema.CodeTooLarge, "", "524288"},
			{`"messages":[` + strings.Repeat("1,", 10_000) + `1]`, schema.CodeInvalidPlan, "", "items"},
		} {
			d.refuse("plans.update", `{"station":"s","plan_id":"p",`+c.fields+`}`, c.code, c.field, c.hint)
		}
		d.refuse("plans.update", `{"plan_id":"p"}`, schema.CodeInvalidPlan, "station", "empty")
		if len(l.updates) > 0 {
			t.Errorf("the leader was asked for %v", l.updates)
		}
	})
}

// A field is checked together with the others, whose bytes count, too.
func TestUpdateChecksTheWhole(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		half := strings.Repeat("x", 300<<10)
		l := keeping(t, wire.JSON, `{"plan_id":"p","station":"s","command":"c","messages":["`+half+`"]}`)
		d := openOn(t, ns, l)
		d.refuse("plans.update", `{"station":"s","plan_id":"p","ext":"`+half+`"}`, schema.CodeTooLarge, "", "524288")
		// In the plan's encoding a control character has six bytes.
		d.refuse("plans.update", `{"station":"s","plan_id":"p","ext":"`+strings.Repeat(`\u0001`, 40<<10)+`"}`, schema.CodeTooLarge, "", "524288")

		many := strings.Repeat("1,", 6000) + "1"
		l = keeping(t, wire.JSON, `{"plan_id":"p","station":"s","command":"c","messages":[`+many+`]}`)
		d = open(t, l)
		d.refuse("plans.update", `{"station":"s","plan_id":"p","ext":[`+many+`]}`, schema.CodeInvalidPlan, "", "10000 items")
	})
}

// A definition of the largest size can be changed, though its id was generated, and can be
// replaced by one of the same size.
func TestUpdateOfTheLargest(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const around = `{"station":"s","command":"c","messages":[""]}`
		filling := func(c string) string { return strings.Repeat(c, schema.MaxDefinitionBytes-len(around)) }
		d0 := plan(t, strings.Replace(around, `""`, `"`+filling("a")+`"`, 1))
		l := &keeper{plan: d0.Value(), revision: 1}
		d := openOn(t, ns, l)
		for i, fields := range []string{`"command":"d"`, `"messages":["` + filling("b") + `"],"revision":2`} {
			answer, _ := d.ask(wire.JSON, "plans.update", fmt.Sprintf(`{"station":"s","plan_id":%q,%s}`, d0.Plan.PlanID, fields))
			if !strings.Contains(answer, fmt.Sprintf(`"revision":%d`, i+2)) {
				t.Errorf("%.30s: %s", fields, answer)
			}
		}
		d.refuse("plans.update", fmt.Sprintf(`{"station":"s","plan_id":%q,"command":"ef"}`, d0.Plan.PlanID), schema.CodeTooLarge, "", "524288")
	})
}

// A plan of a pub station may lose its command.
func TestUpdateToNoCommand(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := keeping(t, wire.JSON, `{"plan_id":"p","station":"s","command":"c"}`)
		l.kind = schema.KindPub
		d := openOn(t, ns, l)
		if answer, _ := d.ask(wire.JSON, "plans.update", `{"station":"s","plan_id":"p","command":null}`); !strings.Contains(answer, `"revision":5`) {
			t.Error(answer)
		}
		if got := l.plan.String(); got != `{"plan_id":"p","station":"s"}` {
			t.Error(got)
		}
	})
}

// Two updates of the same revision that change different fields both succeed when they do not
// name the revision; when they do, the second conflicts.
func TestTwoUpdatesOfOneRevision(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, _ *server.Server) {
		for _, c := range []struct {
			revision  string
			conflicts int
		}{{``, 0}, {`,"revision":4`, 1}} {
			l := keeping(t, wire.JSON, `{"plan_id":"p","station":"s","command":"c"}`)
			l.together = make(chan struct{})
			d := open(t, l)
			inbox, sub := d.inbox()
			d.publish("plans.update", inbox, `{"station":"s","plan_id":"p","description":"d"`+c.revision+`}`)
			d.publish("plans.update", inbox, `{"station":"s","plan_id":"p","caller":"me"`+c.revision+`}`)
			conflicts := 0
			for range 2 {
				if answer := next(t, sub); strings.Contains(answer, `"conflict"`) {
					conflicts++
					if !strings.Contains(answer, "revision 5, not 4") {
						t.Error(answer)
					}
				}
			}
			got := l.plan.String()
			both := strings.Contains(got, `"description":"d"`) && strings.Contains(got, `"caller":"me"`)
			if conflicts != c.conflicts || both != (c.conflicts == 0) {
				t.Errorf("%q: %d conflicts, %s", c.revision, conflicts, got)
			}
		}
	})
}

// No update of many at once is lost.
func TestManyUpdatesAtOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := keeping(t, wire.JSON, `{"plan_id":"p","station":"s","command":"c"}`)
		d := openOn(t, ns, l)
		inbox, sub := d.inbox()
		fields := []string{
			`"description":"d"`, `"caller":"me"`, `"request_id":"r"`, `"priority":3`, `"jitter":2`, `"ext":1`, `"log":"none"`,
			`"tenant_id":"t"`, `"category":"k"`, `"creator":"x"`, `"labels":{"a":"b"}`, `"messages":[1]`, `"exec_timeout":9`,
		}
		for _, field := range fields {
			d.publish("plans.update", inbox, `{"station":"s","plan_id":"p",`+field+`}`)
		}
		for range fields {
			if answer := next(t, sub); !strings.Contains(answer, `"state":"queued"`) {
				t.Error(answer)
			}
		}
		for _, field := range fields {
			if !strings.Contains(l.plan.String(), field) {
				t.Errorf("%s was lost: %s", field, l.plan)
			}
		}
		if want := 4 + uint64(len(fields)); l.revision != want {
			t.Errorf("revision %d after as many updates, want %d", l.revision, want)
		}
	})
}

// A conflict that another try cannot settle is reported, and so is a plan that has gone
// meanwhile.
func TestUpdateReportsConflicts(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		view := command.PlanView{PlanView: schema.PlanView{Plan: value(t, `{"plan_id":"p","station":"s","command":"c"}`), State: schema.PlanState{Revision: 2}}}
		l := &leader{script: func(_ int, c command.Command) (any, error) {
			if _, ok := c.(command.GetPlan); ok {
				return view, nil
			}
			return nil, &schema.Error{Code: schema.CodeConflict, Message: "it is closing"}
		}}
		d := openOn(t, ns, l)
		d.refuse("plans.update", `{"station":"s","plan_id":"p"}`, schema.CodeConflict, "", "closing")
		if asked := l.commands(); len(asked) != 2*3 { // get, update, get; in two encodings
			t.Errorf("asked for %d things", len(asked))
		}
	})
}
