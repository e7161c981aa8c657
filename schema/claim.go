package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and responses of pull workers.

const (
	// MaxClaim bounds the executions of one claim, and MaxClaimWait how long one
	// waits for them.
	MaxClaim     = 100
	MaxClaimWait = time.Minute // 60,000 ms of WaitMS
	// MaxClaimBytes bounds the bodies of one claim's executions, each in its own
	// encoding. A larger first one goes alone.
	MaxClaimBytes = 512 << 10
	// MaxWorkerCount bounds worker_count, because the workers of an occurrence are a part
	// of its plan's record.
	MaxWorkerCount = 100
)

// Claim asks plans.claim.<station>. Limit is 1 to 100 (1), WaitMS 0 to 60,000 (0). Each
// other field that is not empty must equal the plan's; all Labels must match.
type Claim struct {
	WorkerID string            `json:"worker_id" wire:"numeric"`           // the worker's own id; required
	Limit    int64             `json:"limit,omitempty" wire:"1-100"`       // executions at most; 0: 1
	WaitMS   int64             `json:"wait_ms,omitempty" wire:"0-60000"`   // milliseconds; 0: no wait
	TenantID string            `json:"tenant_id,omitempty" wire:"numeric"` // empty: any
	Category string            `json:"category,omitempty" wire:"numeric"`  // empty: any
	Caller   string            `json:"caller,omitempty" wire:"numeric"`    // empty: any
	Creator  string            `json:"creator,omitempty" wire:"numeric"`   // empty: any
	Labels   map[string]string `json:"labels,omitempty"`                   // nil: any
}

// ClaimPage answers plans.claim with executions as a worker gets them. Each has the subject to
// answer on as its member reply. There is none when nothing came in time.
type ClaimPage struct {
	Executions []wire.Value `json:"executions"` // by priority, then due time
	// RetryAfterMS is the delay before the next claim, because this one found no place to
	// wait.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
}
