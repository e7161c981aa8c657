package follow

import (
	"sync"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// mostLeftOut bounds the remembered rows. Beyond it a partition begins to forget.
const mostLeftOut = 10_000

// LeftOut are the rows of a partition at which machines panicked in this process. The zero
// LeftOut has none. It is safe for concurrent use.
type LeftOut struct {
	mu   sync.Mutex
	rows map[event.RowID]bool
}

// add keeps a row from later machines.
func (o *LeftOut) add(id event.RowID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.rows == nil || len(o.rows) >= mostLeftOut {
		o.rows = map[event.RowID]bool{}
	}
	o.rows[id] = true
}

// keepFrom has a machine that is to follow leave them out.
func (o *LeftOut) keepFrom(m *machine.Machine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.rows {
		m.LeaveOut(id)
	}
}
