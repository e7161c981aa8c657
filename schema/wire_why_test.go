package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// sampleAsked sets every field of an attribution.
var sampleAsked = Attribution{By: "ada@example", Note: "stock-taking"}

// whySamples is one value of every type that has causes.
func whySamples(enc wire.Encoding) map[string]any {
	asked := PlanState{
		Status: StatusPaused, Revision: 12,
		Paused: &Paused{Since: due, Attribution: sampleAsked},
		Skips:  &Skips{Left: -1, Since: due, Attribution: sampleAsked},
		Waits:  &Waits{For: WaitRoom, Occurrence: 3, N: 4, Since: due, Next: later, Place: 2, Tries: 1},
	}
	return map[string]any{
		"result_because": Result{
			PlanID: "P1", Station: "hello.eu", Occurrence: 3, N: 4, State: StateSkipped, Reason: ReasonManual, Attribution: sampleAsked,
			Because: &Because{
				Occurrence: 2, N: 3, State: StateRunning, WorkerID: "w1", Since: due, Station: "hello.eu", UnderWay: 2, Limit: 2,
				From: due, Until: later, Partition: ptr[int64](0), Accepted: due, Attribution: sampleAsked, Verb: "skip", Left: ptr[int64](0),
				Calendar: "de", Day: "2026-12-25", Name: "Christmas", Window: "22:00-06:00", Only: true,
				Before: &Next{PlanTime: due, Occurrence: 2}, After: &Next{PlanTime: later, Occurrence: 4},
			},
		},
		"result_late": Result{
			PlanID: "P1", Station: "hello.eu", Occurrence: 3, N: 4, Of: 2, State: StateOK,
			Late: &Late{Worker: 0.5, Claim: 1, Room: 2, Turn: 3, Retry: 4, Jitter: 5, Lock: 6, Person: 7, Resume: 8, Journal: 9, Absent: 10},
		},
		"explain": Explain{Station: "hello.eu", PlanID: "P1", Occurrence: 3, N: 4, At: due, Lang: LangChinese},
		"explanation": Explanation{
			Station: "hello.eu", PlanID: "P1", Verdict: VerdictSkipped, Occurrence: 3, N: 4, PlanTime: due, MovedFrom: later, Reason: ReasonGap,
			Sentence: "Occurrence 3 did not run.", Rule: &Rule{Field: "overlap", Value: wire.Text(enc, "skip"), From: SourceConfiguration},
			Because: &Because{Occurrence: 2}, Waits: &Waits{For: WaitLock}, Late: &Late{Worker: 1.5},
			Attempt: 2, State: StateRunning, WorkerID: "w1", Since: due, Deadline: later, KeptSince: due,
			Next: &Next{PlanTime: later, Occurrence: 4}, Remedy: "overlap: queue", LastOK: &LastOK{Occurrence: 1, EndTime: due},
		},
		"list_waits":   ListPlans{Waits: OneOrMany{"room", "claim"}},
		"plan_by":      Plan{PlanID: "P1", Station: "hello.eu", Command: "greet", Attribution: sampleAsked},
		"notice_by":    Notice{Kind: NoticePaused, Station: "hello.eu", PlanID: "P1", Time: later, Attribution: sampleAsked},
		"plan_view_by": PlanView{Plan: wire.Text(enc, "the definition"), State: asked},
	}
}
