package front_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
)

// sentBy has a request for each command of a leader, with which the front sends it.
var sentBy = map[reflect.Type]struct{ subject, body string }{
	reflect.TypeFor[command.CreatePlan]():     {"plans.create", `{"station":"s","plan_id":"p","command":"c"}`},
	reflect.TypeFor[command.RestorePlan]():    {"plans.restore", `{"plans":[{"plan":{"station":"s","plan_id":"p","command":"c"},"record":{"revision":1}}]}`},
	reflect.TypeFor[command.UpdatePlan]():     {"plans.update", `{"station":"s","plan_id":"p","command":"d"}`},
	reflect.TypeFor[command.GetPlan]():        {"plans.get", onePlan},
	reflect.TypeFor[command.ListPlans]():      {"plans.list", `{}`},
	reflect.TypeFor[command.PausePlan]():      {"plans.pause", onePlan},
	reflect.TypeFor[command.ResumePlan]():     {"plans.resume", onePlan},
	reflect.TypeFor[command.TriggerPlan]():    {"plans.trigger", onePlan},
	reflect.TypeFor[command.SkipPlan]():       {"plans.skip", onePlan},
	reflect.TypeFor[command.ResetPlan]():      {"plans.reset", onePlan},
	reflect.TypeFor[command.ClosePlan]():      {"plans.close", onePlan},
	reflect.TypeFor[command.RemovePlan]():     {"plans.remove", onePlan},
	reflect.TypeFor[command.CancelRun]():      {"plans.cancel", `{"station":"s","plan_id":"p","n":1}`},
	reflect.TypeFor[command.OpenRuns]():       {"plans.runs", onePlan},
	reflect.TypeFor[command.ListOpen]():       {"plans.timeline", `{}`},
	reflect.TypeFor[command.ExplainPlan]():    {"plans.explain", onePlan},
	reflect.TypeFor[command.PushItem]():       {"plans.push", `{"station":"s","plan_id":"p","item":1}`},
	reflect.TypeFor[command.ListItems]():      {"plans.items", onePlan},
	reflect.TypeFor[command.ClaimItems]():     {"queues.get", oneLock},
	reflect.TypeFor[command.CompleteItems]():  {"queues.complete", oneLock},
	reflect.TypeFor[command.ReleaseItems]():   {"queues.release", oneLock},
	reflect.TypeFor[command.DropItems]():      {"queues.delete", `{"key":"k"}`},
	reflect.TypeFor[command.ClaimWork]():      {"plans.claim.s", `{"worker_id":"w"}`},
	reflect.TypeFor[command.GetTask]():        {"tasks.get", oneTask},
	reflect.TypeFor[command.ReportTask]():     {"tasks.report", `{"type":"t","id":1,"exec_id":"1-0123456789abcdef","status":"Success"}`},
	reflect.TypeFor[command.EndTask]():        {"tasks.cancel", oneTask},
	reflect.TypeFor[command.PutStation]():     {"stations.put", `{"station":"s","kind":"api"}`},
	reflect.TypeFor[command.GetStation]():     {"stations.get", oneStation},
	reflect.TypeFor[command.DeleteStation]():  {"stations.delete", oneStation},
	reflect.TypeFor[command.ListStations]():   {"stations.list", `{}`},
	reflect.TypeFor[command.PutCalendar]():    {"calendars.put", oneCalendar},
	reflect.TypeFor[command.GetCalendar]():    {"calendars.get", oneCalendar},
	reflect.TypeFor[command.DeleteCalendar](): {"calendars.delete", oneCalendar},
	reflect.TypeFor[command.ListCalendars]():  {"calendars.list", `{}`},
	reflect.TypeFor[command.ReadCounters]():   {"plans.overview", `{}`},
	reflect.TypeFor[command.ListWorkers]():    {"workers.list", `{}`},
	reflect.TypeFor[command.GetWorker]():      {"workers.get", `{"worker_id":"w1"}`},
}

const (
	onePlan    = `{"station":"s","plan_id":"p"}`
	oneLock    = `{"key":"k","random":"r"}`
	oneTask    = `{"type":"t","id":1}`
	oneStation = `{"station":"s"}`

	oneCalendar = `{"calendar_id":"c"}`
)

// unsent are the commands that no request sends, with the reasons.
var unsent = map[reflect.Type]string{
	reflect.TypeFor[command.StopClaim]():  "the front's own, to the other partitions that it asked for work, when one of them has some",
	reflect.TypeFor[command.ReturnWork](): "the front's own, for work whose claim is gone",
}

// Each verb of a leader is sent by a request, except those of unsent.
func TestEachVerbIsReachedByARequest(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{script: obliging}
		d := openOn(t, ns, l)
		for _, k := range verb.All() {
			r, sent := sentBy[k.Command]
			if (unsent[k.Command] != "") == sent {
				t.Errorf("%v: list the request by which the front asks for it, or the reason why none does", k.Command)
			}
			if !sent {
				continue
			}
			l.commands()
			answer, err := d.nc.Request(r.subject, []byte(r.body), 30*time.Second)
			if err != nil {
				t.Errorf("%v: no answer to %s: %v", k.Command, r.subject, err)
				continue
			}
			if asked := types(l.commands()); !slices.Contains(asked, k.Command) {
				t.Errorf("%v: %s asks for %v instead, and answers %s", k.Command, r.subject, asked, answer.Data)
			}
		}
	})
}

func types(commands []command.Command) (of []reflect.Type) {
	for _, c := range commands {
		of = append(of, reflect.TypeOf(c))
	}
	return of
}
