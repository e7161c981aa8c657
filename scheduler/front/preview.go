package front

import (
	"cmp"
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
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
	count := int(cmp.Or(q.Count, defaultPreview))
	if err := checkShown(r, &q.Shown); err != nil {
		return err
	}
	if q.From.IsZero() {
		q.From = ps.now()
	}
	// A year of some expression may have to be searched for each occurrence.
	return r.async(func(context.Context) (any, error) { return ps.occurrences(q, count) })
}

// now is the moment at which create would accept a plan.
func (ps plans) now() time.Time { return ps.front.config.Now().Truncate(time.Millisecond) }

// checkShown refuses a zone or a language that does not exist.
func checkShown(r *request, q *schema.Shown) error {
	if q.Zone != "" {
		if _, err := schema.LoadZone(q.Zone); err != nil {
			return r.invalid("zone", "zone %v", err)
		}
	}
	if q.Lang != "" {
		return among(r, schema.Langs(), "lang", q.Lang)
	}
	return nil
}

func (ps plans) occurrences(q schema.Preview, count int) (*schema.Previewed, error) {
	d, err := ps.definition(q.Plan, schema.ParseOptions{Preview: true})
	if err != nil {
		return nil, err
	}
	return ahead.Preview(&d.Plan, &q, count)
}
