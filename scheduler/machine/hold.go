package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Hold has no execution begin from now on, or lets all begin again: Ticks then open and start
// the occurrences that fell due meanwhile in the order of their due times, and waiting claims
// are served.
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

// Held reports that no execution begins at the moment.
func (m *Machine) Held() bool { return m.part.Holding.On }

// errHeld refuses a request that would begin an execution at once.
func errHeld() error {
	return &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: heldAgain,
		Message: "more results wait to be stored than may; nothing begins until they are fewer",
	}
}

// heldAgain is after how long a refused request may be repeated, in milliseconds.
const heldAgain = 250
