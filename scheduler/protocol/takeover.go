package protocol

// A Stage is a step of a take-over.
type Stage uint8

// The stages of a take-over.
const (
	// Seize appends the take-over record, behind which no append of an earlier writer lands.
	Seize Stage = iota
	// Fence takes over the streams that are written behind the journal, so that no late batch of an
	// earlier leader lands there, and returns the checkpoint. Data read from them before that may
	// be old.
	Fence
	// Scan reads the bucket. A follower of the journal, from a checkpoint that was read before the
	// bucket, has done that already.
	Scan
	// Replay reads the journal from the checkpoint on, up to the take-over record.
	Replay
	// Subscribe begins to receive all messages from now on.
	Subscribe
	// Recall reads messages captured before. It comes after Subscribe, because a message between
	// the two would else be lost.
	Recall
	// Lead lets the machine act.
	Lead
)

// TakeOver are the stages in the order that safety demands. Each begins when the one before has
// ended well; if one does not, the take-over is over.
func TakeOver() []Stage { return []Stage{Seize, Fence, Scan, Replay, Subscribe, Recall, Lead} }
