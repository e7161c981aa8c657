package cronjob

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A body is a task in a request: fields may be absent or null, enumerations are in any
// case, and the members of answers (id, the times, the state) may come back.
type body struct {
	ID                 string            `json:"id"`
	Name               string            `json:"name"`
	Description        string            `json:"description"`
	CronExpr           string            `json:"cron_expr"`
	Timezone           string            `json:"timezone"`
	Exclude            []string          `json:"exclude" wire:"set"`
	Only               []string          `json:"only" wire:"set"`
	Excluded           string            `json:"excluded"`
	ExecType           schema.ExecType   `json:"exec_type"`
	HTTPMethod         schema.HTTPMethod `json:"http_method"`
	TargetURL          string            `json:"target_url"`
	HeadersJSON        jsonMap           `json:"headers_json"`
	BodyTemplate       string            `json:"body_template"`
	TimeoutSeconds     *schema.Seconds   `json:"timeout_seconds"`
	SuccessStatus      []wire.Value      `json:"success_status" wire:"set"`
	RetryPolicyJSON    jsonMap           `json:"retry_policy_json"`
	MaxConcurrency     int64             `json:"max_concurrency"`
	ConcurrencyPolicy  string            `json:"concurrency_policy"`
	CallbackMethod     schema.HTTPMethod `json:"callback_method"`
	CallbackTimeoutSec *schema.Seconds   `json:"callback_timeout_sec"`
	OverlapAction      string            `json:"overlap_action"`
	FailureAction      string            `json:"failure_action"`
	CatchUpMode        string            `json:"catch_up_mode"`
	Status             string            `json:"status"`
	Version            *uint64           `json:"version"`
	CreatedAt          time.Time         `json:"created_at"`
	UpdatedAt          time.Time         `json:"updated_at"`
	Words              string            `json:"words"`
	State              wire.Value        `json:"state"`
}

// A jsonMap is a map, or a text with a map in JSON, the form of the seed's tables; an empty
// text is none.
type jsonMap struct{ wire.Value }

var errJSONMap = errors.New("takes a map, or a text that holds one in JSON")

// DecodeWire reads either form.
func (m *jsonMap) DecodeWire(v wire.Value) error {
	if text, ok := v.Text(); ok {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		inner, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
		if err != nil {
			return fmt.Errorf("holds a text that is no JSON: %w", err)
		}
		v = inner
	}
	switch v.Kind() {
	case wire.KindNull:
		return nil
	case wire.KindMap:
		m.Value = v
		return nil
	default:
		return errJSONMap
	}
}

// The limits of a task's fields that a plan does not have (docs/conformance/seed-002.md).
const (
	maxName        = 128
	maxDescription = 512
	maxCron        = 64
	maxTimezone    = 64
)

// A parser collects the errors of a body, at most one a field.
type parser struct{ errs schema.Errors }

func (p *parser) fail(field, format string, args ...any) {
	p.errs = join(p.errs, schema.Errors{{
		Code: schema.CodeInvalidRequest, Field: field, Message: field + " " + fmt.Sprintf(format, args...),
	}})
}

// A reading is the content of a body: the task, as far as it could be read, the plan that
// it makes, the version that it is meant for (nil: any), and the errors.
type reading struct {
	task    *Task
	plan    *schema.Plan
	version *uint64
	five    bool // cron_expr was typed with five fields
	errs    schema.Errors
}

// read reads a whole task, and reports all of its errors except those that only the
// calendar knows.
func read(v wire.Value) reading { return readAs(v, schema.ParseOptions{}) }

// readChanged is read of an existing task, whose headers may be masked.
func readChanged(v wire.Value) reading { return readAs(v, schema.ParseOptions{Shown: true}) }

func readAs(v wire.Value, o schema.ParseOptions) reading {
	var b body
	var p parser
	if err := wire.Decode(v, &b); err != nil {
		p.errs = schema.WireErrors(schema.CodeInvalidRequest, err)
	}
	p.name(&b)
	p.length("description", b.Description, maxDescription)
	p.length("timezone", b.Timezone, maxTimezone)
	cron := sixFields(b.CronExpr)
	if cron == "" {
		p.fail("cron_expr", "is missing; it takes five fields, or six with seconds first, such as */15 * * * * *")
	}
	p.length("cron_expr", cron, maxCron)
	call := &schema.HTTPCall{
		Name: b.Name, ExecType: b.ExecType, HTTPMethod: b.HTTPMethod, TargetURL: b.TargetURL,
		Headers: p.headers(b.HeadersJSON.Value), BodyTemplate: b.BodyTemplate,
		TimeoutSeconds: b.TimeoutSeconds, SuccessStatus: b.SuccessStatus,
		CallbackMethod: b.CallbackMethod, CallbackTimeoutSec: b.CallbackTimeoutSec,
	}
	call.Fill()
	plan := &schema.Plan{
		PlanID: ID(b.Name), Station: schema.HTTPStation, Command: schema.HTTPCommand, Description: b.Description,
		Schedule: schema.Cron(cron, b.Timezone),
		Policy: schema.Policy{
			Overlap: word(&p, "overlap_action", b.OverlapAction, overlaps),
			Failure: word(&p, "failure_action", b.FailureAction, failures),
			CatchUp: word(&p, "catch_up_mode", b.CatchUpMode, catchUps),
			Retry:   p.retry(b.RetryPolicyJSON.Value),
		},
	}
	plan.Exclude, plan.Only, plan.Excluded = b.Exclude, b.Only, schema.WhenExcluded(strings.ToLower(b.Excluded))
	if plan.Timezone == "" {
		plan.Timezone = "UTC"
	}
	exec := call.ExecTimeout()
	plan.ExecTimeout = &exec
	if b.MaxConcurrency != 0 {
		plan.MaxConcurrency = &b.MaxConcurrency
	}
	if c := word(&p, "concurrency_policy", b.ConcurrencyPolicy, concurrencies); b.MaxConcurrency != 0 || c != schema.FullQueue {
		plan.Concurrency = c
	}
	plan.Paused = word(&p, "status", b.Status, statuses) == Disabled
	p.plan(plan, call, o)
	out := reading{plan: plan, version: b.Version, five: len(strings.Fields(b.CronExpr)) == 5, errs: p.errs}
	out.task = show(plan, call)
	return out
}

// plan puts the call into a plan, and checks the whole as any plan is checked.
func (p *parser) plan(plan *schema.Plan, call *schema.HTTPCall, o schema.ParseOptions) {
	message, err := wire.ValueOf(wire.JSON, call)
	if err != nil {
		p.fail("target_url", "cannot be kept: %v", err)
		return
	}
	plan.Messages = []wire.Value{message}
	v, err := wire.ValueOf(wire.JSON, plan)
	if err != nil {
		p.fail("retry_policy_json", "cannot be kept: %v", err)
		return
	}
	if _, err := schema.ParsePlan(v, o); err != nil {
		p.errs = join(p.errs, renamed(err))
	}
}

func word[T ~string](p *parser, field, given string, known translation[T]) T {
	found, ok := known.toPlan(given)
	if !ok {
		p.fail(field, "is %q; it takes %s", clip(given), known.known())
	}
	return found
}

func (p *parser) length(field, s string, most int) {
	if n := utf8.RuneCountInString(s); n > most {
		p.fail(field, "has %d characters; at most %d are taken", n, most)
	}
}

func (p *parser) name(b *body) {
	if strings.TrimSpace(b.Name) == "" {
		p.fail("name", "is missing; it identifies the task")
	}
	p.length("name", b.Name, maxName)
	if b.ID != "" && b.ID != ID(b.Name) {
		p.fail("id", "is %q; it follows from the name, and cannot be given", clip(b.ID))
	}
}

// headers reads a map of texts. A number or a truth value is taken as its text.
func (p *parser) headers(v wire.Value) map[string]string {
	out := make(map[string]string, v.Len())
	for name, value := range v.Map() {
		switch value.Kind() {
		case wire.KindText:
			out[name], _ = value.Text()
		case wire.KindInt, wire.KindFloat, wire.KindBool:
			out[name] = value.String()
		default:
			p.fail("headers_json."+name, "takes a text, not %s", value.Kind())
		}
	}
	return out
}

// retry reads a retry policy; none means no retries.
func (p *parser) retry(v wire.Value) *schema.Retry {
	if v.IsZero() {
		return &schema.Retry{Strategy: schema.RetryNone}
	}
	r := new(schema.Retry)
	if err := wire.Decode(v, r); err != nil {
		for _, e := range schema.WireErrors(schema.CodeInvalidRequest, err) {
			e.Field = "retry_policy_json." + e.Field
			p.errs = join(p.errs, schema.Errors{e})
		}
	}
	return r
}
