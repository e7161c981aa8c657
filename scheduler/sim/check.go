package sim

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// checker compares the history with the contract. It sees the world from outside and keeps models
// of its own. A check that needs one model is a method of that model; the checks that need two are
// here.
type checker struct {
	w *world

	epoch int64 // of the newest append or leader

	plans     *planModel
	stations  *stationModel
	calendars *calendarModel
	words     *replyModel
	sends     *sendModel
	times     *deadlineModel
	pushes    *pushModel
	claims    *claimModel
	callbacks *callbackModel
	results   *resultModel
	items     *itemModel
	landing   *landing // the append that lands
}

func newChecker(w *world) *checker {
	return &checker{
		w: w, plans: newPlanModel(w), stations: newStationModel(w), calendars: newCalendarModel(w), words: newReplyModel(w), sends: newSendModel(w), times: newDeadlineModel(w),
		pushes: &pushModel{w: w}, claims: newClaimModel(w), callbacks: &callbackModel{w: w}, results: newResultModel(w), items: &itemModel{w: w},
	}
}

// decided checks the decisions of one step before any of them is durable.
func (c *checker) decided(l *leader, ev event.Event, effects []event.Effect) {
	if now := l.n.clock(); now.After(l.latest) {
		l.latest = now
	}
	answers, last := 0, execID{}
	if read, is := ev.(event.Fetched); is {
		ev = read.For
	}
	if left, is := ev.(event.Left); is {
		c.times.extended(l, left)
	}
	ask, asked := ev.(event.Ask)
	to, _ := ask.From.(*request)
	for _, e := range effects {
		switch e := e.(type) {
		case event.Answer:
			if e.To == to {
				answers++
			}
		case event.ItemsGranted:
			answers++
			e.To.(*request).strained = l.strained
		case event.Fetch:
			if waits, is := e.For.(event.Ask); is && waits.From == ask.From {
				return // the leader executes it once that has been read
			}
		case event.ClaimGranted:
			c.grants(l, e)
		case event.Dispatch:
			c.sendsOut(l, e.Execution)
			last = execID{e.Execution.Incarnation, e.Execution.N}
		case event.Notify:
			if e.Notice.Reason == schema.ReasonUnsent {
				if _, proved := ev.(event.Unsent); proved {
					c.sends.sentAtLast(l, last, e.Notice)
					break
				}
				c.plans.mayRunAgain(last, e.Notice)
				c.sends.sentAgain(l, last, e.Notice)
			}
		case event.Publish:
			c.concludes(l, ev, e)
		}
	}
	if !asked || to == nil {
		return
	}
	waitedFor(c.w, to)
	to.decided = l.n.clock()
	if _, waits := ask.What.(command.ClaimWork); answers != 1 && !waits {
		c.w.fail("%T has %d answers", ask.What, answers)
	}
}

// grants checks the executions granted to a claim.
func (c *checker) grants(l *leader, e event.ClaimGranted) {
	r := e.To.(*request)
	r.decided, r.latest = l.n.clock(), l.latest
	for _, x := range e.Executions {
		c.sends.mayBegin(l, x)
		c.sends.decided[execID{x.Incarnation, x.N}] = inMicroseconds(r.latest)
		c.times.decided(l, x)
	}
	if r.answers++; r.answers > 1 {
		c.w.fail("a claim is answered %d times", r.answers)
	}
}

// sendsOut checks an execution that a leader decides to send.
func (c *checker) sendsOut(l *leader, x *event.Outgoing) {
	if !c.plans.isRecorded(x) { // else it was decided before and is published again
		c.sends.early(l, x)
	}
	c.sends.mayBegin(l, x)
	id := execID{x.Incarnation, x.N}
	c.sends.decided[id] = inMicroseconds(l.n.clock())
	c.times.decided(l, x)
	if x.Vote {
		c.words.votes[id] = true
	}
}

// concludes checks a result that a leader decides to publish in a step with ev.
func (c *checker) concludes(l *leader, ev event.Event, e event.Publish) {
	c.timely(l, e)
	c.times.hasLeft(l, e)
	c.maySkip(l, ev, e)
	if _, asked := ev.(event.Ask); asked {
		c.results.byHand[execID{incarnationOf(c.w.decode(e).Key), e.N}] = true
	}
}

// published checks an execution as it leaves.
func (c *checker) published(l *leader, x *event.Outgoing) {
	c.w.report.Executions++
	if !c.plans.isRecorded(x) {
		c.w.fail("%s: execution %d is published, and no durable append has it", x.Name, x.N)
	}
	if x.Pub {
		c.words.published(execID{x.Incarnation, x.N})
	}
	c.sends.published(l, x)
}

// maySkip checks that no due occurrence is skipped while too many results are behind, unless a
// command causes the skip or its plan stops. (A skipped occurrence of a queue was open already.)
func (c *checker) maySkip(l *leader, ev event.Event, e event.Publish) {
	_, asked := ev.(event.Ask)
	if book := c.plans.current[e.Name]; asked || !l.strained || book == nil || book.inbox != nil {
		return
	}
	r := c.w.decode(e)
	switch r.Reason {
	case schema.ReasonOverlap, schema.ReasonConcurrency, schema.ReasonMissed:
		if r.State == schema.StateSkipped {
			c.w.fail("%s: occurrence %d is skipped (%s) while %d results are behind", e.Name, r.Occurrence, r.Reason, len(l.results.queue))
		}
	}
}

// broadcast checks a result as it leaves.
func (c *checker) broadcast(e event.Publish) {
	r := c.w.decode(e)
	if book := c.plans.lives[incarnationOf(r.Key)]; book == nil || !book.bodies[string(e.Body)] {
		c.w.fail("%s: result %d is broadcast, and no durable append has it", e.Name, e.N)
	}
}
