package cronjob

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Task is one HTTP cron job in REST. Its call comes from the only message of its plan, a
// [schema.HTTPCall].
type Task struct {
	ID                 string            `json:"id"`
	Name               string            `json:"name"`
	Description        string            `json:"description"`
	CronExpr           string            `json:"cron_expr"` // six fields, seconds first, or @every
	Timezone           string            `json:"timezone"`
	Exclude            []string          `json:"exclude,omitempty"`  // calendars; an occurrence on any of them is excluded
	Only               []string          `json:"only,omitempty"`     // calendars; an occurrence on none of them is excluded
	Excluded           string            `json:"excluded,omitempty"` // the treatment of excluded occurrences; empty: skipped
	ExecType           schema.ExecType   `json:"exec_type"`
	HTTPMethod         schema.HTTPMethod `json:"http_method"`
	TargetURL          string            `json:"target_url"`
	HeadersJSON        string            `json:"headers_json"` // a map of texts, as JSON
	BodyTemplate       string            `json:"body_template"`
	TimeoutSeconds     schema.Seconds    `json:"timeout_seconds"`
	SuccessStatus      []wire.Value      `json:"success_status"`              // numbers, and classes such as "2xx"
	RetryPolicyJSON    string            `json:"retry_policy_json,omitempty"` // a schema.Retry, as JSON; empty: no retries
	MaxConcurrency     int64             `json:"max_concurrency"`             // 0: no limit
	ConcurrencyPolicy  string            `json:"concurrency_policy"`
	CallbackMethod     schema.HTTPMethod `json:"callback_method"`
	CallbackTimeoutSec schema.Seconds    `json:"callback_timeout_sec"`
	OverlapAction      string            `json:"overlap_action"`
	FailureAction      string            `json:"failure_action"`
	CatchUpMode        string            `json:"catch_up_mode"`
	Status             Status            `json:"status"`
	Version            uint64            `json:"version"` // the revision of the plan
	Incarnation        uint64            `json:"-"`       // of the plan; 0: unknown
	CreatedAt          time.Time         `json:"created_at,omitzero"`
	UpdatedAt          time.Time         `json:"updated_at,omitzero"`
	Words              string            `json:"words,omitempty"` // the schedule as a sentence; empty: not asked for
	State              *Standing         `json:"state,omitempty"` // nil: not asked for
}

// Status is whether a task is enabled.
type Status string

const (
	Enabled  Status = "ENABLED"
	Disabled Status = "DISABLED" // its plan is paused
)

// ID is the id of the task with a name, and of its plan.
func ID(name string) string {
	sum := sha256.Sum256([]byte("task " + name))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
}

// idOf is the ID of a task, given its ID or its name.
func idOf(idOrName string) string {
	if command.IsJobID(idOrName) {
		return idOrName
	}
	return ID(idOrName)
}

// Known lists the plans of station http that this may mean: the one of that id, which a
// publisher may have given it, and the task of that name, in this order.
func Known(idOrName string) (plans []schema.PlanName) {
	task := name(idOf(idOrName))
	if task.PlanID != idOrName && schema.CheckID(idOrName) == nil {
		plans = append(plans, name(idOrName))
	}
	return append(plans, task)
}
