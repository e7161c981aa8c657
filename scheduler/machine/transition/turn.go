package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A Turn is one event at one moment, with the batch that takes what it leads to.
type Turn struct {
	*partition.Partition
	Now   unit.Moment
	Batch *batch.Batch
}
