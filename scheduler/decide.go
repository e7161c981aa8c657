package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

const (
	// eventsAtOnce bounds the events that are taken before a look at the clock.
	eventsAtOnce = 64
	// ticksAtOnce bounds the Ticks, of some hundred plans each, before events have their turn. Due
	// plans go first, because users notice a late execution, but not a reply that waits some
	// milliseconds.
	ticksAtOnce = 16
	// readClock is how long a wait may last without a look at the clock.
	readClock = time.Second
)

// decide owns the machine. While the appender writes, the next batch gathers; the group commit is no
// more than handing it over when the appender is free. A panic of the machine ends decide, too, and it
// calls contained.
func (l *leader) decide(ctx context.Context, stop <-chan struct{}, contained func(error)) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	d := &decider{leader: l, timer: timer}
	if err := d.fresh(ctx); err != nil {
		return err
	}
	// Replies that were captured between two leaders are stepped before the first check of any
	// deadline, because an answer in time would else count as a timeout.
	d.held = l.after.take(d.held)
	for {
		var more <-chan struct{}
		progress := d.work()
		if d.over != nil { // since then, or since the last event
			if err := d.abandon(contained); err != nil {
				return err
			}
			return d.end(ctx)
		}
		if progress == canGoOn {
			more = always
		}
		events, asks, appender := l.events, l.asks, l.appenderFree
		if len(d.held)+len(d.blames) > 0 {
			events, asks = nil, nil // the batch is full and takes no more
		}
		if len(d.asked) > 0 {
			asks = nil // requests have their share of the batch
		}
		if d.batch.Empty() {
			appender = nil
		}
		switch {
		case d.machine.AwaitsReplies():
			d.askForReplies(d.number - 1)
		case d.stallDetector.isStalled():
			d.askForReplies(0)
		}
		d.arm(progress)
		select {
		case ev := <-events:
			d.take(ev, events)
		case ev := <-asks:
			d.take(ev, asks)
		case <-l.after.wake:
			d.held = l.after.take(d.held)
		case <-timer.C:
			d.armed = time.Time{}
		case <-more:
		case <-appender:
			s, ok := d.seal()
			if !ok {
				// commit waits for a batch, and gets none.
				err := d.abandon(contained)
				close(l.sealed)
				return err
			}
			l.sealed <- s
			if err := d.fresh(ctx); err != nil {
				return err
			}
		case <-stop:
			return d.finish(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A decider is the state of decide.
type decider struct {
	*leader
	batch  *batch.Batch
	number uint64
	held   []event.Event // accepted, but not stepped: feedback, and events that did not fit
	blames []event.Event // which stop the plans at which the machine panicked, and come first
	shares
	// stepped are the events of this batch that are lost to their senders if the batch is dropped.
	stepped []event.Event
	over    error // the panic of the machine, because of which nothing more is decided
	timer   *time.Timer
	armed   time.Time // the moment that the timer is for; zero: it does not run
	fires   time.Time // when it fires
}

// fresh takes the next batch to fill.
func (d *decider) fresh(ctx context.Context) error {
	select {
	case d.batch = <-d.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	d.number++
	d.batch.Reset(d.number)
	clear(d.stepped)
	d.stepped = d.stepped[:0]
	d.nextBatch()
	d.measure()
	return nil
}

// finish hands the last batch over and signals commit that no other will come.
func (d *decider) finish(ctx context.Context) error {
	if !d.batch.Empty() {
		select {
		case <-d.appenderFree:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		s, ok := d.seal()
		if !ok {
			return d.over
		}
		d.leader.sealed <- s
	}
	return d.end(ctx)
}

// end signals commit that no other batch will come.
func (d *decider) end(ctx context.Context) error {
	select {
	case <-d.appenderFree:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	close(d.leader.sealed)
	return nil
}

// seal seals the batch; false: the machine panicked.
func (d *decider) seal() (s sealed, ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			d.failed(event.Tick{}, fault)
		}
	}()
	s = sealed{d.batch, d.batch.Seal(), d.machine.Checksum()}
	d.backpressure.coming.Add(int64(d.batch.Results))
	return s, true
}

// always is ready, because decide has more to do and only checks for more urgent work.
var always = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// progress is the reason why work has returned.
type progress uint8

const (
	caughtUp  progress = iota // nothing is due; the timer decides
	canGoOn                   // there is more, and only others had to have their turn
	blocked                   // there is more, but no room for it
	listening                 // more may be due, but replies from before come first
)

// work steps held events and due plans, as far as the batch has room.
func (d *decider) work() progress {
	if d.over != nil || !d.stepHeld() {
		return blocked
	}
	d.heed()
	late := d.isLate()
	if late {
		d.late = lateBatches
	}
	if !late || !d.dueGoesFirst() {
		d.stepAsked()
	}
	if d.over != nil {
		return blocked
	}
	done := d.lookAtDue()
	if d.stepAsked(); done == blocked && d.over == nil && len(d.asked) == 0 {
		// Due plans have had their share. Requests have theirs now, because the batch may be sealed
		// next.
		select {
		case ev := <-d.asks:
			d.take(ev, d.asks)
		default:
		}
	}
	return done
}

// stepHeld steps the held events, and reports that none is left. If the machine panics at one, the
// plan is stopped before the rest is stepped.
func (d *decider) stepHeld() bool {
	done := 0
	for d.over == nil && d.stepBlames() && done < len(d.held) {
		ev := d.held[done]
		if isRequest(ev) { // that was left by the leader before
			d.asked = append(d.asked, ev)
		} else if !d.step(ev) {
			break
		}
		done++
	}
	d.held = append(d.held[:0], d.held[done:]...)
	return len(d.held)+len(d.blames) == 0 && d.over == nil
}

// stepBlames stops the plans at which the machine panicked, and reports that it has.
func (d *decider) stepBlames() bool {
	for len(d.blames) > 0 && d.over == nil && d.step(d.blames[0]) {
		d.blames = d.blames[1:]
	}
	return len(d.blames) == 0
}

// lookAtDue has the machine process some of the due plans.
func (d *decider) lookAtDue() progress {
	for range ticksAtOnce {
		d.heed()
		now := time.Now()
		if d.stallDetector.look(now); d.stallDetector.isStalled() {
			return listening
		}
		wake := d.machine.Wake()
		if (wake.IsZero() || wake.After(now)) && !d.machine.WentBack(now) {
			return caughtUp
		}
		switch fits := d.tick(now); {
		case !fits || d.over != nil:
			return blocked
		case len(d.blames) > 0:
			return canGoOn
		}
	}
	return canGoOn
}

// tick has the machine process due plans; false: the batch has no room for more of them.
func (d *decider) tick(now time.Time) (fits bool) {
	defer func() {
		d.batch.Leave(0)
		if fault := recover(); fault != nil {
			d.failed(event.Tick{}, fault)
			fits = true
		}
	}()
	d.batch.Leave(d.leftToRequests())
	return d.machine.Step(now, event.Tick{}, d.batch) == machine.Done
}

// step steps one event; false if the batch has no room for it. An event that would not fit into any
// batch is refused, because holding it would hold up all others. An event at which the machine
// panics is refused, too, or ignored.
func (d *decider) step(ev event.Event) (taken bool) {
	defer func() {
		d.batch.Leave(0)
		if fault := recover(); fault != nil {
			if d.machine.Happened() {
				d.note(ev)
			}
			d.failed(ev, fault)
			taken = true
		}
	}()
	if d.itemsBehind(ev) {
		ev.(event.Ask).From.(*call).finish(nil, errItemsBehind)
		return true
	}
	if err := d.cramped(ev); err != nil {
		ev.(event.Ask).From.(*call).finish(nil, err)
		return true
	}
	if err := d.strained(ev); err != nil {
		ev.(event.Ask).From.(*call).finish(nil, err)
		return true
	}
	if d.suspects.isIgnored(ev) {
		return true
	}
	if isRequest(ev) {
		d.batch.Leave(d.leftByRequests())
	}
	size := d.batch.Size()
	switch d.machine.Step(time.Now(), ev, d.batch) {
	case machine.Full:
		return false
	case machine.TooLarge:
		d.refuse(ev)
		return true
	}
	if isRequest(ev) {
		d.askedBytes += d.batch.Size() - size
	}
	d.note(ev)
	return true
}

// note records that ev was stepped in this batch.
func (d *decider) note(ev event.Event) {
	switch ev := ev.(type) {
	case event.RepliesRead:
		d.stallDetector.repliesRead(ev.To)
	case event.ReplyReceived, event.NoResponders, event.Dispatched, event.Unsent, event.Left, event.WorkerSeen, event.Fetched:
		// Events that left nothing, such as replies of unknown workers, are dropped here, because
		// they are lost with no batch and may come without end while nothing else happens.
		if !d.batch.Empty() {
			d.stepped = append(d.stepped, ev)
		}
	}
}

func (d *decider) refuse(ev event.Event) {
	d.log.Error("an event is larger than the server's max_payload allows", "event", fmt.Sprintf("%T", ev))
	if read, ok := ev.(event.Fetched); ok {
		ev = read.For
	}
	if ask, ok := ev.(event.Ask); ok {
		ask.From.(*call).finish(nil, errTooLarge)
	}
}

// take steps ev and the events that have come with it in the same channel.
func (d *decider) take(ev event.Event, in <-chan event.Event) {
	for range eventsAtOnce {
		if _, ok := ev.(event.RepliesRead); ok {
			break
		}
		if ev = d.stallDetector.mark(ev); !d.step(ev) {
			break
		}
		if d.over != nil || len(d.blames) > 0 {
			return
		}
		select {
		case ev = <-in:
		default:
			return
		}
	}
	d.hold(d.stallDetector.mark(ev))
}

// hold keeps an accepted event until there is room for it, or the next turn.
func (d *decider) hold(ev event.Event) {
	switch ev.(type) {
	case event.Ask:
		d.asked = append(d.asked, ev)
		return
	case event.RepliesRead:
		d.held = d.after.take(d.held) // captured replies come before it, and executions that left late
	}
	d.held = append(d.held, ev)
}

// arm sets the timer to the machine's next moment, which may have passed since work returned. A
// blocked decider needs no timer, because the appender wakes it by taking the full batch.
func (d *decider) arm(p progress) {
	wake := d.machine.Wake()
	d.due.Store(d.machine.Due().UnixMicro())
	if p != caughtUp || wake.IsZero() {
		d.armed = time.Time{}
		d.timer.Stop()
		if p != canGoOn {
			d.stallDetector.meant = -1
		}
		return
	}
	if !wake.Equal(d.armed) {
		d.armed = wake
		// The clock is read again now and then, because a timer does not follow the wall clock when
		// that is set.
		rest := min(time.Until(wake), readClock)
		d.timer.Reset(rest)
		d.fires = time.Now().Add(rest)
	}
	d.stallDetector.meant = max(time.Until(d.fires), 0)
}
