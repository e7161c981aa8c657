package partition

import (
	"crypto/subtle"
	"encoding/binary"
	"math"

	"github.com/dchest/siphash"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// hash is SipHash-2-4, a keyed pseudo-random function, for values that look random and are
// deterministic: a nonce, a jitter.
func (m *Partition) hash(use string, p *state.Plan, number int64) uint64 {
	buf := append(m.scratch[:0], use...)
	buf = binary.BigEndian.AppendUint32(buf, uint32(m.Config.Partition))
	buf = append(append(buf, p.Name.Station...), '/')
	buf = append(append(buf, p.Name.PlanID...), '/')
	buf = binary.BigEndian.AppendUint64(buf, p.Incarnation)
	buf = binary.BigEndian.AppendUint64(buf, uint64(number))
	m.scratch = buf
	key := m.Config.Key
	return siphash.Hash(binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]), buf)
}

// Nonce returns the nonce of execution n of p.
func (m *Partition) Nonce(p *state.Plan, n int64) event.Nonce {
	var out event.Nonce
	binary.BigEndian.PutUint64(out[:], m.hash("nonce/", p, n))
	return out
}

// IsNonce reports, in constant time, that given is the nonce of execution n of p, in hex.
func (m *Partition) IsNonce(p *state.Plan, n int64, given string) bool {
	want := m.Nonce(p, n)
	var hex [16]byte
	return subtle.ConstantTimeCompare(want.AppendHex(hex[:0]), []byte(given)) == 1
}

// Share returns a number in [0, 1) that is the same for p, use and number for ever.
func (m *Partition) Share(use string, p *state.Plan, number int64) float64 {
	return float64(m.hash(use, p, number)>>11) / math.Exp2(53)
}
