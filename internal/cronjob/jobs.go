package cronjob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Jobs are the tasks of an installation. It keeps nothing, because every call asks the
// services, and may be used by many goroutines at once.
type Jobs struct {
	client *client.Client
	now    func() time.Time
}

// New makes Jobs that use c; now is the clock for the times of a task's creation and
// changes.
func New(c *client.Client, now func() time.Time) *Jobs { return &Jobs{c, now} }

// A Page is one page of tasks, or of runs; no Next on the last one.
type Page[T any] struct {
	Items []T
	Next  string
}

// Create creates a task from a body. All of its errors are returned at once, as
// [schema.Errors]; a name that is taken is already_exists.
func (j *Jobs) Create(ctx context.Context, b wire.Value) (*Task, error) {
	r := read(b)
	if err := j.checked(ctx, &r); err != nil {
		return nil, err
	}
	now := j.moment()
	r.stamp(now, now)
	created, err := j.client.Plans().Create(ctx, *r.plan)
	if err != nil {
		return nil, r.translated(r.task, err)
	}
	r.task.Version = created.Revision
	// The answer to a creation lacks the incarnation. Another task may have the name by now.
	if present, err := j.Get(ctx, r.task.ID); err == nil && present.CreatedAt.Equal(now) && present.Version == r.task.Version {
		r.task.Incarnation = present.Incarnation
	}
	return r.task, nil
}

// PlanOf makes the plan of a task whose body does not come from a request. All errors are
// returned except the calendar's, as [schema.Errors].
func PlanOf(b wire.Value) (*schema.Plan, error) {
	r := read(b)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return r.plan, nil
}

// Get returns a task, by its id or by its name; not_found, also when the id is that of
// another plan.
func (j *Jobs) Get(ctx context.Context, id string) (*Task, error) {
	t, _, err := j.get(ctx, id)
	return t, err
}

func (j *Jobs) get(ctx context.Context, id string) (*Task, *schema.PlanView, error) {
	view, err := j.client.PlanNamed(name(idOf(id))).Get(ctx)
	if errors.Is(err, client.ErrNotFound) {
		return nil, nil, noTask(id)
	}
	if err != nil {
		return nil, nil, err
	}
	t, ok := taskOf(view)
	if !ok {
		return nil, nil, noTask(id)
	}
	return t, view, nil
}

// A Filter selects tasks; the zero value: all.
type Filter struct {
	Status string // ENABLED or DISABLED, in any case
	Name   string // an exact match
	Limit  int64  // 1 to 1,000
	Cursor string // the Next of the page before
	Shown  Shown
}

// lookPages bounds the pages of the scheduler that one page may take, when the filter drops
// most of their plans.
const lookPages = 10

// List returns one page of tasks, by id.
func (j *Jobs) List(ctx context.Context, f Filter) (*Page[*Task], error) {
	request := schema.ListPlans{Station: schema.HTTPStation, PlanType: schema.TypeCron, Words: f.Shown.Words, Cursor: f.Cursor}
	switch {
	case f.Status == "":
	case strings.EqualFold(f.Status, string(Disabled)):
		request.Status = schema.OneOrMany{string(schema.StatusPaused)}
	case strings.EqualFold(f.Status, string(Enabled)):
		request.Status = enabledStatuses
	default:
		return nil, invalid("status", "status is %q; it takes %s", clip(f.Status), statuses.known())
	}
	if f.Name != "" {
		return j.named(ctx, f)
	}
	page := &Page[*Task]{Items: []*Task{}}
	for range lookPages {
		request.Limit = f.Limit - int64(len(page.Items))
		answer, err := j.client.Plans().List(ctx, request)
		if err != nil {
			return nil, err
		}
		for i := range answer.Plans {
			if t, ok := taskOf(&answer.Plans[i]); ok {
				f.Shown.apply(t, &answer.Plans[i])
				page.Items = append(page.Items, t)
			}
		}
		page.Next, request.Cursor = answer.Next, answer.Next
		if page.Next == "" || int64(len(page.Items)) >= f.Limit {
			break
		}
	}
	return page, nil
}

var enabledStatuses = schema.OneOrMany{
	string(schema.StatusQueued), string(schema.StatusExecuting), string(schema.StatusRetrying),
	string(schema.StatusPending), string(schema.StatusPlanError),
}

// named is the list of the one task with a name, or of none.
func (j *Jobs) named(ctx context.Context, f Filter) (*Page[*Task], error) {
	page := &Page[*Task]{Items: []*Task{}}
	t, err := j.Show(ctx, ID(f.Name), f.Shown)
	switch {
	case errors.Is(err, client.ErrNotFound):
	case err != nil:
		return nil, err
	case f.Status == "" || strings.EqualFold(f.Status, string(t.Status)):
		page.Items = append(page.Items, t)
	}
	return page, nil
}

// maxMerges bounds the attempts of an update without a version, which is merged anew when
// another update comes first.
const maxMerges = 10

// Update changes the fields in a body, and resets null ones to their defaults. A version in
// the body, and a tag that is not zero, must be of the present state, else the update is a
// conflict. Status is changed after all else, in a step of its own.
func (j *Jobs) Update(ctx context.Context, id string, b wire.Value, tag Precondition) (*Task, error) {
	if err := schema.RefuseEmptyChange(schema.CodeInvalidRequest, b, "timezone", "overlap_action", "http_method", "exec_type"); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		present, err := j.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		version := readChanged(b).version
		if err := meant(present, version, tag); err != nil {
			return nil, err
		}
		t, err := j.replace(ctx, present, b)
		fixed := version != nil || tag != (Precondition{})
		if errors.Is(err, client.ErrConflict) && !fixed && try < maxMerges {
			continue
		}
		if err != nil || t.Status == present.Status {
			return t, err
		}
		return j.SetStatus(ctx, id, t.Status)
	}
}

// A Precondition is the state of a task that a request is meant for, from the tag of one; the
// zero value: any.
type Precondition struct{ Version, Incarnation uint64 }

// meant returns a conflict when the version in a body, nil where there is none, or a
// precondition is not of the present state.
func meant(present *Task, version *uint64, tag Precondition) error {
	switch {
	case version != nil && *version != present.Version:
		return staleVersion(present, *version)
	case tag == (Precondition{}):
	case tag.Version != present.Version:
		return staleVersion(present, tag.Version)
	case tag.Incarnation != present.Incarnation:
		return anotherTask(present)
	}
	return nil
}

// replace gives a task the fields of a body over its present ones.
func (j *Jobs) replace(ctx context.Context, present *Task, b wire.Value) (*Task, error) {
	whole, err := overlay(present, b)
	if err != nil {
		return nil, err
	}
	r := readChanged(whole)
	if r.task.Name != present.Name {
		r.errs = join(r.errs, schema.Errors{{
			Code: schema.CodeInvalidRequest, Field: "name",
			Message: fmt.Sprintf("a task keeps its name, %q; make a new task of another name", present.Name),
		}})
	}
	if err := j.checked(ctx, &r); err != nil {
		return nil, err
	}
	if sameButStatus(r.task, present) { // else its time alone would make another version
		kept := *present
		kept.Status = r.task.Status
		return &kept, nil
	}
	r.stamp(present.CreatedAt, j.moment())
	set := *r.plan
	set.Paused = false // a step of its own
	updated, err := j.client.PlanNamed(name(present.ID)).Update(ctx, client.Update{
		Set: set, Clear: absent(&set), Revision: present.Version, Incarnation: present.Incarnation,
	})
	if err != nil {
		return nil, r.translated(present, err)
	}
	r.task.Version, r.task.Incarnation = updated.Revision, present.Incarnation
	return r.task, nil
}

// sameButStatus reports that a task as a body gives it is the present one, whose status is changed
// in a step of its own.
func sameButStatus(given, present *Task) bool {
	a, b := *given, *present
	a.Version, a.CreatedAt, a.UpdatedAt, a.Status = b.Version, b.CreatedAt, b.UpdatedAt, b.Status
	one, errOne := wire.ValueOf(wire.JSON, &a)
	other, errOther := wire.ValueOf(wire.JSON, &b)
	return errOne == nil && errOther == nil && bytes.Equal(one.Raw(), other.Raw())
}

// overlay writes the present task with the members of b in place of its own.
func overlay(present *Task, b wire.Value) (wire.Value, error) {
	if b.Kind() != wire.KindMap {
		return b, nil // read reports that it is no map
	}
	v, err := wire.ValueOf(wire.JSON, present)
	if err != nil {
		return wire.Value{}, fmt.Errorf("encode the task: %w", err)
	}
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for field, value := range v.Map() {
		if b.Field(field).IsZero() && field != "id" {
			w.KeyText(field)
			w.Value(value)
		}
	}
	for field, value := range b.Map() {
		w.KeyText(field)
		w.Value(value)
	}
	w.EndMap()
	return w.Whole(), nil
}

// SetStatus enables or disables a task. Occurrences that fall due while it is disabled are
// never caught up.
func (j *Jobs) SetStatus(ctx context.Context, id string, to Status) (*Task, error) {
	task, err := j.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	set := client.Plan.Resume
	if to == Disabled {
		set = client.Plan.Pause
	}
	if _, err := set(j.client.PlanNamed(name(task.ID)), ctx); err != nil {
		return nil, err
	}
	return j.Get(ctx, task.ID)
}

// A Removal is the body of a request that deletes a task.
type Removal struct {
	ID      string  `json:"id"`
	Version *uint64 `json:"version"`
}

// Delete removes a task; its runs stay, and its name is free again. A version in the body,
// which may be absent, or a tag that is not zero, must be of the present state, else the
// delete is a conflict.
func (j *Jobs) Delete(ctx context.Context, id string, b wire.Value, tag Precondition) error {
	var r Removal
	if !b.IsZero() {
		if err := wire.Decode(b, &r); err != nil {
			return schema.WireErrors(schema.CodeInvalidRequest, err)
		}
	}
	task, err := j.Get(ctx, id)
	switch {
	case err != nil:
		return err
	case r.ID != "" && r.ID != task.ID:
		return invalid("id", "id is %q, and the task is %s", clip(r.ID), task.ID)
	}
	if err := meant(task, r.Version, tag); err != nil {
		return err
	}
	var read schema.PlanState // any
	if r.Version != nil || tag != (Precondition{}) {
		read.Revision, read.Incarnation = task.Version, task.Incarnation
	}
	_, err = j.client.PlanNamed(name(task.ID)).RemoveAsRead(ctx, read)
	return err
}

// Trigger runs a task once more, now, as far as its policies allow, and returns the id of
// the run.
func (j *Jobs) Trigger(ctx context.Context, id string) (string, error) {
	task, err := j.Get(ctx, id)
	if err != nil {
		return "", err
	}
	triggered, err := j.client.PlanNamed(name(task.ID)).Trigger(ctx)
	if err != nil {
		return "", err
	}
	return RunID(task.ID, triggered.N), nil
}

// runStatuses lists the statuses of a run for an error message.
func runStatuses() string {
	words := make([]string, len(RunStatuses))
	for i, s := range RunStatuses {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// Runs returns one page of a task's runs, the newest first, also when the task has been
// deleted; not_found when no run of it is kept and no task exists.
func (j *Jobs) Runs(ctx context.Context, id, status, cursor string, limit int64) (*Page[Run], error) {
	wanted := RunStatus(strings.ToUpper(status))
	if wanted != "" && !slices.Contains(RunStatuses, wanted) {
		return nil, invalid("status", "status is %q; it takes %s", clip(status), runStatuses())
	}
	plans := Known(id)
	slices.Reverse(plans) // a task before a plan that is none
	plan, err := j.client.Plans().Which(ctx, plans)
	if err != nil {
		return nil, err
	}
	page := &Page[Run]{Items: []Run{}, Next: cursor}
	for range lookPages {
		answer, err := j.client.Runs().List(ctx, schema.ListRuns{
			Station: plan.Station, PlanID: plan.PlanID, Limit: limit - int64(len(page.Items)), Cursor: page.Next,
		})
		if err != nil {
			return nil, err
		}
		for i := range answer.Runs {
			if run := RunOf(&answer.Runs[i]); wanted == "" || run.Status == wanted {
				page.Items = append(page.Items, run)
			}
		}
		if page.Next = answer.Next; page.Next == "" || int64(len(page.Items)) >= limit {
			break
		}
	}
	if len(page.Items) == 0 && cursor == "" && wanted == "" {
		if _, err := j.Get(ctx, id); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// Run returns one run.
func (j *Jobs) Run(ctx context.Context, runID string) (*Run, error) {
	id, n, ok := ParseRunID(runID)
	if !ok {
		return nil, noRun(runID)
	}
	result, err := j.client.PlanNamed(name(id)).Run(ctx, n)
	if errors.Is(err, client.ErrNotFound) {
		return nil, noRun(runID)
	}
	if err != nil {
		return nil, err
	}
	run := RunOf(result)
	return &run, nil
}

// CancelRun ends a run that is under way or waits, and returns it.
func (j *Jobs) CancelRun(ctx context.Context, runID string) (*Run, error) {
	if _, err := j.Run(ctx, runID); err != nil {
		return nil, err
	}
	id, n, _ := ParseRunID(runID)
	_, err := j.client.PlanNamed(name(id)).Cancel(ctx, n)
	if errors.Is(err, client.ErrNotFound) {
		return nil, &schema.Error{Code: schema.CodeConflict, Message: fmt.Sprintf("run %s has ended; its task is gone", runID)}
	}
	if err != nil {
		return nil, err
	}
	return j.Run(ctx, runID)
}

func (j *Jobs) moment() time.Time { return j.now().UTC().Truncate(time.Millisecond) }

func name(id string) schema.PlanName { return schema.PlanName{Station: schema.HTTPStation, PlanID: id} }
