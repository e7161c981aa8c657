package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A Turn is one event at one moment, with the batch that takes what it leads to.
type Turn struct {
	*Partition
	now unit.Moment
	b   *batch.Batch
}

// A turn is that of a machine.
type turn struct {
	Turn
	m *Machine
}

func (m *Machine) turn(now unit.Moment, b *batch.Batch) *turn {
	return &turn{Turn{&m.Partition, now, b}, m}
}
