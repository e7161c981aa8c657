package node

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// CheckCopy checks a plan of a backup as a node does that restores it at now, without one: the
// definition, and the record or the items of its inbox. Names that are taken, secrets and
// stations are known to an installation alone, and are not checked. The error is a
// *[schema.Error], or [schema.Errors].
func CheckCopy(c schema.PlanCopy, now time.Time) error {
	restore, err := front.CheckCopy(c)
	switch {
	case err != nil:
		return err
	case c.Inbox != nil:
		return machine.CheckRefill(restore.Record, restore.Definition, now)
	}
	return machine.CheckRestore(restore, now)
}
