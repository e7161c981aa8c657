package sim

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"
)

// Options configure a run.
type Options struct {
	// Seed determines all chance: the same options make the same history.
	Seed uint64
	// Steps is how long the storm lasts. A step is one event: a message that arrives, an effect that
	// is performed, a timer that fires.
	Steps int
	// Plant is a mistake that the protocol around the machine makes on purpose;
	// empty: none.
	Plant Plant
	// Panic is the one place at which machines panic, as machine.Config.Probe names it, and
	// often. Empty: anywhere, in a third of all histories.
	Panic string
	// InVain has each step that can be undone taken, undone and taken again.
	InVain bool
	// Trace gets a line for everything that is performed; nil: nothing is written.
	Trace io.Writer
}

// A Report describes a run.
type Report struct {
	Seed                                       uint64
	Steps, Plans, Executions, Results, Appends int
	Takeovers, Items, Claims                   int
	Faults                                     Faults
	Virtual                                    time.Duration // how long it took in the world
	// Violation is the broken rule of the contract; empty: none.
	Violation string
}

// Run runs one history to its end, or to the first violation.
func Run(o Options) (r Report) {
	w := newWorld(o, &r)
	began := w.now
	defer func() {
		r.Virtual = w.now.Sub(began)
		switch v := recover().(type) {
		case nil:
		case violation:
			r.Violation = string(v)
		default:
			r.Violation = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
		}
		if r.Violation != "" {
			w.note("violation: %s", r.Violation)
		}
	}()
	w.storm(o.Steps)
	w.settle()
	return r
}

// violation is the panic value of a run in which the contract is broken.
type violation string

// fail ends the run.
func (w *world) fail(format string, args ...any) {
	panic(violation(fmt.Sprintf(format, args...)))
}

// world is one partition of an installation, and all its users.
type world struct {
	options Options
	report  *Report
	rng     *rand.Rand
	odds    odds
	mishaps mishaps
	inVain  bool

	partition, partitions int           // which of how many it is
	behind                int           // the most results behind before no more executions begin
	now                   time.Time     // the true time, which no clock shows exactly
	apart                 time.Duration // by how much two clocks may have differed so far
	large, largeRoom      int           // as machine.Config has them
	queue                 queue
	calm                  bool

	disk    *disk
	nodes   []*node
	lease   *leader     // its holder
	record  predecessor // of the lease, when it has no holder
	workers *workers
	users   *users
	check   *checker
}

// nodes are enough for a leader, a deposed one, and a candidate.
const nodes = 3

func newWorld(o Options, r *Report) *world {
	*r = Report{Seed: o.Seed, Faults: Faults{}}
	w := &world{
		options: o, report: r, rng: rand.New(rand.NewPCG(o.Seed, 0)),
		now: time.Date(2026, 3, 27, 22, 59, 58, 123456789, time.UTC), // two days before clocks change in Berlin
	}
	w.odds, w.mishaps, w.inVain = w.drawOdds(), newMishaps(o), o.InVain
	w.partitions = one(w, 1, 2, 3)
	w.partition = w.rng.IntN(w.partitions)
	w.large, w.largeRoom = one(w, 1, 150, 4<<10), one(w, 1, 600, 64<<10)
	w.behind = one(w, 1, 4, 200)
	w.check = newChecker(w)
	w.disk = newDisk(w)
	w.workers = newWorkers(w)
	for i := range nodes {
		n := &node{w: w, index: i, alive: true}
		n.forgive()
		w.nodes = append(w.nodes, n)
	}
	w.users = &users{w: w}
	w.after(0, w.watch)
	w.after(w.within(2*time.Second), w.users.act)
	w.after(w.within(2*time.Second), func() { w.users.putStation(poolStation) })
	w.after(w.within(2*time.Second), func() { w.users.putStation(jobStation) })
	w.after(w.within(time.Minute), func() { w.users.putStation("s") })
	if hasCalendars(o.Seed) {
		w.after(0, w.users.calendar)
	}
	for _, k := range slices.Concat(w.workers.groups[poolStation], w.workers.groups[jobStation]) {
		w.after(w.within(2*time.Second), k.claimRound)
	}
	return w
}

// after makes f happen in d.
func (w *world) after(d time.Duration, f func()) { w.queue.push(w.now.Add(d), f) }

// step makes the next thing happen.
func (w *world) step() bool {
	at, f, ok := w.queue.pop()
	if !ok {
		return false
	}
	if at.After(w.now) {
		w.now = at
	}
	w.report.Steps++
	f()
	return true
}

// storm runs with faults.
func (w *world) storm(steps int) {
	for w.report.Steps < steps && w.step() {
		w.misfortune()
	}
}

// calmSteps bounds how long the end of a history may take.
const calmSteps = 1_500_000

// settle ends the history well: no more faults happen, users remove plans that would never end, and
// every other plan has to end.
func (w *world) settle() {
	w.note("it is calm")
	w.calm = true
	for _, n := range w.nodes {
		n.recover()
	}
	w.workers.recover()
	w.after(0, w.watch)
	w.after(0, w.users.tidy)
	last := w.report.Steps + calmSteps
	for !w.check.over() {
		if w.report.Steps > last || !w.step() {
			w.fail("it does not come to an end: %s", w.check.unfinished())
		}
	}
	w.check.plans.end()
}

// chance is true with probability p.
func (w *world) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }

// within returns a span of up to d.
func (w *world) within(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(w.rng.Int64N(int64(d)))
}

// one returns one of some choices.
func one[T any](w *world, choices ...T) T { return choices[w.rng.IntN(len(choices))] }
