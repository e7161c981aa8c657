package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and answers of the services periodic_tasks.* (seed 001).

// PeriodicCommand is the command of an execution that triggers a periodic task; its
// messages are the task alone.
const PeriodicCommand = "periodic_task"

// PeriodicStatus is where a periodic task stands.
type PeriodicStatus string

const (
	PeriodicNew     PeriodicStatus = "new" // not online yet
	PeriodicOnline  PeriodicStatus = "online"
	PeriodicOffline PeriodicStatus = "offline"
)

// PeriodicLogMode selects the log entries of a periodic task.
type PeriodicLogMode string

const (
	PeriodicLogNone    PeriodicLogMode = "none"
	PeriodicLogTrigger PeriodicLogMode = "trigger_log" // that it was triggered
	PeriodicLogTrans   PeriodicLogMode = "trans_log"   // and its outcome
)

// PeriodicPut asks periodic_tasks.put.
type PeriodicPut struct {
	ID              string          `json:"id,omitempty" wire:"numeric"` // made when absent
	TenantID        string          `json:"tenant_id,omitempty" wire:"numeric"`
	Type            string          `json:"type"`                             // a station
	Creator         string          `json:"creator,omitempty" wire:"numeric"` // 0
	CronExpressions string          `json:"cron_expressions"`
	Timezone        string          `json:"timezone,omitempty"` // UTC
	Log             PeriodicLogMode `json:"log,omitempty"`      // none
	Category        string          `json:"category,omitempty" wire:"numeric"`
	Ext             wire.Value      `json:"ext,omitzero"`
}

// A PeriodicTask is one as periodic_tasks.get and list answer it, and as its executions
// carry it.
type PeriodicTask struct {
	ID              string          `json:"id"`
	TenantID        string          `json:"tenant_id,omitempty"`
	Type            string          `json:"type"`
	Creator         string          `json:"creator,omitempty"`
	CronExpressions string          `json:"cron_expressions"`
	Timezone        string          `json:"timezone,omitempty"`
	Status          PeriodicStatus  `json:"status"`
	Log             PeriodicLogMode `json:"log"`
	Category        string          `json:"category,omitempty"`
	Ext             wire.Value      `json:"ext,omitzero"`
	CreateDate      time.Time       `json:"create_date"`
	UpdateDate      time.Time       `json:"update_date"`
}

// PeriodicName names one in get, online, offline and delete.
type PeriodicName struct {
	ID string `json:"id" wire:"numeric"`
}

// PeriodicStanding answers put, online and offline.
type PeriodicStanding struct {
	ID     string         `json:"id"`
	Status PeriodicStatus `json:"status"`
	// Warning is the reason why the task may not be served as its owner expects.
	Warning string `json:"warning,omitempty"`
}

// PeriodicDeleted answers periodic_tasks.delete.
type PeriodicDeleted struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

// ListPeriodic asks periodic_tasks.list, by type, then id. Limit is 1 to 1,000 (100).
type ListPeriodic struct {
	Type     string         `json:"type,omitempty"`
	Status   PeriodicStatus `json:"status,omitempty"`
	TenantID string         `json:"tenant_id,omitempty" wire:"numeric"`
	Category string         `json:"category,omitempty" wire:"numeric"`
	Creator  string         `json:"creator,omitempty" wire:"numeric"`
	Limit    *int64         `json:"limit,omitempty"`
	Cursor   string         `json:"cursor,omitempty"`
}

// PeriodicPage answers periodic_tasks.list; no Next on the last page.
type PeriodicPage struct {
	PeriodicTasks []PeriodicTask `json:"periodic_tasks"`
	Next          string         `json:"next,omitempty"`
}

// ListPeriodicLogs asks periodic_tasks.logs. Limit is 1 to 1,000 (100).
type ListPeriodicLogs struct {
	ID     string `json:"id" wire:"numeric"`
	Limit  *int64 `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// PeriodicLogPage answers periodic_tasks.logs, the newest first.
type PeriodicLogPage struct {
	Logs []PeriodicLog `json:"logs"`
	Next string        `json:"next,omitempty"`
}

// A PeriodicLog is the log entry of one trigger.
type PeriodicLog struct {
	ID             string         `json:"id"`
	PeriodicTaskID string         `json:"periodic_task_id"`
	TenantID       string         `json:"tenant_id,omitempty"`
	Result         PeriodicResult `json:"result"`
	ErrorInfo      string         `json:"error_info,omitempty"`
	CreateDate     time.Time      `json:"create_date"`
	UpdateDate     time.Time      `json:"update_date"`
}

// PeriodicResult is the outcome of a trigger.
type PeriodicResult string

const (
	PeriodicExecuting PeriodicResult = "executing"
	PeriodicSuccess   PeriodicResult = "success"
	PeriodicFailure   PeriodicResult = "failure"
)
