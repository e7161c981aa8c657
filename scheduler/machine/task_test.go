package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// What a person says of a large task finds room in one append, wherever the task stands,
// and history has the task whole.
func TestTheEndOfALargeTaskRepeatsItWhole(t *testing.T) {
	name := schema.PlanName{Station: "t", PlanID: "p"}
	remark := strings.Repeat("\x01", 4<<10) // six bytes each in JSON
	for _, stands := range []string{"waiting", "executing", "pending"} {
		x := newBench(t)
		zero := int64(0)
		x.step(Ask{From: "", What: schema.PutStation{Station: &schema.Station{
			Station: "t", TaskType: &schema.TaskType{Code: "t"},
			Policy: schema.Policy{Retry: &schema.Retry{MaxErrorCount: &zero, NeedManual: true}},
		}}})
		start := x.now
		if stands == "waiting" {
			start = start.Add(time.Hour)
		}
		x.create(fmt.Sprintf(`{"plan_id":"p","station":"t","command":"task","messages":["%s"],"plan_type":"time","no_keep":true,"plan_time":%q}`,
			strings.Repeat("m", 500<<10), start.Format(time.RFC3339)))
		x.step(Tick{})
		if stands == "pending" {
			nonce := x.m.nonce(x.m.plans[name], 1)
			x.step(Ask{From: "agent", What: schema.ReportTask{
				About: schema.ReplyName{Station: "t", PlanID: "p", N: 1, Nonce: string(nonce.AppendHex(nil))},
				Reply: schema.Reply{State: schema.StateError},
			}})
		}
		ended := false
		for _, e := range x.step(Ask{From: "user", What: schema.EndTask{Name: name, Processed: stands == "pending", Remark: remark}}) {
			if p, ok := e.(Publish); ok {
				ended = len(p.Body) > 500<<10
			}
		}
		if x.m.plans[name] != nil || !ended {
			t.Errorf("%s: the task is there: %v, its end is told whole: %v", stands, x.m.plans[name] != nil, ended)
		}
	}
}

// A task that waits for its time costs no more than any plan.
func TestAnIdleTaskHasNoOptions(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"t","command":"task","plan_type":"time","no_keep":true,"plan_time":"2100-01-01T00:00:00Z"}`)
	if p := x.m.plans[schema.PlanName{Station: "t", PlanID: "p"}]; p.opts != nil || p.marks != nil || p.open != nil {
		t.Errorf("it is kept as %+v", p)
	}
}
