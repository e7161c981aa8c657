package machine

import (
	"crypto/subtle"
	"encoding/binary"
	"math"

	"github.com/dchest/siphash"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// hash is SipHash-2-4, a keyed pseudo-random function, of the parts of something
// that looks random and is not: a nonce, a jitter.
func (m *Partition) hash(use string, p *state.Plan, number int64) uint64 {
	buf := append(m.scratch[:0], use...)
	buf = binary.BigEndian.AppendUint32(buf, uint32(m.config.Partition))
	buf = append(append(buf, p.Name.Station...), '/')
	buf = append(append(buf, p.Name.PlanID...), '/')
	buf = binary.BigEndian.AppendUint64(buf, p.Incarnation)
	buf = binary.BigEndian.AppendUint64(buf, uint64(number))
	m.scratch = buf
	key := m.config.Key
	return siphash.Hash(binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]), buf)
}

func (m *Partition) nonce(p *state.Plan, n int64) event.Nonce {
	var out event.Nonce
	binary.BigEndian.PutUint64(out[:], m.hash("nonce/", p, n))
	return out
}

func (m *Partition) isNonce(p *state.Plan, n int64, given string) bool {
	want := m.nonce(p, n)
	var hex [16]byte
	return subtle.ConstantTimeCompare(want.AppendHex(hex[:0]), []byte(given)) == 1
}

// Awaited calls f with what names each execution whose worker's word would count:
// those that are under way, and those that have ended while their occurrences are
// unsettled.
func (m *Machine) Awaited(f func(x schema.ReplyName, live bool)) {
	m.sorted.Scan(func(p *state.Plan) bool {
		await := func(n int64, live bool) {
			nonce := m.nonce(p, n)
			f(schema.ReplyName{
				Partition: m.config.Partition, Station: p.Name.Station, PlanID: p.Name.PlanID,
				N: n, Nonce: string(nonce.AppendHex(nil)),
			}, live)
		}
		for _, o := range p.Open {
			for _, x := range o.Live {
				await(x.N, true)
			}
			for _, n := range o.Ended {
				if n > 0 { // of a crew, others may have its place by now
					await(n, false)
				}
			}
		}
		return true
	})
}

// share returns a number in [0, 1) that belongs to p, use and number for ever.
func (m *Partition) share(use string, p *state.Plan, number int64) float64 {
	return float64(m.hash(use, p, number)>>11) / math.Exp2(53)
}
