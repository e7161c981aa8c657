package front_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
)

// sentBy has a request for each command of a leader, with which the front sends it.
var sentBy = map[reflect.Type]struct{ subject, body string }{
	reflect.TypeFor[schema.CreatePlan]():    {"plans.create", `{"station":"s","plan_id":"p","command":"c"}`},
	reflect.TypeFor[schema.RestorePlan]():   {"plans.restore", `{"plans":[{"plan":{"station":"s","plan_id":"p","command":"c"},"record":{"revision":1}}]}`},
	reflect.TypeFor[schema.UpdatePlan]():    {"plans.update", `{"station":"s","plan_id":"p","command":"d"}`},
	reflect.TypeFor[schema.GetPlan]():       {"plans.get", onePlan},
	reflect.TypeFor[schema.LookPlans]():     {"plans.list", `{}`},
	reflect.TypeFor[schema.PausePlan]():     {"plans.pause", onePlan},
	reflect.TypeFor[schema.ResumePlan]():    {"plans.resume", onePlan},
	reflect.TypeFor[schema.TriggerPlan]():   {"plans.trigger", onePlan},
	reflect.TypeFor[schema.SkipPlan]():      {"plans.skip", onePlan},
	reflect.TypeFor[schema.ResetPlan]():     {"plans.reset", onePlan},
	reflect.TypeFor[schema.ClosePlan]():     {"plans.close", onePlan},
	reflect.TypeFor[schema.RemovePlan]():    {"plans.remove", onePlan},
	reflect.TypeFor[schema.CancelRun]():     {"plans.cancel", `{"station":"s","plan_id":"p","n":1}`},
	reflect.TypeFor[schema.OpenRuns]():      {"plans.runs", onePlan},
	reflect.TypeFor[schema.PushItem]():      {"plans.push", `{"station":"s","plan_id":"p","item":1}`},
	reflect.TypeFor[schema.LookItems]():     {"plans.items", onePlan},
	reflect.TypeFor[schema.ClaimItems]():    {"queues.get", oneLock},
	reflect.TypeFor[schema.CompleteItems](): {"queues.complete", oneLock},
	reflect.TypeFor[schema.ReleaseItems]():  {"queues.release", oneLock},
	reflect.TypeFor[schema.DropItems]():     {"queues.delete", `{"key":"k"}`},
	reflect.TypeFor[schema.ClaimWork]():     {"plans.claim.s", `{"worker_id":"w"}`},
	reflect.TypeFor[schema.LookTask]():      {"tasks.get", oneTask},
	reflect.TypeFor[schema.ReportTask]():    {"tasks.report", `{"type":"t","id":1,"exec_id":"1-0123456789abcdef","status":"Success"}`},
	reflect.TypeFor[schema.EndTask]():       {"tasks.cancel", oneTask},
	reflect.TypeFor[schema.PutStation]():    {"stations.put", oneStation},
	reflect.TypeFor[schema.GetStation]():    {"stations.get", oneStation},
	reflect.TypeFor[schema.DeleteStation](): {"stations.delete", oneStation},
	reflect.TypeFor[schema.LookStations]():  {"stations.list", `{}`},
	reflect.TypeFor[schema.LookWorkers]():   {"workers.list", `{}`},
}

const (
	onePlan    = `{"station":"s","plan_id":"p"}`
	oneLock    = `{"key":"k","random":"r"}`
	oneTask    = `{"type":"t","id":1}`
	oneStation = `{"station":"s"}`
)

// unsent are the commands that no request sends, with the reasons.
var unsent = map[reflect.Type]string{
	reflect.TypeFor[schema.StopClaim]():  "the front's own, to the other partitions that it asked for work, when one of them has some",
	reflect.TypeFor[schema.ReturnWork](): "the front's own, for work whose claim is gone",
}

// Each verb of a leader is sent by a request, except those of unsent.
func TestEachVerbIsReachedByARequest(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{script: obliging}
		d := openOn(t, ns, l)
		for _, k := range verb.All() {
			r, sent := sentBy[k.Command]
			if (unsent[k.Command] != "") == sent {
				t.Errorf("%v: say by which request the front asks for it, or why none sends it", k.Command)
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

func types(commands []schema.Command) (of []reflect.Type) {
	for _, c := range commands {
		of = append(of, reflect.TypeOf(c))
	}
	return of
}
