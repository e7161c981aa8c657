package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// travelled is the command as it reaches the leader: as it was said, but for a planted
// mistake on its way.
func (r *request) travelled() schema.Command {
	switch c := r.what.(type) {
	case schema.ClaimItems:
		if r.w.planted(LosesRandom) {
			c.Random = "lost"
		}
		return c
	case schema.CompleteItems:
		if r.w.planted(LosesRandom) {
			c.Random = "lost"
		}
		if r.w.planted(LosesNumber) {
			c.Number = -1
		}
		return c
	case schema.ClaimWork:
		if r.w.planted(LosesWorker) {
			c.WorkerID = "lost"
		}
		if r.w.planted(LosesLimit) {
			c.Limit = schema.MaxClaim
		}
		return c
	case schema.PushItem:
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
