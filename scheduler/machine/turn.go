package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A turn is that of a machine.
type turn struct {
	transition.Turn
	m *Machine
}

func (m *Machine) turn(now unit.Moment, b *batch.Batch) *turn {
	return &turn{Turn: transition.Turn{Partition: &m.part, Now: now, Batch: b}, m: m}
}
