package schema

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/wiretest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func ptr[T any](v T) *T { return &v }

var (
	due      = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	later    = time.Date(2026, 3, 1, 10, 0, 1, 250_000_000, time.UTC)
	nonce    = "0123456789abcdef"
	samplePl = Policy{
		Overlap: BusyQueue, Failure: FailedRetry, MaxConcurrency: ptr[int64](3), Concurrency: FullSkip,
		CatchUp: MissedCompact, ExecTimeout: ptr[Seconds](1.5), StartTimeout: ptr[Seconds](0),
		Retry: &Retry{
			Strategy: RetrySequence, Interval: ptr[Seconds](1), Sequence: []Seconds{1, 2.5},
			MaxInterval: ptr[Seconds](60), MaxErrorCount: ptr[int64](4), Jitter: ptr(0.25), NeedManual: true,
		},
		Voters: ptr[int64](5), Quorum: ptr[int64](3),
		PingIntervalMS: ptr[int64](1000), PingTimeoutMS: ptr[int64](3000),
		MaxUnexpectedRetries: ptr[int64](2), UnexpectedRetryDelayMS: ptr[int64](10),
	}
)

// samples is at least one value of every type that travels; together they set every field,
// also of nested types (wire_full_test.go).
func samples(enc wire.Encoding) map[string]any {
	frames := []wire.Value{wire.Text(enc, "frame"), wire.MapOf(enc, nil, 0)}
	plan := Plan{
		PlanID: "P1", RequestID: "R1", Caller: "billing", Description: "two\nlines", Station: "hello.eu",
		Command: "greet", Messages: frames, Schedule: Schedule{PlanType: TypeSecond, PlanValue: ptr[int64](10),
			PlanRepet: ptr[int64](-1), NoKeep: true, PlanTime: due, Cron: "* * * * *", Timezone: "UTC",
			StartAt: due, EndAt: later, Jitter: 0.5}, Policy: samplePl, OnUnknown: UnknownHold, OnFailure: FailureSettle,
		Priority: ptr[int64](9), WorkerCount: 2, WorkerIDs: []string{"w1", "w2"}, Paused: true, Batch: 7,
		Log: LogTrigger, TenantID: "17", Creator: "me", Category: "c", Labels: map[string]string{"a": "1", "b": "2"},
		Ext: wire.Text(enc, "é"), OnConflict: ConflictKeep,
	}
	result := Result{
		PlanID: "P1", Station: "hello.eu", RequestID: "R1", Caller: "billing", Description: "d", Command: "greet",
		Messages: frames, TenantID: "17", Category: "c", Labels: map[string]string{"a": "1"}, Ext: wire.Text(enc, "x"),
		Occurrence: 3, Attempt: 1, N: 4, Key: "hello.eu/P1/7/3", PlanTime: due, ExecTime: later, EndTime: later,
		State: StateFailure, Reason: ReasonRetries, Cause: ReasonExec, Count: 2, Trigger: "manual", Content: wire.Text(enc, "hi"),
		Error: wire.Text(enc, "no"), WorkerID: "w1",
		Votes:     []Vote{{WorkerID: "w1", State: StateOK, Content: wire.Text(enc, "yes"), Error: wire.Text(enc, "")}},
		RealRepet: 3, SkipNum: 1, Final: true, CreateDate: due, ErrorCount: 2, LastError: &sampleError,
	}
	run, err := wire.ValueOf(enc, result)
	if err != nil {
		panic(err)
	}
	state := PlanState{
		Status: StatusExecuting, PlanTime: due, Occurrence: 3, Attempt: 1, N: 4, RealRepet: 2, SkipNum: 1,
		LastState: StateOK, ExecTime: later, Revision: 12, Reason: ReasonPaused,
		Open: []OpenOccurrence{{Occurrence: 3, PlanTime: due, Executions: []OpenExecution{
			{N: 4, Attempt: 1, State: StateRunning, WorkerID: "w1", Deadline: later},
		}}},
	}
	view := PlanView{Plan: wire.Text(enc, "the definition"), State: state}
	station := Station{Station: "hello.eu", Kind: KindPull, Description: "d", Encoding: "json", Policy: samplePl, Callback: &Callback{
		Success: &CallbackTarget{URL: "https://example.org/done", Method: "PUT"}, Error: &CallbackTarget{URL: "https://example.org/failed", Method: "POST"},
		Security: CallbackSecurity{Type: SecurityAKSK, AK: "ak", SK: "sk"},
	}, TaskType: &sampleType}
	all := map[string]any{
		"plan_clock_change": Plan{Station: "hello.eu", PlanID: "P1", Schedule: Schedule{PlanType: TypeCron, Cron: "30 2 * * *", Timezone: "Europe/Berlin",
			ClockChange: ClockChange{Gap: GapShift, Overlap: OverlapSecond}}},
		"plan":    plan,
		"station": station,
		"execution": Execution{
			PlanID: "P1", Station: "hello.eu", Command: "greet", RequestID: "R1", Caller: "billing", Description: "d",
			Messages: frames, Items: frames, Occurrence: 3, Attempt: 1, Exec: "4-" + nonce, Key: "hello.eu/P1/7/3",
			PlanTime: due, Deadline: later, Epoch: 1772359200000, Ext: wire.Text(enc, "x"),
			Labels: map[string]string{"a": "1"}, TenantID: "17", Category: "c", Priority: 5,
		},
		"result": result,
		"result_late": Result{
			PlanID: "P1", Station: "hello.eu", Occurrence: 3, Attempt: 1, N: 5, Of: 4, Key: "hello.eu/P1/7/3",
			PlanTime: due, EndTime: later, State: StateOK, RealRepet: 3, SkipNum: 1, Final: true,
		},
		"reply": Reply{
			State: StateWaiting, Content: wire.Text(enc, "c"), Error: wire.Text(enc, "e"), WorkerID: "w1",
			Extend: ptr[Seconds](30), Delay: ptr[Seconds](0.5), Progress: ptr(99.5),
			Callback: ptr(false), Retry: ptr(false), Unsure: true, Overflow: true,
		},
		"ack": Ack{Ack: true, Accepted: true, Cancel: true, PingIntervalMS: 1000},
		"notice": Notice{
			Kind: NoticeRetrying, Station: "hello.eu", PlanID: "P1", Occurrence: 3, Attempt: 2, N: 5, PlanTime: due,
			Time: later, Reason: ReasonExec, WorkerID: "w1", Progress: ptr(12.5),
		},
		"cancel":    Cancel{PlanID: "P1", Station: "hello.eu", N: 4, Occurrence: 3, Attempt: 1, Reason: ReasonOverlap},
		"worker":    Worker{WorkerID: "w1", Stations: []string{"hello.eu"}, Version: "v1", Load: 2, LastSeen: later},
		"error":     Error{Code: CodeInvalidPlan, Message: "m", Field: "retry.strategy"},
		"plan_name": PlanName{Station: "hello.eu", PlanID: "P1"},
		"dry_run": DryRun{
			PlanID: "P1", Station: "hello.eu", DryRun: true, State: StatusPaused, Created: true, Revision: 3,
			Changes: []FieldChange{{Field: "command", Before: wire.Text(enc, "greet"), After: wire.Text(enc, "part")}},
			Before:  []time.Time{due}, After: []time.Time{later},
			Cancelled: []OpenExecution{{N: 4, Attempt: 1, State: StateRunning, WorkerID: "w1", Deadline: later, PingExpireTime: later}},
		},
		"dry_run_half_done": DryRun{
			PlanID: "P1", Station: "hello.eu", DryRun: true, Changes: []FieldChange{}, Before: []time.Time{}, After: []time.Time{},
			Cancelled: []OpenExecution{{N: 4, Attempt: 1, State: StateRunning, Progress: ptr(12.5)}},
		},
		"created_over":  Created{PlanID: "P1", Station: "hello.eu", State: StatusQueued, PlanTime: due, Revision: 3, Dropped: []string{"timezone", "labels.team"}},
		"created_idle":  Created{PlanID: "P1", Station: "hello.eu", State: StatusQueued, Created: true, Revision: 1, Idle: []string{"plan_time", "retry.interval"}},
		"created":       Created{PlanID: "P1", Station: "hello.eu", State: StatusClosed, PlanTime: due, Created: true, Reason: ReasonSkipped, Revision: 3},
		"standing":      Standing{PlanID: "P1", Station: "hello.eu", State: StatusQueued, PlanTime: due, Revision: 3},
		"standing_last": Standing{PlanID: "P1", Station: "hello.eu", State: StatusPaused, PlanTime: due, Revision: 3, LastPlanTime: later},
		"plan_view":     view,
		"list_plans":    ListPlans{Station: "hello.>", Status: OneOrMany{"queued", "paused"}, PlanType: TypeCron, Caller: "c", TenantID: "1", Category: "c", Creator: "me", Labels: map[string]string{"a": "1"}, Text: "t", DueFrom: due, DueBefore: later, Limit: 10, Cursor: "x"},
		"plan_page":     PlanPage{Plans: []PlanView{view}, Next: "x"},
		"list_plans_shown": ListPlans{
			Prefix: "hello.eu/P", Order: "due", Fields: "brief", Runs: 20, Words: LangChinese, Total: true,
		},
		"plan_page_shown": PlanPage{
			Plans: []PlanView{{Plan: wire.Text(enc, "the definition"), State: state, Runs: "ooes-", Words: "Every day"}},
			Total: ptr[int64](1), TotalComplete: ptr(false),
		},
		"plan_view_known":   PlanView{Plan: view.Plan, State: view.State, KnownAs: "nightly"},
		"plan_page_cut":     PlanPage{Plans: []PlanView{}, Next: "x", LookedAt: 120_000, Complete: ptr(false)},
		"list_runs":         ListRuns{Station: "hello.eu", PlanID: "P1", State: StateOK, Limit: 10, Cursor: "x"},
		"runs_of_all":       ListRuns{Station: "hello.>", Failed: true, Labels: map[string]string{"a": "1"}, From: due, To: later},
		"run_page":          RunPage{Runs: []wire.Value{run}, Next: "x"},
		"preview":           Preview{Plan: wire.MapOf(enc, nil, 0), From: due, Count: 6},
		"preview_shown":     Preview{Plan: wire.MapOf(enc, nil, 0), Shown: Shown{Zone: "Europe/Berlin", Lang: LangChinese, WithSkipped: true}},
		"run_page_searched": RunPage{Runs: []wire.Value{run}, Next: "x", LookedAt: 40, Complete: true},
		"runs_in_trouble":   ListRuns{Trouble: true, Reason: ReasonMissed, WorkerID: "w1", Text: "disk", LongerThanMS: 60000, Until: later},
		"upcoming": Upcoming{
			Station: "hello.eu", PlanID: "P1", From: due, Count: 6, Until: due,
			Shown: Shown{Zone: "Europe/Berlin", Lang: LangChinese, WithSkipped: true},
		},
		"plan_calendar": PlanCalendar{
			From: due, Until: later, Step: "1d", Cell: due, Zone: "Europe/Berlin", Lang: LangChinese, Station: "hello.>", Status: OneOrMany{"queued"}, Waits: OneOrMany{"room"},
			PlanType: TypeCron, Caller: "me", TenantID: "7", Category: "k", Creator: "c", Labels: map[string]string{"a": "b"}, Text: "disk", DueFrom: due, DueBefore: later, Prefix: "hello/P",
		},
		"due_calendar": DueCalendar{
			Zone: "Europe/Berlin", Step: "1h", AsOf: due, Plans: 9, Sampled: true,
			Cells: []DueCell{{
				From: "2026-03-01T13:00:00+01:00", Count: 7, Top: []DueStation{{Station: "hello.eu", Count: 7}},
				Notes: []DueNote{{Note: Note{Kind: NoteGap, Text: "02:30 does not exist"}, Plans: 2}},
			}},
			Items: []DueItem{{Station: "hello.eu", PlanID: "P1", Count: 7, First: due}}, LeftOut: 3,
		},
		"plan_timeline":      PlanTimeline{From: due, Until: later, Lanes: LanesByWorker, Station: "hello.>", Max: 100},
		"plan_calendar_soon": PlanCalendar{WithinMS: 200},
		"plan_timeline_soon": PlanTimeline{WithinMS: 200},
		"timeline": Timeline{
			From: due, Until: later, Lanes: []TimelineRow{{Name: "hello.eu/P1", Bars: []TimelineBar{{
				Station: "hello.eu", PlanID: "P1", N: 3, Attempt: 2, Due: due, Start: due, End: later, State: StateTimeout, Reason: ReasonStart,
			}}}}, Complete: new(false),
		},
		"timeline_known":   Timeline{From: due, Until: later, Lanes: []TimelineRow{{Name: "http/h1", Bars: []TimelineBar{{Station: "http", PlanID: "h1", N: 3, State: StateOK, KnownAs: "nightly"}}}}},
		"timeline_counted": Timeline{From: due, Until: later, StepMS: 60000, Lanes: []TimelineRow{{Name: OtherLanes, Buckets: []TimelineBucket{{Count: 7, Bad: 2}}}}},
		"previewed_in_words": Previewed{
			Occurrences: []PreviewedOccurrence{{
				Occurrence: 1, PlanTime: due, Local: "2026-03-01T13:00:00+01:00", Offset: "+01:00",
				Notes: []Note{{Kind: NoteGap, Text: "02:30 does not exist"}}, Skipped: true, Reason: ReasonManual,
			}},
			Words: "At 13:00, every day, in Europe/Berlin", Reason: ReasonManual,
		},
		"previewed":         Previewed{Occurrences: []PreviewedOccurrence{{Occurrence: 1, PlanTime: due}}},
		"import":            Import{Plans: frames, OnConflict: ConflictUpdate},
		"error_later":       Error{Code: CodeUnavailable, Message: "m", RetryAfterMS: 3000, PlanID: "p"},
		"error_quota":       Error{Code: CodeQuotaExceeded, Message: "m", RetryAfterMS: 40, TenantID: "acme"},
		"dry_run_idle":      DryRun{PlanID: "P1", Station: "hello.eu", DryRun: true, State: StatusQueued, Created: true, Changes: []FieldChange{}, Before: []time.Time{}, After: []time.Time{due}, Idle: []string{"plan_time"}},
		"dry_run_gone":      DryRun{PlanID: "P1", Station: "hello.eu", DryRun: true, State: StatusClosed, Created: true, Reason: ReasonSkipped, Changes: []FieldChange{}, Before: []time.Time{}, After: []time.Time{}},
		"imported_ended":    Imported{Created: 3, Ended: []int64{0}, Late: []int64{2}, DryRun: true},
		"imported_dropped":  Imported{Updated: 1, Dropped: []ImportDropped{{Index: 1, Fields: []string{"labels.team", "retry"}}}},
		"imported_idle":     Imported{Created: 2, Idle: []ImportDropped{{Index: 1, Fields: []string{"plan_time"}}}},
		"imported_finished": Imported{Kept: 2, Finished: []int64{0, 3}},
		"imported":          Imported{Created: 1, Updated: 2, Kept: 3, Errors: []ImportError{{Index: 4, Error: &Error{Code: CodeTooLarge, Message: "m"}}}},
		"station_name":      StationName{Station: "hello.eu"},
		"get_station_used":  GetStation{Station: "hello.eu", Used: true},
		"station_put":       StationPut{Station: "hello.eu", Kind: KindVote, Created: true, Revision: 9, Dropped: []string{"retry"}},
		"station_deleted":   StationDeleted{Station: "hello.eu", Deleted: true, Kind: KindPull, HasPlans: true},
		"station_revision":  Station{Station: "hello.eu", Kind: KindAPI, Revision: 9},
		"station_would_go":  StationDeleted{Station: "hello.eu", DryRun: true, Dropped: []string{"retry"}, Plans: 2},
		"list_stations":     ListStations{Limit: 5, Cursor: "x"},
		"station_page":      StationPage{Stations: []Station{station}, Next: "x"},
		"triggered":         Triggered{PlanID: "P1", Station: "hello.eu", State: StatusExecuting, N: 7},
		"triggered_skipped": Triggered{
			PlanID: "P1", Station: "hello.eu", State: StatusExecuting, N: 7,
			Skipped: ReasonOverlap, Because: &Because{Occurrence: 3, N: 6, State: StateRunning, WorkerID: "w1", Since: due},
		},
		"skip":        Skip{Station: "hello.eu", PlanID: "P1", Count: ptr[int64](-1)},
		"run_name":    RunName{Station: "hello.eu", PlanID: "P1", N: 7},
		"run_view":    RunView{Run: run},
		"worker_name": WorkerName{WorkerID: "w1"},
		"worker_view": WorkerView{
			Worker: Worker{WorkerID: "w1", Stations: []string{"hello.eu"}, LastSeen: later, WorkerBuild: WorkerBuild{Host: "h", Library: "stationmaster-go v1.0.0", Since: later}},
			Rate1m: 5, More: true,
			Executions: []WorkerExecution{{PlanName: PlanName{"hello.eu", "P1"}, Occurrence: 2, N: 7, Attempt: 1, State: StateRunning, Since: later, Deadline: later, Progress: ptr(12.5)}},
		},
		"list_workers": ListWorkers{Station: "hello.eu", Limit: 5, Cursor: "x"},
		"worker_page":  WorkerPage{Workers: []Worker{{WorkerID: "w1", Stations: []string{"hello.eu"}, LastSeen: later}}, Next: "x"},
	}
	for _, more := range []map[string]any{
		taskSamples(enc), queueSamples(enc), periodicSamples(enc), backupSamples(enc), workerSamples(enc), secretSamples(), calendarSamples(), whySamples(enc), statsSamples(),
	} {
		maps.Copy(all, more)
	}
	return all
}

// The bytes of every type that travels are committed, so that today's code reads those of every
// release, and writes the same.
func TestFrozenBytes(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for name, sample := range samples(enc) {
			wiretest.Check(t, name, enc, sample)
		}
	}
}

// The types that write themselves give the bytes of the codec, of full values and of empty
// ones.
func TestHandWrittenEncoders(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for name, full := range samples(enc) {
			for _, sample := range []any{full, reflect.Zero(reflect.TypeOf(full)).Interface()} {
				reflected, err := wire.ValueOf(enc, sample)
				if err != nil {
					t.Fatal(err)
				}
				var w wire.Writer
				w.Reset(enc, nil)
				if !appendByHand(&w, sample, reflected) {
					continue
				}
				got, err := wire.ScanAs(enc, w.Bytes(), wire.Limits{})
				if err != nil {
					t.Fatalf("%s: %q: %v", name, w.Bytes(), err)
				}
				if diff := cmp.Diff(reflected.Any(), got.Any()); diff != "" {
					t.Errorf("%s in %s is written otherwise:\n%s", name, enc, diff)
				}
			}
		}
	}
}

// appendByHand writes sample with its own encoder, if it has one.
func appendByHand(w *wire.Writer, sample any, reflected wire.Value) bool {
	shared, count := wire.Leading(w.Encoding(), sharedOf(reflected), func([]byte) bool { return true })
	switch s := sample.(type) {
	case Execution:
		s.AppendTo(w, shared, count)
	case Result:
		s.AppendTo(w, shared, count)
	case Notice:
		s.AppendTo(w)
	case Ack:
		s.AppendTo(w)
	case Reply:
		s.AppendTo(w)
	default:
		return false
	}
	return true
}

// sharedOf returns the members of an execution or a result that its plan gave.
func sharedOf(v wire.Value) []byte {
	w := wire.NewWriter(v.Encoding(), nil)
	w.BeginMap()
	for name, member := range v.Map() {
		if sharedIndex([]byte(name)) >= 0 {
			w.KeyText(name)
			w.Value(member)
		}
	}
	w.EndMap()
	members, _ := wire.Members(w.Whole())
	return members
}
