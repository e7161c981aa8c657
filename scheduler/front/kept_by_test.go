package front_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A plan that another service writes keeps its definition, because a change would hide it
// from that service, or break its executions. A pause and a removal are as with any plan, and a
// trigger is, but of a task, which is done once.
func TestThePlansOfOtherServicesKeepTheirDefinitions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		d.mustAsk("task_types.put", `{"code":"mail","name":"m","config":{}}`)
		d.mustAsk("tasks.submit", `{"type":"mail","id":"t1"}`)
		d.mustAsk("periodic_tasks.put", `{"id":"n","type":"mail","cron_expressions":"@daily"}`)
		d.mustAsk("periodic_tasks.online", `{"id":"n"}`)
		d.mustAsk("queues.push", `{"key":"k","task":1,"station":"s"}`)
		for _, c := range []struct{ station, id, remedy string }{
			{"mail", "t1", "tasks.submit"},
			{"mail", "periodic_n", "periodic_tasks.put"},
			{"s", queue.PlanID("k"), "queues.push"},
		} {
			name := `"station":"` + c.station + `","plan_id":"` + c.id + `"`
			for _, change := range []string{`"command":"x"`, `"messages":[{"id":"x"}]`} {
				d.refuse("plans.update", "{"+name+","+change+"}", schema.CodeConflict, "plan_id", c.remedy)
			}
			anew := "{" + name + `,"command":"x","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"`
			d.refuse("plans.create", anew+`,"on_conflict":"update"}`, schema.CodeConflict, "plan_id", c.remedy)
			d.mustAsk("plans.pause", "{"+name+"}")
			d.mustAsk("plans.resume", "{"+name+"}")
			d.mustAsk("plans.remove", "{"+name+"}")
		}

		// A task keeps its own time and its own owner, and is done once.
		const later = `"station":"mail","plan_id":"later"`
		d.mustAsk("tasks.submit", `{"type":"mail","id":"later","start_time":"2100-01-01T00:00:00Z","tenant_id":"1"}`)
		for _, change := range []string{`"plan_time":"2100-01-02T00:00:00Z"`, `"tenant_id":"7"`, `"creator":"7"`, `"category":"7"`} {
			d.refuse("plans.update", `{`+later+`,`+change+`}`, schema.CodeConflict, "plan_id", "tasks.submit with on_conflict update")
		}
		d.mustAsk("plans.update", `{`+later+`,"priority":9}`)
		d.mustAsk("tasks.submit", `{"type":"mail","id":"later","start_time":"2100-01-02T00:00:00Z","tenant_id":"7","on_conflict":"update"}`)
		d.refuse("plans.trigger", `{`+later+`}`, schema.CodeConflict, "plan_id", "tasks.retry")
		d.mustAsk("periodic_tasks.put", `{"id":"t","type":"mail","cron_expressions":"@daily"}`)
		d.mustAsk("plans.trigger", `{"station":"mail","plan_id":"periodic_t"}`)
		d.mustAsk("queues.push", `{"key":"k2","task":1}`)
		held := `{"station":"queue.hold","plan_id":"` + queue.PlanID("k2") + `",`
		d.refuse("plans.update", held+`"ext":{"a":1}}`, schema.CodeConflict, "plan_id", "queues.push")
		d.refuse("plans.update", held+`"plan_time":"2100-01-01T00:00:00Z"}`, schema.CodeConflict, "plan_id", "queues.push")
		d.mustAsk("plans.update", held+`"retry":{"strategy":"none"}}`)
		d.mustAsk("queues.push", `{"key":"k2","task":2}`)

		// Its times are the task's.
		d.mustAsk("periodic_tasks.put", `{"id":"m","type":"mail","cron_expressions":"@daily"}`)
		for _, change := range []string{`"cron":"@hourly"`, `"exclude":["days"]`, `"only":["days"]`, `"tenant_id":"7"`, `"creator":"7"`, `"category":"7"`} {
			d.refuse("plans.update", `{"station":"mail","plan_id":"periodic_m",`+change+`}`, schema.CodeConflict, "plan_id", "periodic_tasks.put")
		}
		d.mustAsk("periodic_tasks.put", `{"id":"m","type":"mail","cron_expressions":"@hourly"}`)

		d.mustAsk("plans.push", `{"station":"s","plan_id":"own","item":1,"plan_time":"2100-01-01T00:00:00Z","plan":{"command":"c"}}`)
		d.refuse("plans.update", `{"station":"s","plan_id":"own","plan_type":"time","plan_time":"2100-01-02T00:00:00Z"}`, schema.CodeConflict, "plan_time", "retime always")
		job := `"station":"http","plan_id":"abcdefghijklmnopqrstuvwxyz234567"`
		d.mustAsk("plans.create", "{"+job+`,"command":"http","plan_type":"cron","cron":"@daily","messages":[{"name":"n","target_url":"http://a/"}]}`)
		d.refuse("plans.update", "{"+job+`,"messages":[{"target_url":"http://b/"}]}`, schema.CodeConflict, "plan_id", "/api/v1/tasks/")
		d.refuse("plans.update", "{"+job+`,"messages":[{"name":"m","target_url":"http://b/"}]}`, schema.CodeConflict, "plan_id", "keep its name")
		d.mustAsk("plans.update", "{"+job+`,"cron":"@hourly","messages":[{"name":"n","target_url":"http://b/"}]}`)

		// A plan of a user with the words of a task is none.
		d.mustAsk("plans.create", `{"station":"own","plan_id":"p","command":"task","plan_type":"cron","cron":"@daily","messages":[{"id":"q"}]}`)
		d.mustAsk("plans.update", `{"station":"own","plan_id":"p","command":"other"}`)
	})
}
