package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// sampleAsked sets every field of who asks for a change, and why.
var sampleAsked = Attribution{By: "ada@example", Note: "stock-taking"}

// whySamples is one value of every type that tells of causes.
func whySamples(enc wire.Encoding) map[string]any {
	asked := PlanState{
		Status: StatusPaused, Revision: 12,
		Paused: &Paused{Since: due, Attribution: sampleAsked},
		Skips:  &Skips{Left: -1, Since: due, Attribution: sampleAsked},
	}
	return map[string]any{
		"plan_by":      Plan{PlanID: "P1", Station: "hello.eu", Command: "greet", Attribution: sampleAsked},
		"notice_by":    Notice{Kind: NoticePaused, Station: "hello.eu", PlanID: "P1", Time: later, Attribution: sampleAsked},
		"plan_view_by": PlanView{Plan: wire.Text(enc, "the definition"), State: asked},
	}
}
