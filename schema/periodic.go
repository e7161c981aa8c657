package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and answers of the services periodic_tasks.*.

// PeriodicCommand is the command of an execution that triggers a periodic task; its
// messages are the task alone.
const PeriodicCommand = "periodic_task"

// PeriodicStatus is where a periodic task stands.
type PeriodicStatus string

const (
	PeriodicNew     PeriodicStatus = "new"     // not online yet
	PeriodicOnline  PeriodicStatus = "online"  // triggered at its due times
	PeriodicOffline PeriodicStatus = "offline" // triggered no more, until it is online again
)

// PeriodicLogMode selects the log entries of a periodic task.
type PeriodicLogMode string

const (
	PeriodicLogNone    PeriodicLogMode = "none"        // no entries; the default
	PeriodicLogTrigger PeriodicLogMode = "trigger_log" // that it was triggered
	PeriodicLogTrans   PeriodicLogMode = "trans_log"   // and its outcome
)

// PeriodicPut asks periodic_tasks.put.
type PeriodicPut struct {
	ID       string `json:"id,omitempty" wire:"numeric"`        // made when absent
	TenantID string `json:"tenant_id,omitempty" wire:"numeric"` // filters lists; empty: none
	Type     string `json:"type"`                               // a station
	Creator  string `json:"creator,omitempty" wire:"numeric"`   // 0
	// CronExpressions is all that a plan's cron takes: five fields, or six with seconds
	// first. Required.
	CronExpressions string          `json:"cron_expressions"`
	Timezone        string          `json:"timezone,omitempty"`                // UTC
	Exclude         []string        `json:"exclude,omitempty" wire:"set"`      // calendars; as of a plan
	Only            []string        `json:"only,omitempty" wire:"set"`         // calendars; as of a plan
	Excluded        WhenExcluded    `json:"excluded,omitempty"`                // empty: skip
	Log             PeriodicLogMode `json:"log,omitempty"`                     // none
	Category        string          `json:"category,omitempty" wire:"numeric"` // filters lists; empty: none
	Ext             wire.Value      `json:"ext,omitzero"`                      // any value, for the worker; zero: none
}

// A PeriodicTask is one as periodic_tasks.get and list answer it, and as its executions
// carry it.
type PeriodicTask struct {
	ID              string          `json:"id"`                           // unique among the periodic tasks
	TenantID        string          `json:"tenant_id,omitempty"`          // empty: none
	Type            string          `json:"type"`                         // the station that is triggered
	Creator         string          `json:"creator,omitempty"`            // the owner's own id (0)
	CronExpressions string          `json:"cron_expressions"`             // five fields, or six with seconds first
	Timezone        string          `json:"timezone,omitempty"`           // IANA name; empty: UTC
	Exclude         []string        `json:"exclude,omitempty" wire:"set"` // calendars; as of a plan
	Only            []string        `json:"only,omitempty" wire:"set"`    // calendars; as of a plan
	Excluded        WhenExcluded    `json:"excluded,omitempty"`           // the treatment of excluded occurrences; empty: skip
	Status          PeriodicStatus  `json:"status"`                       // as it stands now
	Log             PeriodicLogMode `json:"log"`                          // the entries that are kept
	Category        string          `json:"category,omitempty"`           // empty: none
	Ext             wire.Value      `json:"ext,omitzero"`                 // as it was put; zero: none
	CreateDate      time.Time       `json:"create_date"`                  // UTC; when it was made
	UpdateDate      time.Time       `json:"update_date"`                  // UTC; when it last changed
}

// PeriodicName names one in get, online, offline and delete.
type PeriodicName struct {
	ID string `json:"id" wire:"numeric"` // required
}

// PeriodicStanding answers put, online and offline.
type PeriodicStanding struct {
	ID     string         `json:"id"`     // given, or made
	Status PeriodicStatus `json:"status"` // after the request
	// Warning is the reason why the task may not be served as its owner expects.
	Warning string `json:"warning,omitempty"`
	// Dropped are the fields of the task before that a put leaves out, with their paths; where it
	// moves to another station, those of its plan, too, as plan.exec_timeout. Empty: none.
	Dropped []string `json:"dropped,omitempty"`
}

// PeriodicDeleted answers periodic_tasks.delete.
type PeriodicDeleted struct {
	ID      string `json:"id"`      // as requested
	Deleted bool   `json:"deleted"` // false: there was none
}

// ListPeriodic asks periodic_tasks.list, by type, then id. Limit is 1 to 1,000 (100).
type ListPeriodic struct {
	Type     string         `json:"type,omitempty"`                     // a station; empty: all
	Status   PeriodicStatus `json:"status,omitempty"`                   // empty: all
	TenantID string         `json:"tenant_id,omitempty" wire:"numeric"` // must be equal; empty: any
	Category string         `json:"category,omitempty" wire:"numeric"`  // must be equal; empty: any
	Creator  string         `json:"creator,omitempty" wire:"numeric"`   // must be equal; empty: any
	Limit    int64          `json:"limit,omitempty" wire:"1-1000"`      // tasks on a page; 0: 100
	Cursor   string         `json:"cursor,omitempty"`                   // Next of the page before; empty: first page
}

// PeriodicPage answers periodic_tasks.list; no Next on the last page.
type PeriodicPage struct {
	PeriodicTasks []PeriodicTask `json:"periodic_tasks"` // of this page
	Next          string         `json:"next,omitempty"` // the cursor of the next page; empty on the last
}

// ListPeriodicLogs asks periodic_tasks.logs. Limit is 1 to 1,000 (100).
type ListPeriodicLogs struct {
	ID     string `json:"id" wire:"numeric"`             // of the periodic task; required
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // entries on a page; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: first page
}

// PeriodicLogPage answers periodic_tasks.logs, the newest first.
type PeriodicLogPage struct {
	Logs []PeriodicLog `json:"logs"`           // of this page
	Next string        `json:"next,omitempty"` // the cursor of the next page; empty on the last
}

// A PeriodicLog is the log entry of one trigger.
type PeriodicLog struct {
	ID             string         `json:"id"`                   // of the entry
	PeriodicTaskID string         `json:"periodic_task_id"`     // the task that was triggered
	TenantID       string         `json:"tenant_id,omitempty"`  // of the task; empty: none
	Result         PeriodicResult `json:"result"`               // with trigger_log always success
	ErrorInfo      string         `json:"error_info,omitempty"` // the cause of a failure; else empty
	CreateDate     time.Time      `json:"create_date"`          // UTC; when it was triggered
	UpdateDate     time.Time      `json:"update_date"`          // UTC; when it ended; with trigger_log CreateDate
}

// PeriodicResult is the outcome of a trigger.
type PeriodicResult string

const (
	PeriodicExecuting PeriodicResult = "executing" // under way
	PeriodicSuccess   PeriodicResult = "success"   // ended ok, or was triggered
	PeriodicFailure   PeriodicResult = "failure"   // any other end
)
