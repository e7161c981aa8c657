package sim

// A Plant is a mistake in the protocol around the machine, made on purpose, to show
// that the checker finds it. TestEachPlantIsFound demands that each is.
type Plant string

// The mistakes. Each breaks one rule of docs/simulation.md.
const (
	AnswerFirst       Plant = "answer before append"
	DispatchFirst     Plant = "dispatch before append"
	PublishFirst      Plant = "result before append"
	NoExpectation     Plant = "append without expected sequence"
	DoubtLanded       Plant = "doubt taken as landed"
	DoubtFailed       Plant = "doubt taken as failed"
	RefusedDone       Plant = "effects of a refused append"
	SendBehind        Plant = "append sent behind another's"
	NoRecord          Plant = "take-over without a record"
	NoBucketFence     Plant = "bucket without a fence"
	NoResultsFence    Plant = "results without a fence"
	FenceAfterScan    Plant = "fence after scan"
	CheckpointFirst   Plant = "checkpoint before its rows"
	CheckpointAll     Plant = "checkpoint passes rows"
	PassesResults     Plant = "checkpoint passes results"
	PurgeFirst        Plant = "purge before the checkpoint"
	ReplayLate        Plant = "replay begins one late"
	ResultsForgotten  Plant = "results not taken up again"
	ResultsAgain      Plant = "all results taken up again"
	Unpublished       Plant = "results not broadcast after a take-over"
	StoresUnpublished Plant = "results stored before the connection is flushed"
	OldConnection     Plant = "results broadcast on a lost connection taken for received"
	NothingHeld       Plant = "occurrences begun while results are behind"
	NoItemsFence      Plant = "items without a fence"
	PassesItems       Plant = "checkpoint passes items"
	ItemsForgotten    Plant = "items not taken up again"
	ItemsAgain        Plant = "all items taken up again"
	SweepsAll         Plant = "items swept that wait"
	SweepsEarly       Plant = "items swept before their drop is durable"
	LeavesGaps        Plant = "items not found are left out"
	AnyLife           Plant = "items read back of an older queue"
	PushFirst         Plant = "push answered before append"
	HandFirst         Plant = "claim answered before append"
	LosesRandom       Plant = "claims lose their random"
	LosesNumber       Plant = "completes lose their number"
	LosesTime         Plant = "pushes lose their time"
	LosesOrder        Plant = "items handed over in another order"
	Impatient         Plant = "abandon_after that no user asked for"
	WorkFirst         Plant = "work handed out before append"
	ReturnsTaken      Plant = "work goes back that a worker has"
	LosesWorker       Plant = "claims lose their worker"
	FirstResult       Plant = "callbacks take the first result of their append"
	LosesLimit        Plant = "claims lose their limit"
	DeletesLeftOut    Plant = "deletes left out of the bucket"
	CaptureLate       Plant = "captured replies after deadlines"
	CaptureIgnored    Plant = "captured replies ignored"
	TimesOutUnread    Plant = "timeouts before earlier replies are read"
	EndsUnsent        Plant = "timeouts before executions have left"
	ReadThenListen    Plant = "capture read before listening"
	LosesDoubt        Plant = "errors lose unsure"
	LosesEnd          Plant = "errors lose retry: false"
	LosesSilence      Plant = "oks lose callback: false"
	NoGivingBack      Plant = "returned work is taken for an error"
	ReportFirst       Plant = "report answered before append"
	LosesRemark       Plant = "a person's note on a task is lost"
	LosesProcessed    Plant = "processed tasks are cancelled"
	LosesSettling     Plant = "plans lose on_failure: settle"
	RestoresAnew      Plant = "restored plans begin anew"
	LosesOpen         Plant = "copies lose what is open"
	WholeLimit        Plant = "each partition takes the whole limit"
	GivesUp           Plant = "definitions given up that were not found at once"
	GoesOn            Plant = "goes on with a machine that panicked"
	DropsEffects      Plant = "effects dropped without trust"
	GoesOnReplaced    Plant = "goes on though another has written"
	AppendsUntrusted  Plant = "appends without trust"
	UnsentUnproved    Plant = "all of the last append is taken for unsent"
	CarriesOutLate    Plant = "requests are carried out after their deadline"
	NeverBack         Plant = "time that never goes back"
	Unsettled         Plant = "stations put and no queue set"
	ReadsFirst        Plant = "results read before the leader explains"
	NamesAnother      Plant = "explanations name another run"
	ForgetsCalendars  Plant = "calendars of the bucket left out"
	SkipsCalendars    Plant = "calendars of the journal left out"
	LosesDays         Plant = "puts lose the days of calendars"
	KeepsCalendars    Plant = "deletes of calendars left out of the journal that is replayed"
	CountsTwice       Plant = "results of the journal counted twice"
	MovesOne          Plant = "a plan too many counted"
)

// Plants are all of them.
func Plants() []Plant {
	return []Plant{
		AnswerFirst, DispatchFirst, PublishFirst, NoExpectation, DoubtLanded, DoubtFailed, RefusedDone, SendBehind,
		NoRecord, NoBucketFence, NoResultsFence, FenceAfterScan, CheckpointFirst, CheckpointAll, PassesResults,
		PurgeFirst, ReplayLate, ResultsForgotten, ResultsAgain, Unpublished,
		StoresUnpublished, OldConnection, NothingHeld, NoItemsFence, PassesItems,
		ItemsForgotten, ItemsAgain, SweepsAll, SweepsEarly, LeavesGaps, AnyLife, PushFirst, HandFirst, LosesRandom,
		LosesNumber, LosesTime, LosesOrder, Impatient, WorkFirst, ReturnsTaken,
		LosesWorker, LosesLimit, FirstResult, DeletesLeftOut, CaptureLate, CaptureIgnored, ReadThenListen, TimesOutUnread, EndsUnsent,
		LosesDoubt, LosesEnd, LosesSilence, NoGivingBack,
		ReportFirst, LosesRemark, LosesProcessed, LosesSettling, RestoresAnew, LosesOpen,
		WholeLimit, GivesUp, GoesOn, DropsEffects, GoesOnReplaced, AppendsUntrusted, UnsentUnproved, CarriesOutLate, NeverBack, Unsettled,
		ReadsFirst, NamesAnother,
		ForgetsCalendars, SkipsCalendars, LosesDays, KeepsCalendars, CountsTwice, MovesOne,
	}
}

// planted reports that the run makes this mistake.
func (w *world) planted(p Plant) bool { return w.options.Plant == p }
