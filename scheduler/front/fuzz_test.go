package front_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// obliging is a leader that answers every command with a value of the right type. Station t is
// a task type, a plan that is asked for without a station is a queue, and there is a periodic
// task 7.
func obliging(_ int, c command.Command) (any, error) {
	name := command.ClaimedName{Name: schema.PlanName{Station: "t", PlanID: "p"}, N: 1, Nonce: "0123456789abcdef"}
	switch c := c.(type) {
	case command.CreatePlan:
		return created(0, c)
	case command.RestorePlan:
		return schema.Created{PlanID: c.Definition.Plan.PlanID, Created: true}, nil
	case command.GetPlan:
		return someView(c.Name), nil
	case command.ListPlans:
		all := []command.PlanView{someView(name.Name)}
		if !c.Tasks {
			all = append(all, someView(schema.PlanName{PlanID: "q"}), someView(schema.PlanName{Station: "s", PlanID: task.PeriodicPlanID("7")}))
		}
		return command.PlanSlice{Plans: all}, nil
	case command.ListItems, command.ClaimItems:
		return command.Claimed{Items: []wire.Value{wire.Text(wire.JSON, "item")}, Length: 1}, nil
	case command.CompleteItems, command.ReleaseItems, command.DropItems:
		return command.InboxLeft{Length: 1, PlanTime: noon}, nil
	case command.PushItem:
		return schema.Pushed{}, nil
	case command.ClaimWork: // never empty, because the claim would wait
		view := someView(name.Name)
		e := command.ClaimedExecution{
			ClaimedName: name, Body: wire.Trust(wire.JSON, []byte(`{"plan_id":"p"}`)), View: &view,
			Reply: schema.Space{}.Reply(0, name.Name.Station, name.Name.PlanID, schema.ExecName(name.N, name.Nonce)),
		}
		return command.ClaimedWork{Executions: []command.ClaimedExecution{e}}, nil
	case command.ReturnWork:
		return command.Returned{Returned: len(c.Executions)}, nil
	case command.StopClaim:
		return command.Stopped{}, nil
	case command.GetTask:
		view := someView(c.Name)
		return command.TaskView{Plan: &view}, nil
	case command.ReportTask:
		view := someView(name.Name)
		return command.TaskReported{Ack: schema.Ack{Ack: true, Accepted: true}, Task: command.TaskView{Plan: &view}}, nil
	case command.ClosePlan, command.RemovePlan, command.PausePlan, command.ResumePlan, command.SkipPlan, command.ResetPlan, command.CancelRun, command.EndTask:
		return schema.Standing{}, nil
	case command.UpdatePlan:
		return schema.Created{}, nil
	case command.TriggerPlan:
		return schema.Triggered{}, nil
	case command.GetWorker:
		return command.FoundWorker{There: true, WorkerView: schema.WorkerView{Worker: schema.Worker{WorkerID: "w1"}}}, nil
	case command.ListWorkers:
		return command.WorkerSlice{Workers: []schema.Worker{{WorkerID: "w1"}}, More: true}, nil
	case command.OpenRuns:
		return []schema.Result(nil), nil
	case command.ListOpen:
		return command.OpenSlice{Open: []command.OpenRun{{TimelineBar: schema.TimelineBar{Station: "s", PlanID: "p", N: 1, Due: noon, Start: noon, State: schema.StateRunning}, WorkerID: "w1"}}}, nil
	case command.ExplainPlan:
		known := schema.Explanation{Station: c.Name.Station, PlanID: c.Name.PlanID, Verdict: schema.VerdictRuns, Occurrence: 1, N: 1, State: schema.StateRunning}
		return command.Explained{Known: known, Plan: someView(c.Name).Plan}, nil
	case command.PutStation:
		return schema.StationPut{}, nil
	case command.GetStation:
		return someStation(c.Station), nil
	case command.DeleteStation:
		return schema.StationDeleted{}, nil
	case command.PutCalendar:
		return schema.CalendarPut{CalendarID: c.Calendar.CalendarID, Created: true, Revision: 1}, nil
	case command.GetCalendar:
		return schema.Calendar{CalendarID: c.CalendarID, Revision: 1}, nil
	case command.DeleteCalendar:
		return schema.CalendarDeleted{CalendarID: c.CalendarID, Deleted: true}, nil
	case command.ListCalendars:
		return command.CalendarSlice{Calendars: []schema.CalendarSummary{{CalendarID: "c", Revision: 1}}}, nil
	case command.ReadCounters:
		return command.Counters{Overview: &schema.Overviewed{}}, nil
	case command.ListStations:
		if c.Used {
			return command.StationSlice{Used: []schema.UsedStation{{Station: someStation("s")}}}, nil
		}
		return command.StationSlice{Stations: []schema.Station{someStation("s"), someStation("t")}, More: c.After == ""}, nil
	}
	return nil, fmt.Errorf("unknown command %T", c)
}

func someStation(name string) schema.Station {
	s := schema.Station{Station: name, Kind: schema.KindPub}
	if name == "t" {
		s.TaskType = &schema.TaskType{Code: name}
	}
	return s
}

func someView(name schema.PlanName) command.PlanView {
	plan := fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":"c"}`, name.PlanID, name.Station)
	view := command.PlanView{Record: wire.MapOf(wire.JSON, nil, 0), Trace: &command.TaskTrace{Accepted: noon}}
	switch {
	case name.Station == "":
		plan = fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":"queue","ext":{"key":"k"}}`, name.PlanID, queue.HoldStation)
		view.State.Inbox = &schema.InboxState{Key: "k", Length: 1}
	case name.PlanID == task.PeriodicPlanID("7"):
		plan = fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":%q,"plan_type":"cron","cron":"@daily","messages":[{"id":"7","type":"s"}]}`, name.PlanID, name.Station, schema.PeriodicCommand)
	}
	view.Plan = wire.Trust(wire.JSON, []byte(plan))
	return view
}

// Any bytes get an answer in an encoding and no internal error, and the front keeps running.
func FuzzRequest(f *testing.F) {
	for i := range subjects {
		for _, body := range []string{
			``, `{}`, `[]`, `{"station":"s","plan_id":"p"}`, `{"station":"s","command":"c","plan_type":"cron","cron":"@daily"}`,
			`{"plans":[{"station":"s"}]}`, `{"plans":[{"plan":{"plan_id":"p","station":"s","command":"c"},"inbox":{},"items":{"items":[1],"goes_on":true}}]}`, `{"plan":{"plan_type":"week"},"count":3}`, `{"cursor":"cGE"}`, "\x81\xa7station\xc4\x01s", "\xdf\xff\xff\xff\xff",
			`{"station":"s","kind":"pub","retry":{"sequence":[1]}}`, `{"limit":1e3,"status":[1]}`,
			`{"station":"s","plan_id":"p","revision":1,"command":null,"labels":{"a":"b"}}`, `{"station":"s","plan_id":"p","n":1}`, `{"station":"s","plan_id":"p","count":-1}`,
			`{"key":"k","task":1,"data":{"a":1}}`, `{"key":"k","number":1,"random":"r"}`, `{"worker_id":"w","limit":2,"wait_ms":60000}`,
			`{"type":"t","id":"p"}`, `{"type":"t","id":"p","exec_id":"1-0123456789abcdef","status":"Error"}`, `{"code":"t"}`, `{"id":"7"}`,
		} {
			f.Add(i, []byte(body))
		}
	}
	for subject, name := range map[string]string{
		"plans.create": "plan", "plans.list": "list_plans", "plans.push": "push", "plans.explain": "explain", "plans.claim.s": "claim", "plans.import": "import", "plans.items": "look_inbox", "plans.restore": "restore",
		"stations.put": "station", "calendars.put": "calendar", "calendars.list": "list_calendars", "calendars.days": "ask_calendar_days", "queues.push": "queue_push", "queues.get": "queue_get", "queues.complete": "queue_complete", "queues.release": "queue_release",
		"periodic_tasks.put": "periodic_put", "periodic_tasks.list": "list_periodic", "task_types.put": "task_type", "tasks.submit": "task_batch", "tasks.list": "list_tasks", "tasks.fetch": "task_fetch", "tasks.report": "task_report", "secrets.put": "secret", "secrets.list": "list_secrets", "secrets.delete": "secret_name",
	} {
		for _, enc := range encodings {
			body, err := os.ReadFile(filepath.Join("..", "..", "schema", "testdata", "wire", "v1", name+"."+enc.String()))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(slices.Index(subjects, subject), body)
		}
	}
	d := open(f, &leader{script: obliging})
	f.Fuzz(func(t *testing.T, i int, body []byte) {
		subject := subjects[uint(i)%uint(len(subjects))]
		m, err := d.nc.Request(subject, body, 30*time.Second)
		if err != nil {
			t.Fatalf("%s %q: %v", subject, body, err)
		}
		v, err := wire.Scan(m.Data, wire.Limits{Items: 1 << 20})
		if err != nil || v.Encoding().ContentType() != m.Header.Get("Content-Type") {
			t.Fatalf("%s %q: answer %q, %v", subject, body, m.Data, err)
		}
		refused := m.Header.Get("Nats-Service-Error-Code")
		if refused == "500" || (refused != "") != !v.Field("error").IsZero() {
			t.Fatalf("%s %q: answer %q with code %q", subject, body, m.Data, refused)
		}
	})
}
