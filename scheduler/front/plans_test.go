package front_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// created answers a create as a leader does.
func created(_ int, c command.Command) (any, error) {
	p := c.(command.CreatePlan).Definition.Plan
	return schema.Created{
		PlanID: p.PlanID, Station: p.Station, State: schema.StatusQueued, PlanTime: noon, Created: true, Revision: 1,
	}, nil
}

func TestCreate(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: created})
		d.want("plans.create", `{"plan_id":"p1","station":"hello","command":"greet"}`,
			`{"plan_id":"p1","station":"hello","state":"queued","plan_time":"2026-03-01T12:00:00Z","created":true,"revision":1}`)
	})
}

// A plan without an id gets one before the leader is asked, and its bytes hold it.
func TestCreateMakesID(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{script: created}
		d := openOn(t, ns, l)
		answer, _ := d.ask(wire.JSON, "plans.create", `{"station":"hello","command":"greet"}`)
		asked := l.commands()[0].(command.CreatePlan).Definition
		id := asked.Plan.PlanID
		if len(id) != 26 || !strings.HasPrefix(id, schema.NewIDAt(noon, strings.NewReader("0123456789"))[:10]) {
			t.Errorf("plan_id %q is no ULID of noon", id)
		}
		if !strings.Contains(answer, id) || !strings.Contains(string(asked.Raw), id) {
			t.Errorf("plan_id %s is missing in answer %s or definition %s", id, answer, asked.Raw)
		}
	})
}

// The publisher's bytes, encoding and trace go on with the command.
func TestCreateHandsOn(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{script: created}
		d := openOn(t, ns, l)
		for trace, want := range map[string]string{
			"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			"two words":              "",
			strings.Repeat("a", 200): "",
		} {
			for _, enc := range encodings {
				m := nats.NewMsg("plans.create")
				m.Data = in(t, enc, `{"plan_id":"p","station":"s","command":"c","messages":[1,"two"]}`)
				m.Header.Set("traceparent", trace)
				if _, err := d.nc.RequestMsg(m, nats.DefaultTimeout); err != nil {
					t.Fatal(err)
				}
				c := l.commands()[0].(command.CreatePlan)
				if c.Trace != want {
					t.Errorf("trace %q came as %q", trace, c.Trace)
				}
				if c.Definition.Enc != enc || len(c.Definition.Plan.Messages) != 2 {
					t.Errorf("a plan in %s came in %s with messages %v", enc, c.Definition.Enc, c.Definition.Plan.Messages)
				}
			}
		}
	})
}

// A plan goes to the partition of its id.
func TestCreatePlaces(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		space := schema.Space{Partitions: 4}
		l := &leader{script: func(partition int, c command.Command) (any, error) {
			if want := storage.Partition(space, c.(command.CreatePlan).Definition.Plan.PlanID); partition != want {
				return nil, fmt.Errorf("partition %d was asked instead of %d", partition, want)
			}
			return created(partition, c)
		}}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space = space })
		for i := range 20 {
			body := fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c"}`, i)
			if answer, _ := d.ask(wire.JSON, "plans.create", body); !strings.Contains(answer, `"created":true`) {
				t.Error(answer)
			}
		}
	})
}

func TestCreateRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(nil, errBoom)
		l.script = func(_ int, c command.Command) (any, error) {
			if _, ok := c.(command.GetStation); ok {
				return schema.Station{Station: "s", Kind: schema.KindAPI}, nil
			}
			return nil, errBoom
		}
		d := openOn(t, ns, l)
		for _, c := range []struct {
			body        string
			code        schema.Code
			field, hint string
		}{
			{``, schema.CodeInvalidPlan, "station", "missing"},
			{`{}`, schema.CodeInvalidPlan, "station", "missing"},
			{`{"station":"s","command":"c","comand":"c"}`, schema.CodeInvalidPlan, "comand", `"command"`},
			{`{"Station":"s","command":"c"}`, schema.CodeInvalidPlan, "Station", `"station"`},
			{`{"station":"s.","command":"c"}`, schema.CodeInvalidPlan, "station", "dot"},
			{`{"station":"s","plan_id":"a b","command":"c"}`, schema.CodeInvalidPlan, "plan_id", "' '"},
			{`{"station":"s"}`, schema.CodeInvalidPlan, "command", "missing"},
			{`{"station":"s","command":"c","retry":{"strategy":"no"}}`, schema.CodeInvalidPlan, "retry.strategy", "exponential"},
			{`{"station":"s","command":"` + strings.Repeat("c", 5000) + `"}`, schema.CodeTooLarge, "command", "4096"},
			{`{"station":"s","command":"c","messages":["` + strings.Repeat("m", 512<<10) + `"]}`, schema.CodeTooLarge, "", "524288"},
			{`{"station":"s","command":"c","messages":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, schema.CodeInvalidPlan, "", "deep"},
			{`{"station":"s","command":"c","messages":[` + strings.Repeat("1,", 10_000) + `1]}`, schema.CodeInvalidPlan, "", "10000 items"},
		} {
			d.refuse("plans.create", c.body, c.code, c.field, c.hint)
		}
		large := refusalOf(t, jsonOf(t, d.send("plans.create", []byte(`{"station":"s","exec_timeout":1e400}`)).Data))
		if large.Field != "exec_timeout" || !strings.Contains(large.Message, "1e400 is too large a number") {
			t.Errorf("a number that is too large: %+v", large)
		}
		for _, body := range []string{`[]`, `{"a":1,"a":2}`, `{"station":"s"`, `{} {}`, `{"station":NaN}`, "\xc1", "\x82\xa1a\x01\xa1a\x02", "plain text"} {
			if e := refusalOf(t, jsonOf(t, d.send("plans.create", []byte(body)).Data)); e.Code != schema.CodeInvalidPlan {
				t.Errorf("%q: %v", body, e)
			}
		}
		for _, c := range l.commands() {
			if _, ok := c.(command.CreatePlan); ok {
				t.Errorf("%v was asked for", c)
			}
		}
	})
}

// All errors of a plan are reported, the first one twice.
func TestRefusalListsAll(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(nil, nil))
		answer, header := d.ask(wire.JSON, "plans.create", `{"station":"a b","command":"x","priority":10}`)
		for _, want := range []string{`{"error":{"code":"invalid_plan"`, `"errors":[`, `"field":"station"`, `"field":"priority"`} {
			if !strings.Contains(answer, want) {
				t.Errorf("%s is missing in %s", want, answer)
			}
		}
		if h := header.Get("Nats-Service-Error"); !strings.HasPrefix(h, "invalid_plan: station: ") {
			t.Errorf("Nats-Service-Error: %s", h)
		}
		// The errors of the calendar are among them, unless a field about time is wrong
		// already.
		for body, fields := range map[string][]string{
			`{"station":"s","command":"c","plan_type":"cron","cron":"61 * * * *","bogus":1}`:                    {"bogus", "cron"},
			`{"station":"s","command":"c","plan_type":"cron","cron":"0 0 31 2 *","timezone":"X/Y"}`:             {"timezone", "cron"},
			`{"station":"s","command":"c","plan_type":"cron","cron":"0 9 * * *","jitter":-1}`:                   {"jitter"},
			`{"station":"s","command":"c","plan_type":"crone","cron":"61 * * * *","jitter":-1}`:                 {"jitter", "plan_type"},
			`{"station":"s","command":"c","plan_type":"time","plan_time":"2026-01-01T00:00:00Z","priority":10}`: {"priority"},
		} {
			answer, _ := d.ask(wire.JSON, "plans.create", body)
			var refused struct {
				Error  schema.Error
				Errors []schema.Error
			}
			if err := json.Unmarshal([]byte(answer), &refused); err != nil {
				t.Fatal(err)
			}
			shown := []string{refused.Error.Field}
			for i, e := range refused.Errors {
				if i > 0 {
					shown = append(shown, e.Field)
				}
			}
			slices.Sort(shown)
			slices.Sort(fields)
			if diff := cmp.Diff(fields, shown); diff != "" {
				t.Errorf("%s (-want +got):\n%s", body, diff)
			}
		}
	})
}

// Plans of pub stations need no command; the leader knows the kind of a station.
func TestCreateWithoutCommand(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: func(partition int, c command.Command) (any, error) {
			get, ok := c.(command.GetStation)
			switch {
			case !ok:
				return created(partition, c)
			case get.Station == "news":
				return schema.Station{Station: "news", Kind: schema.KindPub}, nil
			case get.Station == "slow":
				return nil, &schema.Error{Code: schema.CodeUnavailable, Message: "no leader"}
			default:
				return nil, &schema.Error{Code: schema.CodeNotFound, Message: "never put"}
			}
		}})
		d.want("plans.create", `{"plan_id":"p","station":"news"}`,
			`{"plan_id":"p","station":"news","state":"queued","plan_time":"2026-03-01T12:00:00Z","created":true,"revision":1}`)
		d.refuse("plans.create", `{"station":"hello"}`, schema.CodeInvalidPlan, "command", "missing")
		d.refuse("plans.create", `{"station":"slow"}`, schema.CodeUnavailable, "", "no leader")
	})
}

// An error that leaves open whether the plan exists has its generated id.
func TestUnavailableNamesMadeID(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(nil, &schema.Error{Code: schema.CodeUnavailable, Message: "no scheduler leads"})
		d := openOn(t, ns, l)
		answer, _ := d.ask(wire.JSON, "plans.create", `{"station":"s","command":"c"}`)
		id := l.commands()[0].(command.CreatePlan).Definition.Plan.PlanID
		if e := refusalOf(t, answer); e.Code != schema.CodeUnavailable || e.PlanID != id || !strings.Contains(e.Message, id) {
			t.Errorf("%v does not name %s", e, id)
		}
		d.refuse("plans.create", `{"station":"s","command":"c","plan_id":"mine"}`, schema.CodeUnavailable, "", "leads")
		if answer, _ := d.ask(wire.JSON, "plans.create", `{"station":"s","command":"c","plan_id":"mine"}`); strings.Contains(answer, "plan_id") {
			t.Errorf("%s names an id that the publisher knows", answer)
		}
	})
}

func TestGet(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		def := plan(t, `{"plan_id":"p","station":"s","command":"c","messages":[1.5,{"a":null}]}`)
		l := answering(command.PlanView{PlanView: schema.PlanView{Plan: def.Value(), State: schema.PlanState{Status: schema.StatusExecuting, N: 3, Revision: 2}}}, nil)
		d := openOn(t, ns, l)
		d.want("plans.get", `{"station":"s","plan_id":"p"}`,
			`{"plan":{"plan_id":"p","station":"s","command":"c","messages":[1.5,{"a":null}]},`+
				`"state":{"status":"executing","occurrence":0,"attempt":0,"n":3,"real_repet":0,"skip_num":0,"revision":2}}`)
		if got, want := l.commands()[0], (command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}}); got != want {
			t.Errorf("asked for %v, want %v", got, want)
		}
		d.ask(wire.JSON, "plans.get", `{"station":"s","plan_id":"p","in_force":true}`)
		if got, want := l.commands()[0], (command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}, InForce: true}); got != want {
			t.Errorf("asked for %v, want %v", got, want)
		}
	})
}

// Every verb that names a plan or a station checks the name, and passes on the leader's error.
func TestNamesAndLeadersErrors(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		notFound := &schema.Error{Code: schema.CodeNotFound, Field: "plan_id", Message: "there is no plan s/p"}
		d := openOn(t, ns, answering(nil, notFound))
		for _, verb := range []string{
			"plans.get", "plans.close", "plans.remove", "plans.runs",
			"plans.pause", "plans.resume", "plans.trigger", "plans.skip", "plans.reset", "plans.update",
		} {
			d.refuse(verb, `{"station":"s","plan_id":"p"}`, schema.CodeNotFound, "plan_id", "there is no plan s/p")
			if verb != "plans.runs" { // where the station alone means all its plans
				d.refuse(verb, `{"station":"s"}`, schema.CodeInvalidPlan, "plan_id", "empty")
			}
			d.refuse(verb, `{"plan_id":"p"}`, schema.CodeInvalidPlan, "station", "empty")
			d.refuse(verb, `{"station":"s.>","plan_id":"p"}`, schema.CodeInvalidPlan, "station", "'>'")
			d.refuse(verb, `{"station":"s","plan_id":"p","n":1}`, schema.CodeInvalidPlan, "n", "unknown field")
			d.refuse(verb, `{"station":"s","plan_id":7.5}`, schema.CodeInvalidPlan, "plan_id", "text")
		}
		for _, verb := range []string{"stations.get", "stations.delete"} {
			d.refuse(verb, `{"station":"s"}`, schema.CodeNotFound, "plan_id", "there is no plan s/p")
			d.refuse(verb, ``, schema.CodeInvalidRequest, "station", "empty")
			d.refuse(verb, `{"station":"*"}`, schema.CodeInvalidRequest, "station", "'*'")
		}
	})
}

func jsonOf(t testing.TB, body []byte) string {
	t.Helper()
	v, err := wire.Scan(body, wire.Limits{})
	if err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	return v.String()
}
