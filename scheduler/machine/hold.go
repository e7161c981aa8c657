package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Hold has nothing begin from now on, or lets everything go on: Ticks open and start what
// has fallen due meanwhile in the order in which it was due, and claims that wait are served.
func (m *Machine) Hold(on bool) {
	if m.part.Holding.On == on {
		return
	}
	m.part.Holding.On = on
	if on || m.part.Claims.ByUntil.Len() == 0 {
		return
	}
	m.part.Claims.Offering.Scan(func(_ string, s *state.Station) bool {
		m.part.Claims.Stir(s)
		return true
	})
}

// Held reports that nothing begins at the moment.
func (m *Machine) Held() bool { return m.part.Holding.On }

// errHeld refuses what would begin at once.
func errHeld() error {
	return &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: heldAgain,
		Message: "more results wait to be stored than may; nothing begins until they are fewer",
	}
}

// heldAgain is when who was refused may come again, in milliseconds.
const heldAgain = 250
