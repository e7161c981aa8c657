package front_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Each verb about one plan sends one command to the plan's partition, and answers with the
// leader's answer.
func TestManage(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		space := schema.Space{Partitions: 4}
		name := schema.PlanName{Station: "s", PlanID: "p"}
		l := &leader{}
		l.script = func(partition int, c command.Command) (any, error) {
			if want := storage.Partition(space, name.PlanID); partition != want {
				return nil, fmt.Errorf("partition %d was asked instead of %d", partition, want)
			}
			if _, ok := c.(command.TriggerPlan); ok {
				return schema.Triggered{PlanID: "p", Station: "s", State: schema.StatusExecuting, N: 7}, nil
			}
			return schema.Standing{PlanID: "p", Station: "s", State: schema.StatusQueued, PlanTime: noon, Revision: 3}, nil
		}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space = space })
		standing := `{"plan_id":"p","station":"s","state":"queued","plan_time":"2026-03-01T12:00:00Z","revision":3}`
		for _, c := range []struct {
			verb, more string
			want       command.Command
			answer     string
		}{
			{"pause", ``, command.PausePlan{Name: name}, standing},
			{"resume", ``, command.ResumePlan{Name: name}, standing},
			{"trigger", ``, command.TriggerPlan{Name: name}, `{"plan_id":"p","station":"s","state":"executing","n":7}`},
			{"skip", ``, command.SkipPlan{Name: name, Count: 1}, standing},
			{"skip", `,"count":null`, command.SkipPlan{Name: name, Count: 1}, standing},
			{"skip", `,"count":0`, command.SkipPlan{Name: name, Count: 0}, standing},
			{"skip", `,"count":-1`, command.SkipPlan{Name: name, Count: -1}, standing},
			{"skip", `,"count":5`, command.SkipPlan{Name: name, Count: 5}, standing},
			{"reset", ``, command.ResetPlan{Name: name}, standing},
			{"close", ``, command.ClosePlan{Name: name}, standing},
			{"remove", ``, command.RemovePlan{Name: name}, standing},
			{"remove", `,"revision":3`, command.RemovePlan{Name: name, Revision: 3}, standing},
			{"remove", `,"revision":3,"incarnation":9`, command.RemovePlan{Name: name, Revision: 3, Incarnation: 9}, standing},
			{"cancel", `,"n":4`, command.CancelRun{Name: name, N: 4}, standing},
		} {
			d.want("plans."+c.verb, `{"station":"s","plan_id":"p"`+c.more+`}`, c.answer)
			for _, got := range l.commands() {
				if got != c.want {
					t.Errorf("%s asked for %#v, want %#v", c.verb, got, c.want)
				}
			}
		}
	})
}

func TestManageRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(nil, errBoom)
		d := openOn(t, ns, l)
		d.refuse("plans.remove", `{"station":"s","plan_id":"p","revision":0}`, schema.CodeConflict, "revision", "no plan has")
		for _, c := range []struct{ verb, more, field, hint string }{
			{"pause", `,"reason":"x"`, "reason", "unknown field"},
			{"resume", `,"at":1`, "at", "unknown field"},
			{"trigger", `,"messages":[]`, "messages", "unknown field"},
			{"reset", `,"n":1`, "n", "unknown field"},
			{"skip", `,"count":-2`, "count", "-1 for all"},
			{"skip", `,"count":"2"`, "count", "whole number"},
			{"skip", `,"count":1.5`, "count", "whole number"},
			{"skip", `,"coun":1`, "coun", `"count"`},
			{"cancel", ``, "n", "missing"},
			{"cancel", `,"n":0`, "n", "from 1"},
			{"cancel", `,"n":-4`, "n", "from 1"},
			{"cancel", `,"n":"4"`, "n", "whole number"},
			{"cancel", `,"n":4,"reason":"x"`, "reason", "unknown field"},
			{"run", ``, "n", "missing"},
			{"run", `,"n":0`, "n", "from 1"},
			{"run", `,"n":1,"state":"ok"`, "state", "unknown field"},
		} {
			d.refuse("plans."+c.verb, `{"station":"s","plan_id":"p"`+c.more+`}`, schema.CodeInvalidPlan, c.field, c.hint)
		}
		for _, verb := range []string{"plans.cancel", "plans.run"} {
			d.refuse(verb, `{"plan_id":"p","n":1}`, schema.CodeInvalidPlan, "station", "empty")
			d.refuse(verb, `{"station":"s","n":1}`, schema.CodeInvalidPlan, "plan_id", "empty")
		}
		if asked := l.commands(); len(asked) > 0 {
			t.Errorf("the leader was asked for %v", asked)
		}
	})
}

// The plans that deliver callbacks sign with the secrets of others, so that only the scheduler
// creates them or adds to them.
func TestCallbackPlansAreTheSchedulers(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(nil, errBoom)
		d := openOn(t, ns, l)
		const plan = `{"station":"callback.s","plan_id":"p","command":"callback"}`
		d.refuse("plans.create", plan, schema.CodeInvalidPlan, "station", "the scheduler's own")
		d.refuse("plans.push", `{"station":"callback.s","plan_id":"p","item":1}`, schema.CodeInvalidPlan, "station", "the scheduler's own")
		d.refuse("plans.push", `{"station":"callback.s","plan_id":"p","item":1,"plan":`+plan+`}`, schema.CodeInvalidPlan, "station", "the scheduler's own")
		for what, backup := range map[string]string{
			"in a map":   `{"plan":` + plan + `,"record":{"revision":1,"accepted":"2026-03-01T11:00:00Z"}}`,
			"in bytes":   `{"raw":"` + base64.StdEncoding.EncodeToString([]byte(plan)) + `","encoding":"json","record":{"revision":1,"accepted":"2026-03-01T11:00:00Z"}}`,
			"with items": `{"plan":` + plan + `,"inbox":{},"items":{"items":[1]}}`,
		} {
			for _, enc := range encodings {
				answer, _ := d.ask(enc, "plans.restore", `{"plans":[`+backup+`],"on_conflict":"keep"}`)
				if !strings.Contains(answer, `"created":0`) || !strings.Contains(answer, `"field":"station"`) || !strings.Contains(answer, "the scheduler's own") {
					t.Errorf("restored %s in %s: %s", what, enc, answer)
				}
			}
		}
		if asked := l.commands(); len(asked) > 0 {
			t.Errorf("a leader was asked for %v", asked)
		}
	})
}
