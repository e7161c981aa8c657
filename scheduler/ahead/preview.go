package ahead

import (
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Preview answers plans.preview about a plan that was checked: the first count occurrences, if
// it is accepted at q.From and each run is done at once. The set has the calendars that it names.
// The errors are those of [calendar.Compile], and about calendars.
func Preview(p *schema.Plan, q *schema.Preview, count int, calendars *exclude.Set) (*schema.Previewed, error) {
	schedule, err := calendar.Compile(calendar.SpecOf(p), q.From)
	if err != nil {
		return nil, err
	}
	if p.HasCalendars() {
		if err := calendars.Missing(p); err != nil {
			return nil, err
		}
		schedule = calendars.Apply(schedule, p)
		if err := exclude.Runs(schedule, p, calendar.Due{}, q.From); err != nil {
			return nil, err
		}
	}
	v, err := newPreviewed(p, schedule, q.Shown)
	if err != nil {
		return nil, err
	}
	end := time.Time{}
	for due := range schedule.Occurrences(p.NoKeep, q.From) {
		if end.IsZero() {
			end = calendar.Horizon(due.At)
		}
		switch skipped := schedule.Excludes(due.At); {
		case !skipped:
			v.add(due, "")
			end = calendar.Horizon(due.At)
		case q.WithSkipped:
			v.add(due, schema.ReasonCalendar)
		case due.At.After(end):
			return &v.Previewed, nil
		}
		if len(v.Occurrences) == count {
			break
		}
	}
	return &v.Previewed, nil
}

// A previewed is an answer in the making.
type previewed struct {
	schema.Previewed
	plan     *schema.Plan
	schedule calendar.Schedule
	zone     *time.Location
	lang     schema.Lang
}

// newPreviewed begins an answer about a plan with its schedule in words.
func newPreviewed(p *schema.Plan, s calendar.Schedule, q schema.Shown) (*previewed, error) {
	v := &previewed{plan: p, schedule: s, zone: time.UTC, lang: q.Lang}
	if name := cmp.Or(q.Zone, p.Timezone); name != "" {
		zone, err := schema.LoadZone(name)
		if err != nil {
			return nil, &schema.Error{Code: schema.CodeInternal, Message: "load the zone of the plan: " + err.Error()}
		}
		v.zone = zone
	}
	var err error
	v.Words, err = describe.Words(p, q.Lang)
	v.Occurrences = []schema.PreviewedOccurrence{}
	return v, err
}

// add shows an occurrence, one with a reason as skipped.
func (v *previewed) add(due calendar.Due, skipped schema.Reason) {
	local := due.At.In(v.zone)
	o := schema.PreviewedOccurrence{
		Occurrence: due.K, PlanTime: due.At,
		Local: local.Format(time.RFC3339Nano), Offset: local.Format("-07:00"),
		Notes:   describe.Notes(v.plan, v.schedule, due.At, v.lang),
		Skipped: skipped != "", Reason: skipped,
	}
	if note, ok := describe.ByCalendar(v.plan, v.schedule, due.At, v.lang); ok {
		o.Notes = append(o.Notes, note)
	}
	if note, ok := describe.Merged(v.plan, v.schedule, due.At, v.lang); ok {
		o.Notes = append(o.Notes, note)
	}
	if o.Notes == nil {
		o.Notes = []schema.Note{}
	}
	v.Occurrences = append(v.Occurrences, o)
}
