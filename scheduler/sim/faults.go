package sim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Faults counts faults by kind.
type Faults map[string]int

// Add adds the counts of other.
func (f Faults) Add(other Faults) {
	for kind, n := range other {
		f[kind] += n
	}
}

// Total is the number of all faults.
func (f Faults) Total() (n int) {
	for _, count := range f {
		n += count
	}
	return n
}

// String lists the kinds in order.
func (f Faults) String() string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(f)) {
		out = append(out, fmt.Sprintf("%s %d", kind, f[kind]))
	}
	return strings.Join(out, ", ")
}

// odds are one seed's mix of faults: some kinds never happen, others often. A world
// in which everything fails all the time never gets anywhere.
type odds struct {
	// of a step
	crash, freeze, cut, renewalsLost, giveUp, clog, takeover, clock, suspend, wipe, desert float64
	// of a message
	execLost, execDouble, execLate, replyLost, replyDouble, replyLate float64
	// of a request, its answer, and its execution by the store
	lost, silent, late, refused float64
	// of a read of items, that it comes from a replica which is behind
	stale float64
	// of a request of a user
	askLost, askLate, answerLost float64
	// pace is how long perform takes for an effect at most.
	pace time.Duration
}

func (w *world) drawOdds() odds {
	// draw returns nothing for every third kind, else something between the bounds,
	// small ones as likely as large ones.
	draw := func(least, most float64) float64 {
		u, on := w.rng.Float64(), w.rng.IntN(3) > 0
		if !on {
			return 0
		}
		return least * math.Pow(most/least, u)
	}
	o := odds{
		crash: draw(1e-4, 5e-3), freeze: draw(1e-4, 3e-3), cut: draw(1e-4, 3e-3), takeover: draw(1e-4, 5e-3),
		clock: draw(1e-4, 3e-3), suspend: draw(1e-5, 5e-4), wipe: draw(1e-4, 2e-3), desert: draw(1e-4, 2e-3),
		execLost: draw(1e-3, 0.2), execDouble: draw(1e-3, 0.2), execLate: draw(1e-3, 0.3),
		replyLost: draw(1e-3, 0.2), replyDouble: draw(1e-3, 0.2), replyLate: draw(1e-3, 0.5),
		lost: draw(1e-3, 0.1), silent: draw(1e-3, 0.2), late: draw(1e-3, 0.1), refused: draw(1e-3, 0.1), stale: draw(1e-2, 0.5),
		askLost: draw(1e-3, 0.1), askLate: draw(1e-3, 0.1), answerLost: draw(1e-3, 0.2), clog: draw(1e-4, 3e-3),
		pace: one(w, 5*time.Microsecond, 100*time.Microsecond, 5*time.Millisecond), renewalsLost: draw(1e-4, 3e-3), giveUp: draw(1e-4, 2e-3),
	}
	if w.planted(GivesUp) {
		o.stale = 0.9 // because definitions are read so seldom that hardly a history would show it
	}
	return o
}

// fault is true when a fault of that kind happens now, and counts it.
func (w *world) fault(p float64, kind string) bool {
	if w.calm || !w.chance(p) {
		return false
	}
	w.report.Faults[kind]++
	return true
}

// misfortune draws the faults that may happen after any step, and so between any two effects.
func (w *world) misfortune() {
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	if w.lease != nil && w.chance(0.7) {
		n = w.lease.n // the node whose failure matters most
	}
	kind, happened := "", true
	switch o := &w.odds; {
	case w.chance(o.crash):
		kind, happened = "crash", n.crash()
	case w.chance(o.freeze):
		kind, happened = "freeze", n.freeze(one(w, w.within(500*time.Millisecond), w.within(5*time.Second), w.within(time.Minute)))
	case w.chance(o.cut):
		kind, happened = "cut", n.disconnect(one(w, w.within(500*time.Millisecond), w.within(10*time.Second)))
	case w.chance(o.renewalsLost):
		kind, happened = "renewals lost", w.lease != nil && w.lease.loseRenewals(one(w, w.within(2*time.Second), w.within(10*time.Second)))
	case w.chance(o.giveUp):
		kind, happened = "leader gave up", w.lease != nil && w.lease.giveUp()
	case w.chance(o.clog):
		kind = "clog"
		n.clogged = w.now.Add(one(w, w.within(500*time.Millisecond), w.within(5*time.Second)))
	case w.chance(o.takeover):
		kind, happened = "take-over", n.candidate("nothing")
	case w.chance(o.clock):
		kind = "clock"
		n.set(one(w, 1*time.Nanosecond, -1) * one(w, w.within(50*time.Millisecond), w.within(5*time.Second), w.within(time.Hour)))
		w.apart = max(w.apart, 2*n.skew.Abs())
		w.note("node %d: its clock is off by %v", n.index, n.skew)
	case w.chance(o.suspend):
		kind = "suspend"
		d := one(w, w.within(time.Minute), w.within(6*time.Hour), w.within(72*time.Hour))
		w.note("everything stands still for %v", d)
		w.now = w.now.Add(d)
	case w.chance(o.wipe):
		kind = "capture lost"
		w.disk.captured = capture{since: w.now}
	case w.chance(o.desert):
		kind = "workers gone"
		w.workers.desert()
	default:
		return
	}
	if happened {
		w.report.Faults[kind]++
	}
}

// network is the delay of a message without a fault.
func (w *world) network() time.Duration {
	return 20*time.Microsecond + w.within(time.Millisecond)
}
