package event

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Effect is an action to perform once the rows of its batch are durable.
type Effect interface{ effect() }

type (
	// Answer ends an Ask, or acknowledges a ReplyReceived (Body is then a schema.Ack). Err is a
	// *schema.Error.
	Answer struct {
		To   Asker
		Body any
		Err  error
	}

	// Dispatch hands an execution to the workers of its station.
	Dispatch struct{ Execution *Outgoing }

	// Handout ends a ClaimWork: these executions belong to its worker, in the order of the
	// response. Views are their plans, if they were requested.
	ClaimGranted struct {
		To         Asker
		Executions []*Outgoing
		Views      []*command.PlanView
	}

	// Cancel tells the workers of a station to stop an execution.
	Cancel struct {
		Cancel schema.Cancel
		Enc    wire.Encoding
	}

	// Publish broadcasts a result and stores it. Body is complete, in Enc. Row counts the
	// result rows of the batch from 1; 0: it is not stored.
	Publish struct {
		Name schema.PlanName
		N    int64
		Body []byte
		Enc  wire.Encoding
		Row  uint32
		// State and Reason are the result's; Count is the number of skipped occurrences in it,
		// and Took the duration of its execution, 0 if there was none. Failed: the skipped
		// occurrence had failed, and counts as a failure, too.
		State  schema.State
		Reason schema.Reason
		Count  int64
		Took   time.Duration
		Failed bool
	}

	// Tell publishes a notice, which is not stored.
	Notify struct {
		Notice schema.Notice
		Enc    wire.Encoding
	}

	// Present puts the record of a worker into the bucket of present workers; a worker without
	// stations is gone.
	Present struct{ Worker schema.Worker }

	// Write stores rows in the bucket. Once they are stored, all decisions of batches numbered
	// below Before are stored.
	Write struct {
		Rows   []BucketRow
		Before uint64
		// More: more than Max rows are ready; Left counts the rows that are not written yet,
		// ready or not.
		More bool
		Left int
	}
)

func (Answer) effect() {}

func (Dispatch) effect() {}

func (ClaimGranted) effect() {}

func (Cancel) effect() {}

func (Publish) effect() {}

func (Notify) effect() {}

func (Present) effect() {}

func (Write) effect() {}

// A BucketRow is one key of the bucket; an empty value deletes it.
type BucketRow struct {
	Key   string
	Value []byte
}

// NotCalledBack reports the reason why the callback of a result cannot be delivered.
type NotCalledBack struct {
	Name schema.PlanName
	N    int64
	Why  error
}

func (NotCalledBack) effect() {}

type (
	// Fetch reads a definition from the bucket, and a Fetched follows. Fetches of one
	// definition are answered in their order.
	Fetch struct {
		Name schema.PlanName
		Want Digest
		For  Event // the event that waits for it; nil: a look
	}

	// Missing reports that the bucket lacks the definition of a plan.
	Missing struct{ Name schema.PlanName }
)

func (Fetch) effect() {}

func (Missing) effect() {}
