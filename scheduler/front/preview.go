package front

import (
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	defaultPreview = 6
	maxPreview     = 1000
)

// preview computes when a plan would run, without a leader.
func (ps plans) preview(r *request) error {
	var q schema.Preview
	if err := r.decode(&q); err != nil {
		return err
	}
	if q.Plan.IsZero() {
		return r.invalid("plan", "plan is missing; it is the plan to look at, as create takes it")
	}
	count := int64(defaultPreview)
	if q.Count != nil {
		count = *q.Count
	}
	if count < 1 || count > maxPreview {
		return r.invalid("count", "count is %d; it can be 1 to %d", count, maxPreview)
	}
	if q.From.IsZero() {
		q.From = ps.front.config.Now().Truncate(time.Millisecond) // as create accepts a plan
	}
	// A year of some expression may have to be searched for each occurrence.
	return r.async(func(context.Context) (any, error) { return ps.occurrences(q, int(count)) })
}

func (ps plans) occurrences(q schema.Preview, count int) (*schema.Previewed, error) {
	d, err := ps.definition(q.Plan, schema.ParseOptions{Preview: true})
	if err != nil {
		return nil, err
	}
	dues, err := calendar.Occurrences(calendar.SpecOf(&d.Plan), d.Plan.NoKeep, q.From)
	if err != nil {
		return nil, err
	}
	out := &schema.Previewed{Occurrences: []schema.PreviewedOccurrence{}}
	for due := range dues {
		out.Occurrences = append(out.Occurrences, schema.PreviewedOccurrence{Occurrence: due.K, PlanTime: due.At})
		if len(out.Occurrences) == count {
			break
		}
	}
	return out, nil
}
