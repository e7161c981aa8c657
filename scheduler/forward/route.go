package forward

import (
	"fmt"
	"reflect"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A route says how a command and its answer travel.
type route struct {
	verb    string
	pack    func(schema.Command) any
	unpack  func(wire.Value) (schema.Command, error)
	enclose func(answer any) (any, error)
	open    func(wire.Value) (any, error)
}

// routesByType and routesByVerb have each command that a partition takes.
var routesByType, routesByVerb = func() (map[reflect.Type]*route, map[string]*route) {
	byType, byVerb := map[reflect.Type]*route{}, map[string]*route{}
	for _, enter := range []func() (reflect.Type, *route){
		carried("create", packCreate, packedPlan.create, same[schema.Created], same[schema.Created]),
		carried("update", packUpdate, packedPlan.update, same[schema.Created], same[schema.Created]),
		carried("restore", packRestore, packedPlan.restore, same[schema.Created], same[schema.Created]),
		carried("get", same[schema.GetPlan], sure[schema.GetPlan], packView, packedView.view),
		carried("look", same[schema.LookPlans], sure[schema.LookPlans], packSlice, packedSlice.slice),
		plain[schema.PausePlan, schema.Standing]("pause"),
		plain[schema.ResumePlan, schema.Standing]("resume"),
		plain[schema.TriggerPlan, schema.Triggered]("trigger"),
		plain[schema.SkipPlan, schema.Standing]("skip"),
		plain[schema.ResetPlan, schema.Standing]("reset"),
		plain[schema.CancelRun, schema.Standing]("cancel"),
		plain[schema.ClosePlan, schema.Standing]("close"),
		plain[schema.RemovePlan, schema.Standing]("remove"),
		carried("push", packPush, packedPush.push, same[schema.Pushed], same[schema.Pushed]),
		plain[schema.ClaimItems, schema.Claimed]("claim"),
		plain[schema.LookItems, schema.Claimed]("look_items"),
		plain[schema.CompleteItems, schema.InboxLeft]("complete"),
		plain[schema.ReleaseItems, schema.InboxLeft]("release"),
		plain[schema.DropItems, schema.InboxLeft]("drop"),
		carried("claim_work", same[schema.ClaimWork], sure[schema.ClaimWork], packWork, packedWork.work),
		plain[schema.StopClaim, schema.Stopped]("stop_claim"),
		plain[schema.ReturnWork, schema.Returned]("return_work"),
		plain[schema.OpenRuns, []schema.Result]("runs"),
		carried("look_task", same[schema.LookTask], sure[schema.LookTask], packTask, packedTask.task),
		carried("report_task", same[schema.ReportTask], sure[schema.ReportTask], packWord, packedWord.word),
		plain[schema.EndTask, schema.Standing]("end_task"),
		plain[schema.PutStation, schema.StationPut]("put_station"),
		plain[schema.GetStation, schema.Station]("get_station"),
		plain[schema.DeleteStation, schema.StationDeleted]("delete_station"),
		plain[schema.LookStations, schema.StationSlice]("look_stations"),
		plain[schema.LookWorkers, schema.WorkerSlice]("look_workers"),
	} {
		of, r := enter()
		byType[of], byVerb[r.verb] = r, r
	}
	return byType, byVerb
}()

// plain is the route of a C, answered with an A, both of which travel as they are.
func plain[C schema.Command, A any](verb string) func() (reflect.Type, *route) {
	return carried(verb, same[C], sure[C], same[A], same[A])
}

// carried is the route of a C, which travels as a P, and is answered with an A,
// which travels as a Q.
func carried[C schema.Command, P, A, Q any](
	verb string, pack func(C) P, unpack func(P) (C, error), enclose func(A) Q, open func(Q) A,
) func() (reflect.Type, *route) {
	return func() (reflect.Type, *route) {
		return reflect.TypeFor[C](), &route{
			verb: verb,
			pack: func(c schema.Command) any { return pack(c.(C)) },
			unpack: func(v wire.Value) (schema.Command, error) {
				var p P
				if err := wire.DecodeLoose(v, &p); err != nil {
					return nil, err
				}
				return unpack(p)
			},
			enclose: func(answer any) (any, error) {
				a, ok := answer.(A)
				if !ok {
					return nil, fmt.Errorf("%s was answered with a %T", verb, answer)
				}
				return enclose(a), nil
			},
			open: func(v wire.Value) (any, error) {
				var q Q
				if err := wire.DecodeLoose(v, &q); err != nil {
					return nil, err
				}
				return open(q), nil
			},
		}
	}
}

func same[T any](t T) T          { return t }
func sure[T any](t T) (T, error) { return t, nil }
