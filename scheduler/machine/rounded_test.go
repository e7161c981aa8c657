package machine

import (
	"errors"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestANumberThatMessagePackWouldRound checks that a plan with one for a station that wants
// MessagePack is refused, and that an existing plan goes on.
func TestANumberThatMessagePackWouldRound(t *testing.T) {
	const long, short = "123456789012345678901", "18446744073709551615"
	plan := func(cron, number string) *schema.Definition {
		return parse(t, `{"plan_id":"p","station":"s","command":"c","plan_type":"cron","cron":"`+cron+`","messages":[{"id":[`+number+`]}]}`)
	}
	x := newBench(t)
	ask := func(c command.Command) error {
		for _, e := range x.step(event.Ask{From: "user", What: c}) {
			if a, ok := e.(event.Answer); ok {
				return a.Err
			}
		}
		t.Fatal("got no answer")
		return nil
	}
	refused := func(err error) bool {
		wrong, is := errors.AsType[*schema.Error](err)
		return is && wrong.Field == "messages" && strings.Contains(wrong.Message, long)
	}
	update := func(d *schema.Definition) error {
		p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
		return ask(command.UpdatePlan{Definition: d, Incarnation: p.Incarnation, Revision: p.Revision})
	}
	put := func(encoding string) {
		if err := ask(command.PutStation{Station: &schema.Station{Station: "s", Encoding: encoding}}); err != nil {
			t.Fatal(err)
		}
	}
	put("msgpack")
	if err := ask(command.CreatePlan{Definition: plan("0 0 1 1 *", long)}); !refused(err) || len(x.m.part.Plans) > 0 {
		t.Errorf("created: %v", err)
	}
	if err := ask(command.CreatePlan{Definition: plan("0 0 1 1 *", short)}); err != nil {
		t.Error(err)
	}
	if err := update(plan("0 0 1 1 *", long)); !refused(err) {
		t.Errorf("updated: %v", err)
	}
	put("json")
	if err := update(plan("0 0 1 1 *", long)); err != nil {
		t.Error(err)
	}
	put("msgpack")
	if err := update(plan("0 0 2 2 *", long)); err != nil {
		t.Errorf("updated, with what it had before: %v", err)
	}
}
