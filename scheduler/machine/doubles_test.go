package machine

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// doubled are plans whose lists name something twice, as earlier releases took them in.
var doubled = []string{
	`{"plan_id":"a","station":"s","command":"c","plan_type":"none","worker_ids":["w1","w1"]}`,
	`{"plan_id":"b","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,"worker_count":2,"worker_ids":["w2","w1","w2","w1"]}`,
	`{"plan_id":"c","station":"t","command":"c","plan_type":"none","worker_ids":["w1","w1","w2"],"retry":{"strategy":"sequence","sequence":[1,1,5,5]}}`,
}

// TestFrozenDoubles leads the rows of an installation that took in lists which name something
// twice. It shows them as they were sent, and runs, changes and removes their plans like any
// others.
func TestFrozenDoubles(t *testing.T) {
	path := filepath.Join("testdata", "wire", "doubles.v1.msgpack")
	if *freeze {
		if err := os.WriteFile(path, rowsOfDoubles(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(body, rowsOfDoubles(t)) {
		t.Errorf("%s is written otherwise", path)
	}
	var rows []event.Row
	if err := event.Rows(body, func(r event.Row) error {
		rows = append(rows, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	x := newBench(t)
	x.follow(rows)
	x.now = x.now.Add(5 * time.Second)
	x.m.Lead(x.now, 2, time.Time{})
	x.looks()
	name := schema.PlanName{Station: "s", PlanID: "a"}
	view, is := x.step(event.Ask{From: "user", What: command.GetPlan{Name: name}})[0].(event.Answer).Body.(command.PlanView)
	if !is || view.Plan.String() != doubled[0] {
		t.Errorf("it is shown as %s", view.Plan)
	}
	if got, want := x.m.part.Plans[name].Options().Workers, []string{"w1"}; !cmp.Equal(got, want) {
		t.Errorf("%v may have it, not %v", got, want)
	}
	for _, worker := range []string{"w1", "w2"} {
		out := x.last(x.step(event.Ask{From: worker, What: command.ClaimWork{WorkerID: worker, Stations: []string{"s", "s"}, Limit: 10}})).(event.ClaimGranted)
		if want := map[string]int{"w1": 2, "w2": 1}[worker]; len(out.Executions) != want {
			t.Errorf("%s gets %d executions, not %d", worker, len(out.Executions), want)
		}
	}
	x.step(event.Ask{From: "user", What: command.RemovePlan{Name: name}})
	for _, id := range []string{"b", "c"} {
		p := x.m.part.Sorted.Items()[0]
		x.step(event.Ask{From: "user", What: command.UpdatePlan{
			Definition:  parse(t, `{"plan_id":"`+id+`","station":"`+p.Name.Station+`","command":"c","plan_type":"none","worker_ids":["w3","w3"]}`),
			Incarnation: p.Incarnation, Revision: p.Revision,
		}})
		x.step(event.Ask{From: "user", What: command.RemovePlan{Name: p.Name}})
	}
	if len(x.m.part.Plans) != 0 {
		t.Errorf("%d plans are left", len(x.m.part.Plans))
	}
}

// rowsOfDoubles are the rows of the accepted plans.
func rowsOfDoubles(t *testing.T) []byte {
	x := newBench(t)
	x.m.Step(x.now, event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull}}}, x.b)
	for _, plan := range doubled {
		x.m.Step(x.now, event.Ask{From: "user", What: command.CreatePlan{Definition: parse(t, plan)}}, x.b)
	}
	return x.b.Seal()
}
