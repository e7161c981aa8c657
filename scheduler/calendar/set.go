package calendar

import "math/bits"

// A set holds small numbers, 0 to 63: the seconds, minutes, hours, days or
// months that a pattern names.
type set uint64

// none is the answer of from when no member is left; it is beyond any member.
const none = 64

func setOf(i int) set { return 1 << i }

// upTo returns the set of lo to hi, both included.
func upTo(lo, hi int) set { return (2<<hi - 1) &^ (1<<lo - 1) }

func (s set) has(i int) bool { return s>>i&1 != 0 }

func (s set) len() int { return bits.OnesCount64(uint64(s)) }

// from returns the lowest member that is i or above, or none.
func (s set) from(i int) int { return bits.TrailingZeros64(uint64(s &^ (1<<i - 1))) }

// below returns how many members are lower than i.
func (s set) below(i int) int { return (s & (1<<i - 1)).len() }

// members returns all members, in order.
func (s set) members() (all []int) {
	for i := s.from(0); i != none; i = s.from(i + 1) {
		all = append(all, i)
	}
	return all
}
