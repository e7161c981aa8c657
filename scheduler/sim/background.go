package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// haltingOf is a definition without its policy for failures.
func (u *users) haltingOf(d *schema.Definition) *schema.Definition {
	fields := map[string]any{}
	for key, v := range wire.Trust(d.Enc, d.Raw).Map() {
		if key != "on_failure" {
			fields[key] = v
		}
	}
	return u.parse(fields)
}

// travelled is the command as it reaches the leader: unchanged, but for a planted mistake on its
// way.
func (r *request) travelled() command.Command {
	switch c := r.what.(type) {
	case command.ClaimItems:
		if r.w.planted(LosesRandom) {
			c.Random = "lost"
		}
		return c
	case command.CompleteItems:
		if r.w.planted(LosesRandom) {
			c.Random = "lost"
		}
		if r.w.planted(LosesNumber) {
			c.Number = -1
		}
		return c
	case command.ClaimWork:
		if r.w.planted(LosesWorker) {
			c.WorkerID = "lost"
		}
		if r.w.planted(LosesLimit) {
			c.Limit = schema.MaxClaim
		}
		return c
	case command.CreatePlan:
		if r.w.planted(LosesSettling) && c.Definition.Plan.OnFailure == schema.FailureSettle {
			c.Definition = r.w.users.haltingOf(c.Definition)
		}
		return c
	case command.RestorePlan:
		if r.w.planted(RestoresAnew) {
			return command.CreatePlan{Definition: c.Definition}
		}
		if r.w.planted(LosesOpen) {
			c.Record = lossy(c.Record)
		}
		return c
	case command.PutCalendar:
		if r.w.planted(LosesDays) {
			lossy := *c.Calendar
			lossy.Days = nil
			c.Calendar = &lossy
		}
		return c
	case command.EndTask:
		if r.w.planted(LosesRemark) {
			c.Remark = ""
		}
		if r.w.planted(LosesProcessed) {
			c.Processed = false
		}
		return c
	case command.ReportTask:
		reply := r.w.received(event.ReplyReceived{About: c.About, Reply: c.Reply})
		c.Reply = reply.Reply
		return c
	case command.PushItem:
		if r.w.planted(LosesTime) {
			c.PlanTime = time.Time{}
		}
		if r.w.planted(Impatient) {
			c.Terms.AbandonAfter = 1
		}
		return c
	default:
		return r.what
	}
}
