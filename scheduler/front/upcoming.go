package front

import (
	"context"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/schema"
)

// upcoming computes the coming occurrences of a plan from the state that its leader reports.
func (ps plans) upcoming(r *request) error {
	var q schema.Upcoming
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	count := int(q.Count)
	switch {
	case count == 0 && q.Until.IsZero():
		count = defaultPreview
	case count == 0:
		count = maxPreview
	}
	if err := checkShown(r, &q.Shown); err != nil {
		return err
	}
	if !q.Until.IsZero() && q.Until.Before(q.From) {
		return r.invalid("until", "until lies before from")
	}
	return r.async(func(ctx context.Context) (any, error) {
		view, err := ps.standing(ctx, name)
		if err != nil {
			return nil, err
		}
		return ahead.Upcoming(view, &q, count, ps.now())
	})
}

// standing asks the leader of a plan for it and its record.
func (ps plans) standing(ctx context.Context, name schema.PlanName) (view command.PlanView, err error) {
	partition := ps.front.partition(name.PlanID)
	for {
		slice, err := ask[command.PlanSlice](ctx, ps.front, partition, command.ListPlans{
			Filter: schema.ListPlans{Station: name.Station},
			IDs:    command.IDRange{From: name.PlanID, To: name.PlanID + "-"}, // the next id that there can be
			Limit:  1, Records: true,
		})
		if err != nil {
			return view, err
		}
		if len(slice.Plans) > 0 {
			return slice.Plans[0], nil
		}
		// The leader's error has the reason why there is none. If there is one by now, it is looked
		// at again.
		if _, err := ask[command.PlanView](ctx, ps.front, partition, command.GetPlan{Name: name}); err != nil {
			return view, err
		}
	}
}
