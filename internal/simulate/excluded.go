package simulate

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// recordsAtOnce is how many records are read at once.
const recordsAtOnce = 256

// skipRest reports the occurrences before the end that calendars exclude, because the machine
// would report them only when the exclusion is over.
func (w *world) skipRest() {
	if w.calendars.Len() == 0 {
		return
	}
	look := command.ListPlans{Limit: recordsAtOnce, Records: true}
	for more := true; more && w.err == nil; {
		answer, err := w.ask(look)
		slice, is := answer.(command.PlanSlice)
		if err != nil || !is {
			w.err = err
			return
		}
		for i := range slice.Plans {
			view := &slice.Plans[i]
			station, _ := view.Plan.Field("station").Text()
			id, _ := view.Plan.Field("plan_id").Text()
			if p := w.plans[schema.PlanName{Station: station, PlanID: id}]; p != nil && p.definition.HasCalendars() {
				w.skipRestOf(p, view)
			}
		}
		look.After, more = slice.Last, slice.More
	}
}

func (w *world) skipRestOf(p *plan, view *command.PlanView) {
	if s := view.State.Status; s == schema.StatusPending || s == schema.StatusPlanError || p.schedule.Continuous() {
		return // nothing falls due
	}
	record, err := state.DecodeRecord(view.Record)
	if err != nil {
		w.err = err
		return
	}
	run := p.schedule.Run(record.Prev, microTime(w.until))
	if run.N == 0 || !run.Excluded {
		return
	}
	w.emit(p, &Result{
		Name: p.name, Occurrence: run.Last.K, PlanTime: run.Last.At, End: w.shown(w.now),
		State: schema.StateSkipped, Reason: schema.ReasonCalendar, Count: run.N,
	})
}
