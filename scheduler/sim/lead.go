package sim

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// leader is one leadership, from its take-over to its end: decide → commit →
// perform, as scheduler/lead.go has it.
type leader struct {
	w *world
	n *node
	d *disk
	m *machine.Machine
	// counted are the results that m is to have counted.
	counted tally.Book

	holder string
	epoch  int64
	over   bool
	leads  bool
	// trusted is the end of its trust in its lease, and awaiting the callbacks that need trust.
	trusted       time.Time
	awaiting      []func()
	losesRenewals bool      // its renewals are lost
	renewed       time.Time // when the last of them was stored, unless all of them are
	// Core decides whether it may go on. While paused no event reaches it; resumes holds the events
	// that follow.
	core      *protocol.Core
	released  bool // it gives its lease back
	paused    bool
	resumes   func()
	ledBy     int64  // the last epoch that led when it read the writers
	complaint string // about a row of the bucket

	// The rest of the take-over, the results and items that earlier leaders left to be stored, and
	// the replies captured before it.
	stages      []protocol.Stage
	left        *protocol.Heritage
	recalled    []sentReply
	repliesFrom time.Time

	// The last append that is fully published, and the last one that is published in part.
	published, begun uint64
	before           predecessor
	toSend           []event.Event // executions to send in place of the leader before
	expected         string        // the checksum of the plans of the leader before; empty: unknown
	audits           int           // steps that might have audited the counters

	// The appender: the next append's expectation, and its number.
	base, seq, number uint64

	// decide
	batch   *batch.Batch
	most    int // how many bytes it may have
	batches uint64
	free    []*batch.Batch
	events  []event.Event // that arrived
	after   []event.Event // that come back from the end of the pipeline
	held    []event.Event // taken, and not stepped
	turning bool          // a turn is on its way
	vain    int           // the number of ticks in vain, one after the other
	alarm   time.Time     // when the timer fires; zero: not at all
	latest  time.Time     // that its clock has shown
	inBatch []event.Event // stepped since the last batch was sealed
	blames  []event.Event // of plans at which a machine panicked, which are to be stopped
	failing bool          // a panic could not be undone, and the batches sealed before are finished
	vainly  *vain         // a turn is taken that is to be undone; nil: none is
	images  [2][]byte     // room for images of the machine

	// commit and perform
	flying    *underway
	durable   []*underway
	effect    int      // the next one of durable[0]
	strained  bool     // too many results are behind
	performed uint64   // the number of the last batch that is fully performed
	behind    []func() // callbacks that wait for a later batch
	speaking  bool

	link        link
	results     streamWriter
	items       streamWriter
	itemCache   *itemCache
	table       table
	definitions definitions

	// The events that the server has sent, and that have not arrived; whether a hearing is under way.
	arriving []*arrival
	asks     bool

	// The leader's knowledge of replies.
	listens     bool
	listensFrom time.Time
	capturedTo  time.Time
	knows       map[*replyKey]bool      // those that were captured
	sentAt      map[*replyKey]time.Time // when the server sent it, by the leader's clock
}

var forEver = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// capacity is the room for an append on a server with the usual max_payload, in bytes.
const capacity = 1<<20 - 8<<10

func newLeader(n *node) *leader {
	w := n.w
	l := &leader{
		w: w, n: n, d: w.disk, trusted: forEver,
		core:   protocol.NewCore(protocol.Writer{}, 0), // until it has an epoch
		stages: w.stages(),
		holder: fmt.Sprintf("%016x", w.rng.Uint64()), link: link{generation: 1},
	}
	l.m, l.counted = w.newMachine(l.probe), tally.Book{}
	l.sentAt = map[*replyKey]time.Time{}
	l.results.l, l.items.l, l.table.l = l, l, l
	l.itemCache = newItemCache(l)
	l.definitions = definitions{l: l, waiting: map[schema.PlanName][]awaited{}}
	for range 4 {
		l.free = append(l.free, batch.New(capacity))
	}
	l.fresh()
	return l
}

// newMachine makes a machine of the world's partition. Other partitions are absent, because they
// share only the limits of stations with it.
func (w *world) newMachine(probe func(at string, name schema.PlanName)) *machine.Machine {
	partitions := w.partitions
	if w.planted(WholeLimit) {
		partitions = 1
	}
	return machine.New(machine.Config{
		Partition: w.partition, Partitions: partitions,
		Key:      [16]byte{7},
		Defaults: schema.Defaults{ExecTimeout: time.Minute, StartTimeout: 30 * time.Second},
		Large:    w.large, LargeRoom: w.largeRoom,
		Probe: probe,
	})
}

// end is the end of the leadership: no message on its way to the leader arrives any more; its own
// messages travel on all the same.
func (l *leader) end(why string) {
	if l.over {
		return
	}
	l.w.note("epoch %d of node %d ends: %s", l.epoch, l.n.index, why)
	l.over = true
	l.n.leader = nil
	if l.w.lease == l {
		l.w.lease = nil
		l.w.record = lastRecord(l)
	}
	l.w.after(l.w.within(patience), l.w.watch)
}

// fresh takes the next batch to fill; without a free one, decide waits.
func (l *leader) fresh() {
	l.batch = nil
	if len(l.free) == 0 {
		return
	}
	l.batch, l.free, l.most = l.free[0], l.free[1:], capacity
	l.batches++
	l.batch.Reset(l.batches)
	l.inBatch = nil
}

// turnSoon schedules a turn of decide.
func (l *leader) turnSoon() {
	if !l.turning && l.leads && !l.over {
		l.turning = true
		l.w.after(l.w.within(20*time.Microsecond), l.mine(func() {
			l.turning = false
			l.turn()
		}))
	}
}

// turn is one turn of decide: held and due work first, then a random one of the other ready events.
func (l *leader) turn() {
	if l.failing {
		l.beginAnew()
		return
	}
	if l.batch == nil {
		l.fresh()
		if l.batch == nil {
			return // perform gives one back
		}
	}
	caughtUp := l.work()
	if l.failing {
		return
	}
	ready := []func(){}
	if len(l.events) > 0 && len(l.held) == 0 {
		ready = append(ready, l.take)
	}
	if len(l.after) > 0 {
		ready = append(ready, func() { l.held, l.after = append(l.held, l.after...), nil })
	}
	if l.flying == nil && !l.batch.Empty() {
		ready = append(ready, l.seal)
	}
	if l.m.AwaitsReplies() {
		l.readReplies()
	}
	if len(ready) > 0 {
		ready[l.w.rng.IntN(len(ready))]()
		l.turnSoon()
		return
	}
	if !caughtUp && l.flying == nil {
		l.w.fail("epoch %d: decide waits for room in an empty batch", l.epoch)
	}
	if caughtUp {
		l.arm()
	}
}

// take steps some of the events that arrived.
func (l *leader) take() {
	for range 1 + l.w.rng.IntN(8) {
		if len(l.events) == 0 {
			return
		}
		ev := l.events[0]
		l.events = l.events[1:]
		if !l.step(ev) {
			l.held = append(l.held, ev)
			return
		}
		if l.failing || len(l.blames) > 0 {
			return
		}
	}
}

// ticksAtOnce bounds the ticks of one turn.
const ticksAtOnce = 16

// work steps held events and due work, as far as the batch has room. False: some is left.
func (l *leader) work() bool {
	l.backpressure()
	for l.stepBlames() && len(l.held) > 0 {
		if !l.step(l.held[0]) {
			return false
		}
		if l.held = l.held[1:]; l.failing {
			return false
		}
	}
	if l.failing || len(l.blames) > 0 {
		return false
	}
	l.held = nil
	for range ticksAtOnce {
		wake := l.m.Wake()
		if (wake.IsZero() || wake.After(l.clock())) && !l.m.WentBack(l.clock()) {
			l.vain = 0
			l.idle()
			return true
		}
		effects := len(l.batch.Effects)
		if p, ok := l.check(event.Tick{}); !ok && !l.failing {
			break // its plan is stopped first
		} else if l.failing || p == machine.Full {
			return false
		}
		if l.vain++; len(l.batch.Effects) > effects {
			l.vain = 0
		}
		if l.vain > mostInVain {
			l.w.fail("epoch %d looks again and again since %v, and nothing comes of it", l.epoch, wake)
		}
	}
	l.turnSoon()
	return true
}

// stepBlames stops the plans at which the machine panicked, and reports that it has.
func (l *leader) stepBlames() bool {
	for len(l.blames) > 0 && !l.failing {
		ev := l.blames[0]
		l.blames = l.blames[1:]
		if !l.step(ev) {
			l.blames = append([]event.Event{ev}, l.blames...)
			return false
		}
	}
	return !l.failing
}

// backpressure stops new executions while too many results are behind.
func (l *leader) backpressure() {
	switch n := len(l.results.queue); {
	case n > l.w.behind:
		l.strained = true
	case n <= l.w.behind*3/4:
		l.strained = false
	}
	if !l.w.planted(NothingHeld) {
		l.m.Hold(l.strained)
	}
}

// mostInVain bounds the ticks without effect, one after the other.
const mostInVain = 500

// idle checks that a tick before its time has no effect.
func (l *leader) idle() {
	unsettle(l)
	if l.w.rng.IntN(50) > 0 {
		return
	}
	effects, empty, wake := len(l.batch.Effects), l.batch.Empty(), l.m.Wake()
	l.w.mishaps.spared = true
	l.m.Step(l.clock(), event.Tick{}, l.batch)
	l.w.mishaps.spared = false
	if len(l.batch.Effects) != effects || l.batch.Empty() != empty {
		l.w.fail("epoch %d: a tick before %v did something", l.epoch, wake)
	}
}

// clock is the time by the node's clock.
func (l *leader) clock() time.Time {
	now := l.n.clock()
	if l.w.planted(NeverBack) && now.Before(l.latest) {
		return l.latest
	}
	return now
}

// arm sets the timer to the machine's next moment.
func (l *leader) arm() {
	wake := l.m.Wake()
	if wake.IsZero() || wake.Equal(l.alarm) {
		return
	}
	l.alarm = wake
	l.w.after(max(0, wake.Sub(l.clock())), l.mine(func() {
		if l.alarm.Equal(wake) {
			l.alarm = time.Time{}
			l.turnSoon()
		}
	}))
}
