package forward

import (
	"fmt"
	"reflect"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A route has the encodings of a command and its answer.
type route struct {
	*verb.Kind
	pack    func(command.Command) any
	unpack  func(wire.Value) (command.Command, error)
	enclose func(answer any) (any, error)
	open    func(wire.Value) (any, error)
}

// routesByType and routesByVerb have each command of a partition.
var routesByType, routesByVerb = func() (map[reflect.Type]*route, map[string]*route) {
	byType, byVerb := map[reflect.Type]*route{}, map[string]*route{}
	for _, r := range []*route{
		carried(verb.Create, packCreate, packedPlan.create, same, same),
		carried(verb.Update, packUpdate, packedPlan.update, same, same),
		carried(verb.Restore, packRestore, packedPlan.restore, same, same),
		carried(verb.Get, same, sure, packView, packedView.view),
		carried(verb.List, same, sure, packSlice, packedSlice.slice),
		carried(verb.Pause, packPause, packedPause.pause, same, same),
		plain(verb.Resume),
		plain(verb.Trigger),
		plain(verb.Skip),
		plain(verb.Reset),
		plain(verb.Cancel),
		plain(verb.Close),
		plain(verb.Remove),
		carried(verb.Push, packPush, packedPush.push, same, same),
		plain(verb.Claim),
		plain(verb.Items),
		plain(verb.Complete),
		plain(verb.Release),
		plain(verb.Drop),
		carried(verb.ClaimWork, same, sure, packWork, packedWork.work),
		plain(verb.StopClaim),
		plain(verb.ReturnWork),
		plain(verb.Runs),
		plain(verb.ListOpen),
		carried(verb.Explain, same, sure, packExplained, packedExplained.explained),
		carried(verb.GetTask, same, sure, packTask, packedTask.task),
		carried(verb.ReportTask, same, sure, packReport, packedReport.report),
		plain(verb.EndTask),
		plain(verb.PutStation),
		plain(verb.GetStation),
		plain(verb.DeleteStation),
		plain(verb.ListStations),
		plain(verb.PutCalendar),
		plain(verb.GetCalendar),
		plain(verb.DeleteCalendar),
		plain(verb.ListCalendars),
		plain(verb.ReadCounters),
		plain(verb.ListWorkers),
		plain(verb.GetWorker),
	} {
		byType[r.Command], byVerb[r.Name] = r, r
	}
	return byType, byVerb
}()

// plain is the route of a verb whose command and answer are encoded as they are.
func plain[C command.Command, A any](v verb.Verb[C, A]) *route {
	return carried(v, same, sure, same, same)
}

// carried is the route of a verb whose command is encoded as a P, and its answer as a Q.
func carried[C command.Command, A, P, Q any](
	v verb.Verb[C, A], pack func(C) P, unpack func(P) (C, error), enclose func(A) Q, open func(Q) A,
) *route {
	return &route{
		Kind: v.Kind,
		pack: func(c command.Command) any { return pack(c.(C)) },
		unpack: func(v wire.Value) (command.Command, error) {
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
