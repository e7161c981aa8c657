package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// DryRun answers a verb of a plan that was asked with dry_run true. It has the effect that the
// verb would have, and has not had. A verb that would be refused is refused likewise.
type DryRun struct {
	PlanID  string `json:"plan_id"` // the plan's id; made when none was given, and then another at the next request
	Station string `json:"station"` // the plan's station
	DryRun  bool   `json:"dry_run"` // true
	State   Status `json:"state"`   // the status that the plan would have
	Created bool   `json:"created"` // there is no such plan yet
	// Reason is skipped when the plan would be gone at once, because all of its times have
	// passed, and why a triggered run would be skipped; empty: no special cause.
	Reason Reason `json:"reason,omitempty"`
	// Changes are the fields of the definition that would be others, and status and skip_next of
	// the state, by name.
	Changes []FieldChange `json:"changes"`
	Before  []time.Time   `json:"before"` // the next due times, five at most
	After   []time.Time   `json:"after"`  // those that the plan would have
	// Cancelled are the executions under way that would be cancelled.
	Cancelled []OpenExecution `json:"cancelled,omitempty"`
	// Revision is that of the definition, which would grow if anything in it changed.
	Revision uint64 `json:"revision,omitempty"`
	// Idle are the fields of the plan that would do nothing, as of [Plan.IdleFields]. Empty: none.
	Idle []string `json:"idle,omitempty"`
}

// A FieldChange is a field that would be another.
type FieldChange struct {
	Field  string     `json:"field"`           // its name on the wire
	Before wire.Value `json:"before,omitzero"` // absent: it is not given
	After  wire.Value `json:"after,omitzero"`  // absent: it would not be given
}

// TakeDryRun takes the member dry_run off a request, which is any map. The error has the given
// code.
func TakeDryRun(request wire.Value, code Code) (dry bool, rest wire.Value, err error) {
	if request.Kind() != wire.KindMap || request.Field("dry_run").IsZero() {
		return false, request, nil
	}
	isDry := func(name string) bool { return name == "dry_run" }
	var own struct {
		DryRun bool `json:"dry_run"`
	}
	if err := wire.Decode(choose(request, isDry), &own); err != nil {
		return false, request, WireErrors(code, err)
	}
	return own.DryRun, choose(request, func(name string) bool { return !isDry(name) }), nil
}
