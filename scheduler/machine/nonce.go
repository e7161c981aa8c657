package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Awaited calls f with the reply name of each execution whose worker's reply would count: those
// that are under way, and those that have ended while their occurrences are unsettled.
func (m *Machine) Awaited(f func(x schema.ReplyName, live bool)) {
	m.part.Sorted.Scan(func(p *state.Plan) bool {
		await := func(n int64, live bool) {
			nonce := m.part.Nonce(p, n)
			f(schema.ReplyName{
				Partition: m.part.Config.Partition, Station: p.Name.Station, PlanID: p.Name.PlanID,
				N: n, Nonce: string(nonce.AppendHex(nil)),
			}, live)
		}
		for _, o := range p.Open {
			for _, x := range o.Live {
				await(x.N, true)
			}
			for _, n := range o.Ended {
				if n > 0 { // in another slot; others may have this one by now
					await(n, false)
				}
			}
		}
		return true
	})
}
