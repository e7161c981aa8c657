package sim

// A Plant is a mistake in the protocol around the machine, made on purpose, to show
// that the checker finds it. docs/simulation.md lists them with what they break.
type Plant string

// The mistakes. Each is what one rule of DESIGN section 6 forbids.
const (
	AnswerFirst      Plant = "answer before append"
	DispatchFirst    Plant = "dispatch before append"
	PublishFirst     Plant = "result before append"
	NoExpectation    Plant = "append without expected sequence"
	DoubtLanded      Plant = "doubt taken as landed"
	DoubtFailed      Plant = "doubt taken as failed"
	RefusedDone      Plant = "effects of a refused append"
	SendBehind       Plant = "append sent behind another's"
	NoRecord         Plant = "take-over without a record"
	NoBucketFence    Plant = "bucket without a fence"
	NoResultsFence   Plant = "results without a fence"
	FenceAfterScan   Plant = "fence after scan"
	CheckpointFirst  Plant = "checkpoint before its rows"
	CheckpointAll    Plant = "checkpoint passes rows"
	PassesResults    Plant = "checkpoint passes results"
	PurgeFirst       Plant = "purge before the checkpoint"
	ReplayLate       Plant = "replay begins one late"
	ResultsForgotten Plant = "results not taken up again"
	ResultsAgain     Plant = "all results taken up again"
	DeletesLeftOut   Plant = "deletes left out of the bucket"
	CaptureLate      Plant = "captured replies after deadlines"
	CaptureIgnored   Plant = "captured replies ignored"
	ReadThenListen   Plant = "capture read before listening"
)

// Plants are all of them.
func Plants() []Plant {
	return []Plant{
		AnswerFirst, DispatchFirst, PublishFirst, NoExpectation, DoubtLanded, DoubtFailed, RefusedDone, SendBehind,
		NoRecord, NoBucketFence, NoResultsFence, FenceAfterScan, CheckpointFirst, CheckpointAll, PassesResults,
		PurgeFirst, ReplayLate, ResultsForgotten, ResultsAgain, DeletesLeftOut, CaptureLate, CaptureIgnored, ReadThenListen,
	}
}

// planted reports that the run makes this mistake.
func (w *world) planted(p Plant) bool { return w.options.Plant == p }
