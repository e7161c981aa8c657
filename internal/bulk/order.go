package bulk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// RetryTasks is the verb about tasks; all others are about plans.
const RetryTasks = "tasks.retry"

// Verbs are all verbs.
var Verbs = []string{"pause", "resume", "trigger", "reset", "close", "remove", "skip", "cancel", RetryTasks}

// An Order is a verb, and the plans or tasks that it is for.
type Order struct {
	Verb   string     `json:"verb"`              // one of [Verbs]
	Filter wire.Value `json:"filter"`            // which ones; an empty map: all
	Expect *int64     `json:"expect,omitempty"`  // how many match, as far as the asker knows; nil: any number
	Count  *int64     `json:"count,omitempty"`   // of skip; nil: 1
	DryRun bool       `json:"dry_run,omitempty"` // nothing is done: it only counts which ones match

	plans planFilter
	tasks taskFilter
}

// A planFilter selects plans. Of the runs no cursor and no limit is taken.
type planFilter struct {
	schema.ListPlans
	Run *schema.ListRuns `json:"run,omitempty"` // the plan has a run that these filters select; nil: any plan
}

// A taskFilter selects tasks that failed.
type taskFilter struct {
	Type     string    `json:"type,omitempty"`
	TenantID string    `json:"tenant_id,omitempty" wire:"numeric"`
	Category string    `json:"category,omitempty" wire:"numeric"`
	Creator  string    `json:"creator,omitempty" wire:"numeric"`
	From     time.Time `json:"from,omitzero"` // they failed then or later
	To       time.Time `json:"to,omitzero"`   // they failed before
	Until    time.Time `json:"until,omitzero"`
	Text     string    `json:"text,omitempty"` // in the error, in any case of letters
}

// Keys are the names that a filter of a verb may have.
func Keys(verb string) []string {
	if verb == RetryTasks {
		return []string{"type", "tenant_id", "category", "creator", "from", "to", "until", "text"}
	}
	return []string{"station", "status", "waits", "plan_type", "caller", "tenant_id", "category", "creator", "labels", "text", "due_from", "due_before", "prefix", ofRun}
}

// ofRun is the key of a filter of plans that holds filters of its runs.
const ofRun = "run"

// RunKeys are the names that a filter of runs may have.
func RunKeys() []string {
	return []string{"station", "plan_id", "state", "reason", "worker_id", "labels", "text", "longer_than_ms", "failed", "trouble", "from", "to", "until"}
}

// Read reads an order as REST takes it, and checks all that no service checks.
func Read(body wire.Value) (*Order, error) {
	o := new(Order)
	if err := wire.Decode(body, o); err != nil {
		return nil, schema.WireErrors(schema.CodeInvalidRequest, err)
	}
	if o.Expect == nil && !o.DryRun {
		return nil, invalid("expect", "is missing; it takes how many match, such as the total of a list, or matched of a dry run")
	}
	o.Filter = wire.Trust(o.Filter.Encoding(), bytes.Clone(o.Filter.Raw())) // it outlives the request
	return o, o.Check()
}

// Check checks an order, and reads its filter.
func (o *Order) Check() error {
	switch {
	case !slices.Contains(Verbs, o.Verb):
		return invalid("verb", "is %q; it takes one of %s", o.Verb, strings.Join(Verbs, ", "))
	case o.Expect != nil && *o.Expect < 0:
		return invalid("expect", "is %d; it takes 0 or more", *o.Expect)
	case o.Count != nil && o.Verb != "skip":
		return invalid("count", "is of skip alone")
	case o.Count != nil && *o.Count < client.SkipAll:
		return invalid("count", "is %d; it takes 0 or more, or -1 for all", *o.Count)
	case o.Filter.Kind() == wire.KindAbsent:
		return invalid("filter", "is missing; it takes a map, and an empty one is all")
	case o.Filter.Kind() != wire.KindMap:
		return invalid("filter", "is %s; it takes a map", o.Filter.Kind())
	case len(o.Filter.Raw()) > mostFilter:
		return &schema.Error{Code: schema.CodeTooLarge, Field: "filter", Message: "filter has more than 64 KiB"}
	}
	if err := known(o.Filter, "filter", Keys(o.Verb)); err != nil {
		return err
	}
	if run := o.Filter.Field(ofRun); run.Kind() == wire.KindMap {
		if err := known(run, "filter.run", RunKeys()); err != nil {
			return err
		}
	}
	var into any = &o.plans
	if o.Verb == RetryTasks {
		into = &o.tasks
	}
	if err := wire.Decode(o.Filter, into); err != nil {
		return within("filter.", schema.WireErrors(schema.CodeInvalidRequest, err))
	}
	if !o.tasks.Until.IsZero() {
		if !o.tasks.To.IsZero() {
			return invalid("filter.until", "is the same as to; give one of them")
		}
		o.tasks.To = o.tasks.Until
	}
	return nil
}

// known refuses another name in a filter, and an empty value, because without them the filter would
// match more.
func known(filter wire.Value, in string, names []string) error {
	for name, v := range filter.Map() {
		if slices.Contains(names, name) {
			if isEmpty(v) {
				return invalid(in+"."+name, "is empty, as an unset variable is, and would match all: leave it out, or give it a value")
			}
			continue
		}
		meant := ""
		if near := wire.Nearest(name, slices.Values(names)); near != "" {
			meant = fmt.Sprintf("; did you mean %q?", near)
		}
		if len(name) > 100 {
			name = name[:100] + "…"
		}
		return &schema.Error{Code: schema.CodeInvalidRequest, Field: in + "." + name, Message: fmt.Sprintf("unknown field %q in %s%s", name, in, meant)}
	}
	return nil
}

// isEmpty reports null, and a text, list or map of nothing.
func isEmpty(v wire.Value) bool {
	switch text, is := v.Text(); v.Kind() {
	case wire.KindNull:
		return true
	case wire.KindMap, wire.KindList:
		return v.Len() == 0
	default:
		return is && text == ""
	}
}

// within has errors name members of the filter, which are in the given place.
func within(in string, errs schema.Errors) error {
	for _, e := range errs {
		if e.Field != "" {
			e.Field, e.Message = in+e.Field, in+e.Message
		}
	}
	return errs
}

func invalid(field, format string, args ...any) error {
	return &schema.Error{Code: schema.CodeInvalidRequest, Field: field, Message: field + " " + fmt.Sprintf(format, args...)}
}

// differs reports that more than a tenth more or fewer match than were expected.
func (o *Order) differs(matched int64) bool {
	if o.Expect == nil {
		return false
	}
	return max(matched-*o.Expect, *o.Expect-matched) > *o.Expect/10
}
