package ahead

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Words returns the schedule of a plan that runs as a sentence; empty where its definition cannot
// be read.
func Words(v *command.PlanView, lang schema.Lang) string {
	if v.State.Inbox != nil {
		return describe.InboxWords(lang)
	}
	var p schema.Plan
	if err := wire.DecodeLoose(v.Plan, &p); err != nil {
		return ""
	}
	words, err := describe.Words(&p, lang)
	if err != nil {
		return ""
	}
	return words
}
