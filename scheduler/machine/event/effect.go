package event

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Effect is something to do once the rows of its batch are durable.
type Effect interface{ effect() }

type (
	// Answer ends an Ask, or acknowledges a Heard (Body is then a schema.Ack).
	// Err is a *schema.Error.
	Answer struct {
		To   Asker
		Body any
		Err  error
	}

	// Dispatch hands an execution to the workers of its station.
	Dispatch struct{ Execution *Outgoing }

	// Handout ends a ClaimWork: these executions are its worker's, in the order in which
	// they are answered. Views are their plans, if those were asked for.
	Handout struct {
		To         Asker
		Executions []*Outgoing
		Views      []*schema.PlanView
	}

	// Cancel tells the workers of a station to stop an execution.
	Cancel struct {
		Cancel schema.Cancel
		Enc    wire.Encoding
	}

	// Publish broadcasts a result and has it stored. Body is complete, in Enc.
	// Row counts the result rows of the batch from 1; 0: it is not stored.
	Publish struct {
		Name schema.PlanName
		N    int64
		Body []byte
		Enc  wire.Encoding
		Row  uint32
		// State and Reason are the result's; Count of them are occurrences that were skipped,
		// and Took is how long its execution was under way, 0 if there was none. Failed: what
		// was skipped had failed, and counts as a failure, too.
		State  schema.State
		Reason schema.Reason
		Count  int64
		Took   time.Duration
		Failed bool
	}

	// Tell announces a live event, which nobody keeps.
	Tell struct {
		Notice schema.Notice
		Enc    wire.Encoding
	}

	// Present has the record of a worker put into the bucket of those who are there; one
	// without stations is gone.
	Present struct{ Worker schema.Worker }

	// Write hands rows to the bucket. When they are stored, all that batches
	// numbered below Before decided is stored.
	Write struct {
		Rows   []BucketRow
		Before uint64
		// More says that Max was too few for what is ready; Left counts the rows
		// that are not written yet, ready or not.
		More bool
		Left int
	}
)

func (Answer) effect() {}

func (Dispatch) effect() {}

func (Handout) effect() {}

func (Cancel) effect() {}

func (Publish) effect() {}

func (Tell) effect() {}

func (Present) effect() {}

func (Write) effect() {}

// A BucketRow is one key of the bucket; an empty value deletes it.
type BucketRow struct {
	Key   string
	Value []byte
}

// NotCalledBack says why a result of a plan is not told to whom it should be.
type NotCalledBack struct {
	Name schema.PlanName
	N    int64
	Why  error
}

func (NotCalledBack) effect() {}

type (
	// Fetch has a definition read from the bucket, and a Fetched made of it. Those of one
	// definition are answered in their order.
	Fetch struct {
		Name schema.PlanName
		Want Digest
		For  Event // what waits for it; nil: a look
	}

	// Missing says that the bucket does not have the definition of a plan.
	Missing struct{ Name schema.PlanName }
)

func (Fetch) effect() {}

func (Missing) effect() {}
