package front_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// typed is a leader with one task type, t, that answers commands about tasks as a test
// says.
func typed(about func(schema.Command) (any, error)) *leader {
	return &leader{script: func(_ int, c schema.Command) (any, error) {
		switch c := c.(type) {
		case schema.GetStation:
			switch c.Station {
			case "t":
				return schema.Station{Station: "t", TaskType: &schema.TaskType{Code: "t", Category: "c"}}, nil
			case "plain":
				return schema.Station{Station: "plain"}, nil
			}
			return nil, &schema.Error{Code: schema.CodeNotFound, Field: "station", Message: "never put"}
		}
		return about(c)
	}}
}

func TestTaskTypesAreStations(t *testing.T) {
	var living []schema.PlanView
	d := open(t, &leader{script: func(_ int, c schema.Command) (any, error) {
		switch c := c.(type) {
		case schema.PutStation:
			return schema.StationPut{Station: c.Station.Station, Created: c.Station.TaskType.Code == c.Station.Station}, nil
		case schema.DeleteStation:
			return schema.StationDeleted{Station: c.Station, Deleted: true}, nil
		case schema.LookPlans:
			return schema.PlanSlice{Plans: living}, nil
		case schema.LookStations:
			var all []schema.Station
			for _, name := range []string{"a", "b", "plain", "t"} {
				s := schema.Station{Station: name}
				if name != "plain" {
					s.TaskType = &schema.TaskType{Code: name, Category: name[:1]}
				}
				if name > c.After {
					all = append(all, s)
				}
			}
			return schema.StationSlice{Stations: all}, nil
		}
		return typed(nil).script(0, c)
	}})
	d.want("task_types.put", `{"code":"a"}`, `{"code":"a","created":true}`)
	d.want("task_types.get", `{"code":"t"}`, `{"code":"t","category":"c","config":{}}`)
	d.refuse("task_types.get", `{"code":"plain"}`, schema.CodeNotFound, "type", "task_types.put makes one")
	d.refuse("task_types.get", `{"code":"none"}`, schema.CodeNotFound, "type", "no task type")
	d.refuse("task_types.get", `{"code":"*"}`, schema.CodeInvalidRequest, "code", "holds")
	d.want("task_types.list", `{"category":"b"}`, `{"task_types":[{"code":"b","category":"b","config":{}}]}`)
	first, _ := d.ask(wire.JSON, "task_types.list", `{"limit":2}`)
	next, _ := value(t, first).Field("next").Text()
	if !strings.HasPrefix(first, `{"task_types":[{"code":"a"`) || strings.Contains(first, `"code":"t"`) || next == "" {
		t.Errorf("the first page is %s", first)
	}
	d.want("task_types.list", `{"cursor":"`+next+`"}`, `{"task_types":[{"code":"t","category":"t","config":{}}]}`)
	d.want("task_types.delete", `{"code":"t"}`, `{"code":"t","deleted":true}`)
	d.refuse("task_types.delete", `{"code":"plain"}`, schema.CodeNotFound, "type", "no task type")
	living = []schema.PlanView{{Plan: value(t, `{"station":"t","plan_id":"p","command":"task"}`)}}
	d.refuse("task_types.delete", `{"code":"t"}`, schema.CodeConflict, "code", "not finished")
}

// Nobody is shown a secret, so nobody has to say it again; but it has to be there.
func TestTheSecretOfATypeIsPutOnce(t *testing.T) {
	d := open(t, answering(schema.StationPut{Station: "a"}, nil))
	signed := func(sk string) string {
		return fmt.Sprintf(`{"code":"a","config":{"callback":{"success":{"url":"https://example.org/"},"security":{"type":"aksk","ak":"A"%s}}}}`, sk)
	}
	d.refuse("task_types.put", signed(""), schema.CodeInvalidRequest, "config.callback.security.sk", "none is stored")
	d.want("task_types.put", signed(`,"sk":"hush"`), `{"code":"a","created":false}`)
	d.want("task_types.put", signed(""), `{"code":"a","created":false}`)
	secrets := d.store.Secrets(nil)
	if sk, err := secrets.Get(t.Context(), "a"); err != nil || sk != "hush" {
		t.Errorf("the secret is %q, %v", string(sk), err)
	}
	d.want("task_types.put", `{"code":"a"}`, `{"code":"a","created":false}`)
	if known, err := secrets.Has(t.Context(), "a"); known || err != nil {
		t.Errorf("a type that signs nothing has a secret: %v, %v", known, err)
	}
}

func TestSubmit(t *testing.T) {
	created, refused := schema.Created{Created: true}, error(nil)
	l := typed(func(c schema.Command) (any, error) {
		switch c := c.(type) {
		case schema.CreatePlan:
			return created, refused
		case schema.LookTask:
			return schema.TaskLook{Plan: &schema.PlanView{
				Plan:  value(t, `{"plan_id":"a","station":"t","command":"task","messages":[{"id":"a","type":"t"}]}`),
				State: schema.PlanState{Status: schema.StatusPending}, Trace: &schema.TaskTrace{},
			}}, nil
		default:
			return nil, fmt.Errorf("asked %T", c)
		}
	})
	d := open(t, l)
	d.want("tasks.submit", `{"type":"t","id":5}`, `{"id":"5","type":"t","status":"New"}`)
	asked := l.commands()
	plan := asked[len(asked)-1].(schema.CreatePlan).Definition.Plan
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
}

// What an agent, or a person, is told of a task that the leader does not have alive.
func TestWordsAboutTasksThatAreOver(t *testing.T) {
	d := open(t, typed(func(c schema.Command) (any, error) {
		switch c := c.(type) {
		case schema.LookTask:
			return schema.TaskLook{}, nil
		case schema.ReportTask:
			return schema.TaskWord{Ack: schema.Ack{Ack: true, Accepted: c.Reply.State == schema.StateOK, Cancel: true}, Look: schema.TaskLook{Delivering: true}}, nil
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
}

func TestTasksRefuse(t *testing.T) {
	l := answering(nil, errBoom)
	d := open(t, l)
	for _, c := range []struct{ subject, body, field, hint string }{
		{"tasks.submit", `{"tasks":{}}`, "tasks", "a list"},
		{"tasks.submit", `{"tasks":[` + strings.Repeat(`{},`, 1000) + `{}]}`, "tasks", "at most 1000"},
		{"tasks.submit", `{"tasks":[],"on_conflict":"no"}`, "on_conflict", "none of"},
		{"tasks.submit", `{"task":1}`, "task", "unknown field"},
		{"tasks.get", `{"type":"t","id":"a.b"}`, "id", "holds"},
		{"tasks.list", `{"status":"new"}`, "status", "none of"},
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
}
