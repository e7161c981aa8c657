package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Import asks plans.import: at most 1,000 plans.
type Import struct {
	Plans      []wire.Value `json:"plans" wire:"list"`     // each a map, as plans.create takes it
	OnConflict OnConflict   `json:"on_conflict,omitempty"` // for plans that exist; empty: error
}

// Imported answers plans.import; a bad plan does not stop the others.
type Imported struct {
	Created int64         `json:"created"`          // how many were created
	Updated int64         `json:"updated"`          // how many were updated
	Kept    int64         `json:"kept"`             // how many existed, and stay as they were
	Errors  []ImportError `json:"errors,omitempty"` // those that were refused; empty: none
	// Finished are the places in the request of those that are counted as kept because they came
	// to their end by themselves, and are not made again.
	Finished []int64 `json:"finished,omitempty"`
	// Ended are the places of those that were created and are gone, because all of their times
	// had passed and were skipped; Late of those that run at once, because their plan_time had
	// passed, and no_keep has late occurrences run.
	Ended  []int64 `json:"ended,omitempty"`
	Late   []int64 `json:"late,omitempty"`    // see Ended
	DryRun bool    `json:"dry_run,omitempty"` // true: nothing was done, and this would be the outcome
	// Dropped are the fields that updated plans had before and their new definitions leave out.
	Dropped []ImportDropped `json:"dropped,omitempty"`
	// Idle are the fields of created and updated plans that do nothing, as of [Plan.IdleFields].
	Idle []ImportDropped `json:"idle,omitempty"`
}

// ImportDropped are the fields that one plan of an import lost, or that do nothing. Fields are none where those of the
// plans before it fill the answer.
type ImportDropped struct {
	Index  int64    `json:"index"`  // its place in the request, from 0
	Fields []string `json:"fields"` // nested ones with their paths, as labels.team
}

// Export asks plans.export. Limit is 1 to 1,000 (100).
type Export struct {
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// ExportPage answers plans.export, by station, then id; no Next on the last page.
type ExportPage struct {
	Plans []PlanCopy `json:"plans"`          // one page of plans
	Next  string     `json:"next,omitempty"` // the cursor of the next page; empty: this is the last
}

// A PlanCopy is a plan with all that the scheduler keeps of it. The definition is
// Plan where it speaks the encoding of the message, byte for byte as it is stored;
// otherwise it is Raw, in the encoding of that word ("json" or "msgpack").
type PlanCopy struct {
	Plan     wire.Value `json:"plan,omitzero"`      // zero when Raw is given
	Raw      []byte     `json:"raw,omitempty"`      // in JSON as base64; nil when Plan is given
	Encoding string     `json:"encoding,omitempty"` // of Raw; empty without it
	// Record is the map that the bucket has under the plan's state key, without votes; of a
	// plan with an inbox without open occurrences, and zero in a backup of an earlier release.
	Record wire.Value `json:"record,omitzero"`
	// Inbox is there when the plan has one, as a merge queue does, PlanTime is
	// when its items are due. The items come by plans.items, and a restore takes them
	// with it.
	Inbox    *InboxState `json:"inbox,omitempty"`
	PlanTime time.Time   `json:"plan_time,omitzero"` // of a merge queue; zero: none
	Items    *ItemsCopy  `json:"items,omitempty"`    // for plans.restore alone; nil: none
}

// In returns p as it travels in a message of that encoding.
func (p PlanCopy) In(enc wire.Encoding) (PlanCopy, error) {
	definition, err := p.Definition()
	if err != nil {
		return PlanCopy{}, err
	}
	out := p
	out.Record, out.Plan, out.Raw, out.Encoding = p.Record.In(enc), wire.Value{}, nil, ""
	if p.Items != nil {
		items := p.Items.in(enc)
		out.Items = &items
	}
	if definition.Encoding() == enc {
		out.Plan = definition
	} else {
		out.Raw, out.Encoding = definition.Raw(), definition.Encoding().String()
	}
	return out, nil
}

// Definition returns the definition in its own encoding. It was scanned, but not checked,
// so that a caller that takes it from an untrusted source holds it to the limits of a plan.
// The error is a [*Error] with code invalid_plan or too_large.
func (p PlanCopy) Definition() (wire.Value, error) {
	wrong := func(field, message string) (wire.Value, error) {
		return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: field, Message: message}
	}
	switch {
	case !p.Plan.IsZero() && p.Raw != nil:
		return wrong("raw", "a plan has plan or raw, not both")
	case !p.Plan.IsZero():
		return p.Plan, nil
	case p.Raw == nil:
		return wrong("plan", "plan is missing; it is the definition, as plans.export gave it")
	}
	enc, ok := wire.ParseEncoding(p.Encoding)
	if !ok {
		return wrong("encoding", "encoding is none of json, msgpack; it names the encoding of raw")
	}
	v, err := wire.ScanAs(enc, p.Raw, wire.Limits{Bytes: MaxDefinitionBytes})
	if err != nil {
		return wire.Value{}, WireErrors(CodeInvalidPlan, err)
	}
	return v, nil
}

// Restore asks plans.restore: at most 1,000 plans. OnConflict is error or keep.
// [Imported] answers it.
type Restore struct {
	Plans      []PlanCopy `json:"plans" wire:"list"`     // as plans.export gave them
	OnConflict OnConflict `json:"on_conflict,omitempty"` // for plans that exist; empty: error
}

// ImportError is the fault of the plan at Index, counted from 0.
type ImportError struct {
	Index int64  `json:"index"` // the plan's place in the request
	Error *Error `json:"error"` // why it was refused
}
