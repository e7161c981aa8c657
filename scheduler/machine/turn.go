package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A turn is one event at one moment, with the batch that takes what it leads to.
type turn struct {
	*Machine
	now unit.Moment
	b   *batch.Batch
}

func (m *Machine) turn(now unit.Moment, b *batch.Batch) *turn { return &turn{m, now, b} }
