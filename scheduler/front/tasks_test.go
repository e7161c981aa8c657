package front_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// typed is a leader with one task type, t, that answers commands about tasks with a function
// of the test.
func typed(about func(command.Command) (any, error)) *leader {
	return &leader{script: func(_ int, c command.Command) (any, error) {
		switch c := c.(type) {
		case command.GetStation:
			switch c.Station {
			case "t":
				return schema.Station{Station: "t", Kind: schema.KindPull, TaskType: &schema.TaskType{Code: "t", Category: "c"}}, nil
			case "plain":
				return schema.Station{Station: "plain", Kind: schema.KindPub}, nil
			}
			return nil, &schema.Error{Code: schema.CodeNotFound, Field: "station", Message: "never put"}
		}
		return about(c)
	}}
}

func TestTaskTypesAreStations(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var living []command.PlanView
		d := openOn(t, ns, &leader{script: func(_ int, c command.Command) (any, error) {
			switch c := c.(type) {
			case command.PutStation:
				return schema.StationPut{Station: c.Station.Station, Created: c.Station.TaskType.Code == c.Station.Station}, nil
			case command.DeleteStation:
				return schema.StationDeleted{Station: c.Station, Deleted: true}, nil
			case command.ListPlans:
				var found []command.PlanView
				for _, view := range living {
					station, _ := view.Plan.Field("station").Text()
					if station == c.Filter.Station && (!c.Tasks || task.IsTask(view.Plan)) {
						found = append(found, view)
					}
				}
				return command.PlanSlice{Plans: found}, nil
			case command.ListStations:
				var all []schema.Station
				for _, name := range []string{"a", "b", "plain", "t"} {
					s := schema.Station{Station: name, Kind: schema.KindPull}
					if name != "plain" {
						s.TaskType = &schema.TaskType{Code: name, Category: name[:1]}
					}
					if name > c.After {
						all = append(all, s)
					}
				}
				return command.StationSlice{Stations: all}, nil
			}
			return typed(nil).script(0, c)
		}})
		d.want("task_types.put", `{"code":"a"}`, `{"code":"a","created":true}`)
		d.want("task_types.get", `{"code":"t"}`, `{"code":"t","category":"c","config":{}}`)
		d.refuse("task_types.get", `{"code":"plain"}`, schema.CodeNotFound, "code", "task_types.put makes one")
		d.refuse("task_types.get", `{"code":"none"}`, schema.CodeNotFound, "code", "no task type")
		d.refuse("task_types.get", `{"code":"*"}`, schema.CodeInvalidRequest, "code", "holds")
		d.want("task_types.list", `{"category":"b"}`, `{"task_types":[{"code":"b","category":"b","config":{}}]}`)
		first, _ := d.ask(wire.JSON, "task_types.list", `{"limit":2}`)
		next, _ := value(t, first).Field("next").Text()
		if !strings.HasPrefix(first, `{"task_types":[{"code":"a"`) || strings.Contains(first, `"code":"t"`) || next == "" {
			t.Errorf("the first page is %s", first)
		}
		d.want("task_types.list", `{"cursor":"`+next+`"}`, `{"task_types":[{"code":"t","category":"t","config":{}}]}`)
		d.want("task_types.delete", `{"code":"t"}`, `{"code":"t","deleted":true}`)
		d.refuse("task_types.delete", `{"code":"plain"}`, schema.CodeNotFound, "code", "no task type")
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: value(t, `{"station":"t","plan_id":"p","command":"task"}`)}}}
		d.refuse("task_types.delete", `{"code":"t"}`, schema.CodeConflict, "code", "not finished")
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: value(t, `{"station":"callback.t","plan_id":"p","command":"callback"}`)}}}
		d.refuse("task_types.delete", `{"code":"t"}`, schema.CodeConflict, "code", "not delivered")

		// Other plans at the station of a type forbid to delete it, and to create it.
		trigger := value(t, `{"station":"t","plan_id":"periodic_sync","command":"periodic_task","messages":[{"id":"sync","type":"t"}]}`)
		plan := value(t, `{"station":"t","plan_id":"z","command":"tidy"}`)
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: trigger}}}
		d.refuse("task_types.delete", `{"code":"t"}`, schema.CodeConflict, "code", "periodic task sync triggers task type t; periodic_tasks.delete")
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: trigger}}, {PlanView: schema.PlanView{Plan: plan}}}
		d.refuse("task_types.delete", `{"code":"t"}`, schema.CodeConflict, "code", "plans that are no tasks, such as t/z; plans.list of station t shows them")
		d.want("task_types.put", `{"code":"t"}`, `{"code":"t","created":true,"dropped":["category"]}`)

		d.refuse("task_types.put", `{"code":"plain"}`, schema.CodeConflict, "code", "station plain has a record of kind pub")
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: value(t, `{"station":"plain","plan_id":"p","command":"tidy"}`)}}}
		d.refuse("task_types.put", `{"code":"plain"}`, schema.CodeConflict, "code", "no tasks, such as plain/p,")
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: value(t, `{"station":"b","plan_id":"p","command":"tidy"}`)}}}
		d.refuse("task_types.put", `{"code":"b"}`, schema.CodeConflict, "code", "plans.list of station b shows them")
		living = []command.PlanView{{PlanView: schema.PlanView{Plan: value(t, `{"station":"b","plan_id":"periodic_sync","command":"periodic_task","messages":[{"id":"sync","type":"b"}]}`)}}}
		d.want("task_types.put", `{"code":"b"}`, `{"code":"b","created":true}`)
	})
}

// A secret need not be repeated, because no user can read it; but it has to exist.
func TestTheSecretOfATypeIsPutOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, typed(func(command.Command) (any, error) { return schema.StationPut{Station: "t"}, nil }))
		signed := func(sk string) string {
			return fmt.Sprintf(`{"code":"t","config":{"callback":{"success":{"url":"https://example.org/"},"security":{"type":"aksk","ak":"A"%s}}}}`, sk)
		}
		d.refuse("task_types.put", signed(""), schema.CodeInvalidRequest, "config.callback.security.sk", "none is stored")
		d.want("task_types.put", signed(`,"sk":"hush"`), `{"code":"t","created":false,"dropped":["category"]}`)
		d.want("task_types.put", signed(""), `{"code":"t","created":false,"dropped":["category"]}`)
		secrets := d.store.Secrets(nil)
		if sk, err := secrets.Get(t.Context(), "t"); err != nil || sk != "hush" {
			t.Errorf("the secret is %q, %v", string(sk), err)
		}
		d.want("task_types.put", `{"code":"t"}`, `{"code":"t","created":false,"dropped":["category"]}`)
		if known, err := secrets.Has(t.Context(), "t"); known || err != nil {
			t.Errorf("a type that signs nothing has a secret: %v, %v", known, err)
		}
	})
}

// A type that got a task while it was being deleted is restored in all partitions.
func TestATypeThatGotATaskMeanwhileStays(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{}
		l.script = func(partition int, c command.Command) (any, error) {
			switch c := c.(type) {
			case command.GetStation:
				return schema.Station{Station: "t", Kind: schema.KindPull, TaskType: &schema.TaskType{Code: "t"}}, nil
			case command.ListPlans:
				return command.PlanSlice{}, nil
			case command.DeleteStation:
				if partition == 0 {
					return nil, &schema.Error{Code: schema.CodeConflict, Field: "code", Message: "t has tasks"}
				}
				return schema.StationDeleted{Station: "t", Deleted: true}, nil
			case command.PutStation:
				if c.Station.TaskType == nil {
					return nil, fmt.Errorf("put %+v", c.Station)
				}
				return schema.StationPut{Station: "t"}, nil
			default:
				return nil, fmt.Errorf("asked %T", c)
			}
		}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space.Partitions = 2 })
		d.refuse("task_types.delete", `{"code":"t"}`, schema.CodeConflict, "code", "has tasks")
		asked := l.commands()
		for _, c := range asked[len(asked)-2:] {
			if _, ok := c.(command.PutStation); !ok {
				t.Errorf("at last %T was asked", c)
			}
		}
	})
}

func TestSubmit(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		created, refused := schema.Created{Created: true}, error(nil)
		l := typed(func(c command.Command) (any, error) {
			switch c := c.(type) {
			case command.CreatePlan:
				return created, refused
			case command.GetTask:
				return command.TaskView{Plan: &command.PlanView{
					PlanView: schema.PlanView{
						Plan:  value(t, `{"plan_id":"a","station":"t","command":"task","messages":[{"id":"a","type":"t"}]}`),
						State: schema.PlanState{Status: schema.StatusPending},
					},
					Trace: &command.TaskTrace{},
				}}, nil
			default:
				return nil, fmt.Errorf("asked %T", c)
			}
		})
		d := openOn(t, ns, l)
		d.want("tasks.submit", `{"type":"t","id":5}`, `{"id":"5","type":"t","status":"New"}`)
		asked := l.commands()
		plan := asked[len(asked)-1].(command.CreatePlan).Definition.Plan
		if diff := cmp.Diff([]string{"5", "t", "task", "c", "0"}, []string{plan.PlanID, plan.Station, plan.Command, plan.Category, plan.Creator}); diff != "" {
			t.Error(diff)
		}
		d.refuse("tasks.submit", `{"type":"plain"}`, schema.CodeNotFound, "type", "no task type")
		d.refuse("tasks.submit", `{"type":"none"}`, schema.CodeNotFound, "type", "no task type")
		d.refuse("tasks.submit", `{"type":"t","priority":10}`, schema.CodeInvalidRequest, "priority", "0 to 9")

		refused = &schema.Error{Code: schema.CodeAlreadyExists, Field: "plan_id", Message: "t/5 exists"}
		d.refuse("tasks.submit", `{"type":"t","id":5}`, schema.CodeAlreadyExists, "id", "task 5 of type t exists")
		refused = &schema.Error{Code: schema.CodeUnavailable, Message: "nobody leads"}
		d.refuse("tasks.submit", `{"type":"t"}`, schema.CodeUnavailable, "", "the id that was made for this task is 0")

		created, refused = schema.Created{}, nil // it was there
		d.want("tasks.submit", `{"type":"t","id":"a","on_conflict":"keep"}`, `{"id":"a","type":"t","status":"Pending"}`)
		d.want("tasks.submit", `{"tasks":[{"type":"t","id":"a"}],"on_conflict":"keep"}`, `{"tasks":[{"id":"a","type":"t","status":"Pending"}]}`)
	})
}

// Under on_conflict keep a task in history is not carried out again, however long ago the
// leader has forgotten it; history does not have the end of a task that failed once.
func TestASubmissionIsHeldAgainstHistory(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := typed(func(c command.Command) (any, error) {
			switch c := c.(type) {
			case command.CreatePlan:
				return schema.Created{Created: true}, nil
			case command.GetTask:
				return command.TaskView{}, nil
			default:
				return nil, fmt.Errorf("asked %T", c)
			}
		})
		d := openOn(t, ns, l)
		d.keepOf(wire.JSON, withTask(taskResult("t", "done", 1, schema.StateOK), "7", "ann", ""))
		d.keepOf(wire.MsgPack, withTask(taskResult("t", "5", 1, schema.StateFailure), "7", "ann", ""))
		tried := withTask(taskResult("t", "tried", 1, schema.StateError), "7", "ann", "")
		tried.Final = false
		d.keepOf(wire.JSON, tried)
		d.keepOf(wire.JSON, withTask(taskResult("t2", "new", 1, schema.StateOK), "7", "ann", ""))
		created := func() (ids []string) {
			for _, c := range l.commands() {
				if c, ok := c.(command.CreatePlan); ok {
					ids = append(ids, c.Definition.Plan.PlanID)
				}
			}
			return ids
		}
		for _, c := range []struct{ ask, status string }{
			{`"id":"done","on_conflict":"keep"`, "Success"},
			{`"id":5,"on_conflict":"keep"`, "Failure"},
			{`"id":"tried","on_conflict":"keep"`, "New"},
			{`"id":"new","on_conflict":"keep"`, "New"},
			{`"on_conflict":"keep"`, "New"},
			{`"id":"done"`, "New"},
			{`"id":"done","on_conflict":"update"`, "New"},
		} {
			for _, batch := range []bool{false, true} {
				before, ask := len(created()), `{"type":"t",`+c.ask+`}`
				if batch {
					ask = `{"tasks":[` + ask + `]}`
				}
				got, _ := d.ask(wire.JSON, "tasks.submit", ask)
				if !strings.Contains(got, `"status":"`+c.status+`"`) || (len(created()) > before) != (c.status == "New") {
					t.Errorf("%s: %s, and created are %v", ask, got, created()[before:])
				}
			}
		}
		before := len(created())
		got, _ := d.ask(wire.MsgPack, "tasks.submit", `{"on_conflict":"keep","tasks":[{"type":"t","id":"done"},{"type":"t","id":"a b"},{"type":"t","id":"new"},{"type":"t","id":5,"on_conflict":"error"}]}`)
		if ids := created()[before:]; fmt.Sprint(ids) != "[new 5]" {
			t.Errorf("of a batch %v were created: %s", ids, got)
		}
	})
}

// The answers to agents and operators about a task that the leader does not have alive.
func TestWordsAboutTasksThatAreOver(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, typed(func(c command.Command) (any, error) {
			switch c := c.(type) {
			case command.GetTask:
				return command.TaskView{}, nil
			case command.ReportTask:
				return command.TaskReported{Ack: schema.Ack{Ack: true, Accepted: c.Reply.State == schema.StateOK, Cancel: true}, Task: command.TaskView{Delivering: true}}, nil
			default:
				return nil, &schema.Error{Code: schema.CodeNotFound, Field: "plan_id", Message: "there is no plan"}
			}
		}))
		const report = `{"type":"t","id":"a","exec_id":"1-0123456789abcdef","status":`
		d.want("tasks.report", report+`"Completed"}`, `{"id":"a","status":"Completed","accepted":true,"cancel":true}`)
		d.refuse("tasks.report", report+`"Error"}`, schema.CodeNotFound, "id", "none is in history")
		for _, verb := range []string{"get", "cancel", "process", "retry"} {
			d.refuse("tasks."+verb, `{"type":"t","id":"a"}`, schema.CodeNotFound, "id", "none is in history")
		}
	})
}

func TestTasksRefuse(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(nil, errBoom)
		d := openOn(t, ns, l)
		for _, c := range []struct{ subject, body, field, hint string }{
			{"tasks.submit", `{"tasks":{}}`, "tasks", "a list"},
			{"tasks.submit", `{"tasks":[` + strings.Repeat(`{},`, 1000) + `{}]}`, "tasks", "at most 1000"},
			{"tasks.submit", `{"tasks":[],"on_conflict":"no"}`, "on_conflict", "it takes"},
			{"tasks.submit", `{"task":1}`, "task", "unknown field"},
			{"tasks.get", `{"type":"t","id":"a.b"}`, "id", "holds"},
			{"tasks.list", `{"status":"new"}`, "status", "it takes"},
			{"tasks.list", `{"type":"*"}`, "type", "holds"},
			{"tasks.list", `{"limit":0}`, "limit", "1 to 1000"},
			{"tasks.list", `{"cursor":"x"}`, "cursor", "none that a page ended with"},
			{"tasks.fetch", `{}`, "worker_id", "missing"},
			{"tasks.fetch", `{"worker_id":"w","types":["*"]}`, "types", "item 1"},
			{"tasks.fetch", `{"worker_id":"w","limit":101}`, "limit", "1 to 100"},
			{"tasks.fetch", `{"worker_id":"w","wait_ms":60001}`, "wait_ms", "60000"},
			{"tasks.report", `{"type":"t","id":"a"}`, "exec_id", "missing"},
			{"tasks.report", `{"type":"t","id":"a","exec_id":"1-0123456789abcdef","status":"Pending"}`, "status", "takes"},
			{"tasks.cancel", `{"type":"t"}`, "id", "missing"},
			{"tasks.process", `{"type":"t","id":"a","remark":7}`, "remark", "a text"},
			{"tasks.retry", `[]`, "", "a map"},
			{"task_types.delete", `{}`, "code", "is empty"},
		} {
			d.refuse(c.subject, c.body, schema.CodeInvalidRequest, c.field, c.hint)
		}
		if asked := l.commands(); len(asked) > 0 {
			t.Errorf("a leader was asked for %v", asked)
		}
	})
}
