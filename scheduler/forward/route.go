package forward

import (
	"fmt"
	"reflect"

	"github.com/stationmaster-io/stationmaster/scheduler/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A route has the encodings of a command and its answer.
type route struct {
	*command.Kind
	pack    func(schema.Command) any
	unpack  func(wire.Value) (schema.Command, error)
	enclose func(answer any) (any, error)
	open    func(wire.Value) (any, error)
}

// routesByType and routesByVerb have each command of a partition.
var routesByType, routesByVerb = func() (map[reflect.Type]*route, map[string]*route) {
	byType, byVerb := map[reflect.Type]*route{}, map[string]*route{}
	for _, r := range []*route{
		carried(command.Create, packCreate, packedPlan.create, same, same),
		carried(command.Update, packUpdate, packedPlan.update, same, same),
		carried(command.Restore, packRestore, packedPlan.restore, same, same),
		carried(command.Get, same, sure, packView, packedView.view),
		carried(command.Look, same, sure, packSlice, packedSlice.slice),
		carried(command.Pause, packPause, packedPause.pause, same, same),
		plain(command.Resume),
		plain(command.Trigger),
		plain(command.Skip),
		plain(command.Reset),
		plain(command.Cancel),
		plain(command.Close),
		plain(command.Remove),
		carried(command.Push, packPush, packedPush.push, same, same),
		plain(command.Claim),
		plain(command.Items),
		plain(command.Complete),
		plain(command.Release),
		plain(command.Drop),
		carried(command.ClaimWork, same, sure, packWork, packedWork.work),
		plain(command.StopClaim),
		plain(command.ReturnWork),
		plain(command.Runs),
		carried(command.LookTask, same, sure, packTask, packedTask.task),
		carried(command.ReportTask, same, sure, packReport, packedReport.report),
		plain(command.EndTask),
		plain(command.PutStation),
		plain(command.GetStation),
		plain(command.DeleteStation),
		plain(command.LookStations),
		plain(command.LookWorkers),
	} {
		byType[r.Command], byVerb[r.Name] = r, r
	}
	return byType, byVerb
}()

// plain is the route of a verb whose command and answer are encoded as they are.
func plain[C schema.Command, A any](v command.Verb[C, A]) *route {
	return carried(v, same, sure, same, same)
}

// carried is the route of a verb whose command is encoded as a P, and its answer as a Q.
func carried[C schema.Command, A, P, Q any](
	v command.Verb[C, A], pack func(C) P, unpack func(P) (C, error), enclose func(A) Q, open func(Q) A,
) *route {
	return &route{
		Kind: v.Kind,
		pack: func(c schema.Command) any { return pack(c.(C)) },
		unpack: func(v wire.Value) (schema.Command, error) {
			var p P
			if err := wire.Unmarshal(v, &p); err != nil {
				return nil, err
			}
			return unpack(p)
		},
		enclose: func(answer any) (any, error) {
			a, ok := answer.(A)
			if !ok {
				return nil, fmt.Errorf("%s was answered with a %T", v.Name, answer)
			}
			return enclose(a), nil
		},
		open: func(v wire.Value) (any, error) {
			var q Q
			if err := wire.Unmarshal(v, &q); err != nil {
				return nil, err
			}
			return open(q), nil
		},
	}
}

func same[T any](t T) T          { return t }
func sure[T any](t T) (T, error) { return t, nil }
