package state

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// MostRuns is how many of a plan's last runs its record has.
const MostRuns = 20

// Runs are the states of a plan's last runs, the oldest first: the digits of a number to the base
// of the states that results have, from 1 on, so that twenty of them fit into seven bytes.
type Runs [7]byte

// letters are the states as lists show them: one letter each, in the order of lastStates.
const letters = "-oeftsc"

const (
	runBase = uint64(len(letters) - 1)
	// shiftRun is runBase to the power of one less than MostRuns: the weight of the oldest of
	// MostRuns runs.
	shiftRun = uint64(609359740010496)
	// leastOfAll and leastBehind are the least numbers of MostRuns runs, and of one less.
	leastOfAll  = (runBase*shiftRun - 1) / (runBase - 1)
	leastBehind = (shiftRun - 1) / (runBase - 1)
	mostOfAll   = runBase * leastOfAll
)

func (r *Runs) number() (n uint64) {
	for i := len(r) - 1; i >= 0; i-- {
		n = n<<8 | uint64(r[i])
	}
	return n
}

func (r *Runs) set(n uint64) {
	for i := range r {
		r[i] = byte(n)
		n >>= 8
	}
}

// Add notes that a run has ended. The oldest of more than MostRuns is forgotten.
func (r *Runs) Add(s schema.State) {
	digit := uint64(LastStateOf(s))
	if digit == 0 {
		return
	}
	n := r.number()
	if n >= leastOfAll {
		n -= (n - leastBehind) / shiftRun * shiftRun
	}
	r.set(n*runBase + digit)
}

// Text returns the last runs in letters, at most so many, the oldest first.
func (r *Runs) Text(most int) string {
	var found []byte
	for n := r.number(); n > 0 && len(found) < most; n = (n - 1) / runBase {
		found = append(found, letters[(n-1)%runBase+1])
	}
	var b strings.Builder
	for i := len(found) - 1; i >= 0; i-- {
		b.WriteByte(found[i])
	}
	return b.String()
}

func (r *Record) runsField(f *wire.Fields) {
	n := r.Runs.number()
	f.Uint("runs", &n)
	if f.Reads() {
		if n > mostOfAll {
			refuse(f, "runs", "is %d, and can be 0 to %d here", n, mostOfAll)
			n = 0
		}
		r.Runs.set(n)
	}
}
