package cronjob

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// checked returns all errors of a reading. The calendar checks the expression when the plan
// is created; if there are other errors, it is asked before, so that all are reported
// together.
func (j *Jobs) checked(ctx context.Context, r *reading) error {
	if len(r.errs) == 0 {
		return nil
	}
	if r.plan.Cron != "" {
		schedule := &schema.Plan{Schedule: schema.Cron(r.plan.Cron, r.plan.Timezone)}
		if slices.ContainsFunc(r.errs, func(e *schema.Error) bool { return e.Field == "timezone" }) {
			schedule.Timezone = "UTC" // any zone is good for a check of the expression
		}
		if _, err := j.client.Plans().Preview(ctx, *schedule, time.Time{}, 1); err != nil {
			r.errs = join(r.errs, r.ofFive(renamed(err))) // without an answer the other errors suffice
		}
	}
	return r.errs
}

// join adds the errors of fields that have none yet.
func join(errs, more schema.Errors) schema.Errors {
	for _, e := range more {
		known := func(had *schema.Error) bool { return had.Field == e.Field || had.Field == "" }
		if !slices.ContainsFunc(errs, known) {
			errs = append(errs, e)
		}
	}
	return errs
}

// fields are a task's names for the fields of its plan in errors.
var fields = map[string]string{
	"cron": "cron_expr", "retry": "retry_policy_json", "overlap": "overlap_action", "failure": "failure_action",
	"catch_up": "catch_up_mode", "concurrency": "concurrency_policy", "exec_timeout": "timeout_seconds",
	"headers": "headers_json", "revision": "version", "plan_id": "name", "plan_type": "cron_expr",
}

// renamed are the errors within err that are about a request, with the names of a task.
func renamed(err error) schema.Errors {
	var all schema.Errors
	var one *schema.Error
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = schema.Errors{one}
	}
	out := make(schema.Errors, 0, len(all))
	for _, e := range all {
		now := *e
		now.Message = strings.TrimPrefix(e.Message, "messages: ")
		now.Field = strings.TrimPrefix(e.Field, "messages.")
		before := now.Field
		first, rest, nested := strings.Cut(before, ".")
		if task, known := fields[first]; known {
			now.Field = task
			if nested {
				now.Field += "." + rest
			}
			now.Message = strings.Replace(now.Message, before, now.Field, 1)
		}
		if e.Code == schema.CodeInvalidPlan {
			now.Code = schema.CodeInvalidRequest
		}
		out = append(out, &now)
	}
	return out
}

// ofFive counts the fields of a cron expression as they were typed, if there were five.
func (r *reading) ofFive(errs schema.Errors) schema.Errors {
	if !r.five {
		return errs
	}
	for _, e := range errs {
		if e.Field == "cron_expr" {
			e.Message = withoutSeconds.Replace(e.Message)
		}
	}
	return errs
}

// withoutSeconds turns the numbers of fields into those of an expression of five.
var withoutSeconds = strings.NewReplacer("field 2 (", "field 1 (", "field 3 (", "field 2 (", "field 4 (", "field 3 (", "field 5 (", "field 4 (", "field 6 (", "field 5 (")

// translated is an error of plans.create or update with the names of a task.
func (r *reading) translated(t *Task, err error) error {
	if errors.Is(err, schema.CodeAlreadyExists) {
		return &schema.Error{
			Code: schema.CodeAlreadyExists, Field: "name",
			Message: fmt.Sprintf("name %q is taken by task %s; change that one, or use another name", t.Name, t.ID),
		}
	}
	if all := renamed(err); len(all) > 0 && !errors.Is(err, schema.CodeUnavailable) {
		return r.ofFive(all)
	}
	return err
}

func invalid(field, format string, args ...any) error {
	return &schema.Error{Code: schema.CodeInvalidRequest, Field: field, Message: fmt.Sprintf(format, args...)}
}

func noTask(id string) error {
	return &schema.Error{Code: schema.CodeNotFound, Message: fmt.Sprintf("there is no task %q", clip(id))}
}

func noRun(id string) error {
	return &schema.Error{Code: schema.CodeNotFound, Message: fmt.Sprintf("there is no run %q, or it is not kept any more", clip(id))}
}

func staleVersion(present *Task, given uint64) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "version",
		Message: fmt.Sprintf("version is %d, but the task is at %d; get it again and see whether your change still fits", given, present.Version),
	}
}

// anotherTask refuses a change that is meant for an earlier task of the same name.
func anotherTask(present *Task) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "version",
		Message: fmt.Sprintf("%s is another task of that name by now; get it again and see whether your change still fits", present.ID),
	}
}
