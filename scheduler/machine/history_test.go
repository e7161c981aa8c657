package machine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "replay the one history of this seed")
	stepsFlag = flag.Int("steps", 600, "how many events a history has")
)

// TestHistory drives machines through long random histories: users, workers that
// answer, err, stay silent or lie, clocks that jump, batches under way, and leaders
// that die at any moment, followed by one that replays what was durable. After each
// event the whole contract is checked, see observer. A seed that fails is named;
// run it again, alone, with -seed.
func TestHistory(t *testing.T) {
	first, count := uint64(1), uint64(24)
	switch {
	case *seedFlag != 0:
		first, count = *seedFlag, 1
	case testing.Short():
		count = 6
	}
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			defer h.explain()
			for h.events = range *stepsFlag {
				h.move()
			}
			h.drain()
		})
	}
}

// history is a world with one partition: its leader, its stores, its users and its
// workers.
type history struct {
	t      *testing.T
	seed   uint64
	events int
	rng    *rand.Rand
	now    time.Time
	calm   bool // nothing goes wrong any more

	*leadership
	stored   store
	began    store // as it was at the take-over before
	observer *observer
	wire     []message // what is on its way to the scheduler, unordered
	trail    []string  // of the one history that is asked for
}

// message is an event that will arrive.
type message struct {
	at time.Time
	ev Event
}

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)),
		now:      time.Date(2026, 3, 27, 22, 59, 58, 123456789, time.UTC), // two days before clocks change in Berlin
		stored:   store{bucket: map[string][]byte{}},
		observer: newObserver(t),
	}
	h.began = h.stored
	h.takeOver()
	return h
}

func (h *history) explain() {
	if !h.t.Failed() {
		return
	}
	for _, line := range h.trail {
		h.t.Log(line)
	}
	h.t.Logf("event %d of: go test -run TestHistory -seed %d -steps %d", h.events, h.seed, *stepsFlag)
}

// note keeps the trail of the one history that is asked for.
func (h *history) note(format string, args ...any) {
	if *seedFlag == 0 {
		return
	}
	h.trail = append(h.trail, h.now.Format("02T15:04:05.000000 ")+fmt.Sprintf(format, args...))
}

// chance is true once in n times.
func (h *history) chance(n int) bool { return h.rng.IntN(n) == 0 }

// within returns a span of up to d.
func (h *history) within(d time.Duration) time.Duration { return time.Duration(h.rng.Int64N(int64(d))) }

// move makes one thing happen.
func (h *history) move() {
	switch n := h.rng.IntN(100); {
	case n < 12:
		h.create()
	case n < 18:
		h.manage()
	case n < 19:
		h.station()
	case n < 21:
		h.look()
	case n < 40:
		h.deliver()
	case n < 60:
		h.wait()
	case n < 66:
		h.step(Flush{Max: 2 + h.rng.IntN(20), Force: h.chance(4)})
	case n < 74:
		h.seal()
	case n < 82:
		h.commit()
	case n < 93:
		h.perform()
	case n < 94:
		h.crash()
	case n < 96:
		h.compare()
	default:
		h.tick()
	}
}

// drain ends the history well: workers answer, nothing crashes, and every plan that
// can come to an end does.
func (h *history) drain() {
	h.calm = true
	h.settle()
	for _, name := range h.names() {
		if p := h.m.plans[name]; p != nil && (p.halt != served || p.skip != nil || !h.observer.finite(name)) {
			h.step(Ask{From: "end", What: schema.RemovePlan{Name: name}})
		}
	}
	for range 50_000 {
		h.settle()
		if len(h.m.plans) == 0 {
			break
		}
		next := h.m.Wake()
		for _, m := range h.wire {
			if next.IsZero() || m.at.Before(next) {
				next = m.at
			}
		}
		if next.IsZero() {
			break
		}
		if next.After(h.now) {
			h.now = next
		}
		h.deliver()
		h.tick()
		for name, p := range h.m.plans {
			if p.halt.stopped() {
				h.step(Ask{From: "end", What: schema.RemovePlan{Name: name}})
			}
		}
	}
	for name, p := range h.m.plans {
		h.t.Errorf("%s does not end: %s", name, p.dump())
	}
	h.flushAll()
	if len(h.stored.bucket) != len(h.m.stations) {
		h.t.Errorf("no plan is left, but in the bucket is %q", h.stored.keys())
	}
}

// names returns all plans there are, in order.
func (h *history) names() []schema.PlanName {
	var names []schema.PlanName
	h.m.sorted.Scan(func(p *plan) bool {
		names = append(names, p.name)
		return true
	})
	return names
}

// wait lets time pass: moments, seconds, sometimes days, seldom backwards.
func (h *history) wait() {
	d := h.within(20 * time.Millisecond)
	switch n := h.rng.IntN(100); {
	case n < 50:
		d = h.within(3 * time.Second)
	case n < 70:
		d = h.within(time.Minute)
	case n < 72:
		d = h.within(72 * time.Hour)
	case n < 74:
		d = -h.within(5 * time.Second)
	case n < 84:
		if next := h.m.Wake(); !next.IsZero() {
			d = max(0, next.Sub(h.now)) // just then
		}
	}
	h.now = h.now.Add(d)
	if !h.chance(5) {
		h.tick()
	}
}

// tick lets the machine look as often as it wants to, unless the batch fills up.
func (h *history) tick() {
	if early := h.m.Wake(); early.IsZero() || early.After(h.now) {
		before, effects := sealedSize(h.batch), len(h.batch.Effects)
		h.m.Step(h.now, Tick{}, h.batch)
		if sealedSize(h.batch) != before || len(h.batch.Effects) != effects {
			h.t.Fatalf("a tick before %v did something", early)
		}
	}
	for range 1000 {
		wake := h.m.Wake()
		if wake.IsZero() || wake.After(h.now) {
			return
		}
		was := sealedSize(h.batch)
		h.step(Tick{})
		if h.m.Wake().Equal(wake) && sealedSize(h.batch) == was {
			h.pump() // no room
		}
	}
	h.t.Fatalf("the machine wants to look again and again at %v", h.m.Wake())
}

// deliver hands over a message that has arrived, or a few.
func (h *history) deliver() {
	for range 1 + h.rng.IntN(4) {
		arrived := slices.IndexFunc(h.wire, func(m message) bool { return !m.at.After(h.now) })
		if arrived < 0 {
			return
		}
		ev := h.wire[arrived].ev
		h.wire = slices.Delete(h.wire, arrived, arrived+1)
		h.step(ev)
	}
}

func (h *history) send(after time.Duration, ev Event) {
	h.wire = append(h.wire, message{h.now.Add(after), ev})
}

// step steps one event and checks what comes of it.
func (h *history) step(ev Event) {
	h.note("%T %s", ev, lazy{ev})
	cost := h.m.Cost(ev)
	for !h.batch.Room(cost) {
		if h.batch.Empty() {
			h.t.Fatalf("an empty batch has no room for %T, which costs %d", ev, cost)
		}
		h.pump()
	}
	// Now and then the batch has room for the Cost and for nothing else.
	capacity := h.batch.capacity
	if h.chance(2) {
		h.batch.capacity = len(h.batch.body) + h.batch.reserved + cost
	}
	from := len(h.batch.Effects)
	h.observer.before(h.m, ev)
	h.m.Step(h.now, ev, h.batch)
	if size := sealedSize(h.batch); size > h.batch.capacity {
		h.t.Fatalf("%T at a cost of %d made a batch of %d bytes, %d are allowed", ev, cost, size, h.batch.capacity)
	}
	h.batch.capacity = capacity
	h.observer.after(h, ev, h.batch.Effects[from:])
	for _, e := range h.batch.Effects[from:] {
		h.note("    %s", lazy{e})
	}
	h.checkLooks()
}

// checkLooks checks that no plan is forgotten: what will fall due, or run out, is in
// the timetable.
func (h *history) checkLooks() {
	for name, p := range h.m.plans {
		at := moment(0)
		if p.slot >= 0 {
			at = h.m.timetable.entries[p.slot].at
		}
		switch {
		case p.executing() && at == 0:
			h.t.Fatalf("%s is executing, and nobody watches its deadline", name)
		case p.halt == served && !p.executing() && !p.rests() && at == 0:
			h.t.Fatalf("%s is idle, and will never be looked at: %s", name, p.dump())
		}
	}
}

// sealedSize is what the body of b would have if it were sealed now.
func sealedSize(b *Batch) int {
	size := len(b.body)
	for _, p := range b.dirty {
		if !p.removed {
			size += len(rowHeader(nil, RowState, p.name, 0, 0)) + len(p.appendState(&b.w, nil))
		}
	}
	return size
}
