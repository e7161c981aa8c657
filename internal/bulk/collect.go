package bulk

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// page is how many names a request lists.
const page = 1000

// collect returns the names that match: of plans, or of tasks by type and id.
func (j *Job) collect(ctx context.Context) ([]schema.PlanName, error) {
	names := &names{station: map[string]string{}}
	var err error
	if j.order.Verb == RetryTasks {
		err = j.failedTasks(ctx, names)
	} else {
		err = j.matchingPlans(ctx, names)
	}
	return names.all, err
}

// matchingPlans collects plans. Those of runs are found by their runs, and looked up in the list of
// plans only where the filter has more: one that is gone refuses its verb.
func (j *Job) matchingPlans(ctx context.Context, names *names) error {
	f := &j.order.plans
	if f.Run == nil {
		return j.listed(ctx, names, func(schema.PlanName) bool { return true })
	}
	found, err := j.plansOfRuns(ctx)
	if err != nil {
		return err
	}
	if f.isWide() {
		for _, name := range found.all {
			if err := names.add(name); err != nil {
				return err
			}
		}
		return nil
	}
	wanted := make(map[schema.PlanName]bool, len(found.all))
	for _, name := range found.all {
		wanted[name] = true
	}
	return j.listed(ctx, names, func(name schema.PlanName) bool { return wanted[name] })
}

// isWide reports that the filter takes all plans, but for their runs.
func (f *planFilter) isWide() bool { return reflect.ValueOf(f.ListPlans).IsZero() }

// listed collects the plans of the list that the filter selects, and wanted.
func (j *Job) listed(ctx context.Context, names *names, wanted func(schema.PlanName) bool) error {
	request := j.order.plans.ListPlans
	request.Fields, request.Limit = schema.FieldsBrief, page
	for view, err := range j.client.Plans().All(ctx, request) {
		if err != nil {
			return ofFilter(err, "filter.")
		}
		name := nameOf(view.Plan)
		if !wanted(name) {
			continue
		}
		if err := names.add(name); err != nil {
			return err
		}
		j.found(len(names.all))
		j.foundKind(&view)
	}
	return nil
}

// plansOfRuns are the plans of the runs that the filter selects, each once, that of the newest run first.
func (j *Job) plansOfRuns(ctx context.Context) (*names, error) {
	found := &names{station: map[string]string{}}
	request := *j.order.plans.Run
	request.Limit = page
	seen := map[schema.PlanName]bool{}
	for run, err := range j.client.Runs().All(ctx, request) {
		if err != nil {
			return nil, ofFilter(err, "filter.run.")
		}
		name := schema.PlanName{Station: run.Station, PlanID: run.PlanID}
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := found.add(name); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// failedTasks collects tasks that wait for a person, and those that failed for good. The
// latter are living while their callback is on its way, and in history from then on or before.
func (j *Job) failedTasks(ctx context.Context, names *names) error {
	f := &j.order.tasks
	text := strings.ToLower(f.Text)
	seen := map[schema.PlanName]bool{}
	for _, history := range []bool{false, true} {
		request := schema.ListTasks{
			Type: f.Type, TenantID: f.TenantID, Category: f.Category, Creator: f.Creator,
			History: history, Limit: page, Status: schema.OneOrMany{string(schema.TaskFailure)},
		}
		if history {
			request.From, request.To = f.From, f.To
		} else {
			request.Status = append(request.Status, string(schema.TaskPending))
		}
		for task, err := range j.client.Tasks().All(ctx, request) {
			if err != nil {
				return ofFilter(err, "filter.")
			}
			name := schema.PlanName{Station: task.Type, PlanID: task.ID}
			if seen[name] || !history && !f.failedThen(&task) || !strings.Contains(strings.ToLower(task.ErrorInfo), text) {
				continue
			}
			seen[name] = true
			if err := names.add(name); err != nil {
				return err
			}
			j.found(len(names.all))
		}
	}
	return nil
}

// failedThen reports that a living task failed in the time of the filter.
func (f *taskFilter) failedThen(t *schema.Task) bool {
	at := t.UpdateDate
	return !at.Before(f.From) && (f.To.IsZero() || at.Before(f.To))
}

// names are those that were collected; those of one station share its text.
type names struct {
	all     []schema.PlanName
	station map[string]string
}

func (n *names) add(name schema.PlanName) error {
	if len(n.all) == MostNames {
		return &schema.Error{Code: schema.CodeTooLarge, Message: "more than 1,000,000 match, which is as many as are taken at once: give more filters"}
	}
	if shared, known := n.station[name.Station]; known {
		name.Station = shared
	} else {
		n.station[name.Station] = name.Station
	}
	n.all = append(n.all, name)
	return nil
}

// nameOf is the name in a plan's definition, whose id may be a number. It is copied, because it
// outlives the page.
func nameOf(definition wire.Value) (name schema.PlanName) {
	station, _ := definition.Field("station").Text()
	id := definition.Field("plan_id")
	text, is := id.Text()
	if !is {
		text = id.String()
	}
	return schema.PlanName{Station: strings.Clone(station), PlanID: strings.Clone(text)}
}

// ofFilter has the refusal of a list name the member of the filter, which is in the given place.
func ofFilter(err error, in string) error {
	var all schema.Errors
	var one *schema.Error
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = schema.Errors{one}
	}
	var refused schema.Errors
	for _, e := range all {
		if e.Code == schema.CodeInvalidRequest || e.Code == schema.CodeInvalidPlan {
			copied := *e
			refused = append(refused, &copied)
		}
	}
	if len(refused) == 0 {
		return err
	}
	return within(in, refused)
}
