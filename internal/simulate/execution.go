package simulate

import (
	"strconv"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// arrived notes an execution that the machine has sent; nil: it was sent before.
func (w *world) arrived(out *event.Outgoing) *execution {
	p := w.plans[out.Name]
	if p.open[out.N] != nil {
		return nil
	}
	x := &execution{
		plan: p, n: out.N, occurrence: out.Occurrence, attempt: out.Attempt,
		planTime: out.PlanTime.UnixMicro(), sent: w.now, late: out.MadeBy == schema.TriggerCatchUp,
		nonce: string(out.Nonce.AppendHex(nil)),
	}
	if !out.StartBy.IsZero() {
		x.startBy = out.StartBy.UnixMicro()
	}
	if !out.Deadline.IsZero() {
		x.deadline = out.Deadline.UnixMicro()
	}
	p.open[out.N] = x
	w.inFlight++
	if x.occurrence > p.newest {
		p.newest = x.occurrence
		p.reached(calendar.Due{K: x.occurrence, At: out.PlanTime})
		w.waited(x, out)
		w.tally.late(x)
		if w.now >= w.from {
			w.note(p, calendar.Due{K: x.occurrence, At: out.PlanTime})
		}
	}
	return x
}

// reached notes the newest occurrence of a plan.
func (p *plan) reached(due calendar.Due) {
	if due.K > p.last.K {
		p.last = due
	}
}

// waited notes how long the first execution of an occurrence has waited before it was sent: for
// an earlier occurrence of its plan, then for room, or for a worker that claims.
func (w *world) waited(x *execution, out *event.Outgoing) {
	p := x.plan
	if !out.Expected.IsZero() || x.late || w.now < w.from {
		return
	}
	total := w.now - x.planTime - int64(p.definition.Jitter*1e6)
	turn := int64(0)
	if !p.runsBeside() {
		turn = max(0, min(p.lastEnd-x.planTime, total))
	}
	p.station.wait(waitTurn, turn)
	cause := waitRoom
	if p.station.kind() == schema.KindPull && p.station.places > 0 {
		cause = waitWorker
	}
	p.station.wait(cause, total-turn)
}

// runsBeside reports that occurrences of the plan do not wait for earlier ones.
func (p *plan) runsBeside() bool {
	overlap := p.definition.Overlap
	if overlap == "" && p.definition.NoKeep {
		return false
	}
	if overlap == "" && p.station.record != nil {
		overlap = p.station.record.Overlap
	}
	return overlap == schema.BusyAllow || overlap == schema.BusyParallel
}

// begin has a worker begin an execution.
func (w *world) begin(x *execution) {
	s := x.plan.station
	x.begun, x.holds = w.now, true
	s.busy++
	if w.now >= w.from {
		s.most = max(s.most, s.busy)
		s.wait(waitWorker, x.begun-x.sent)
		w.tally.begin(w.now)
	}
	if s.kind() == schema.KindPub {
		return // no worker answers
	}
	several := int64(0)
	if x.plan.definition.WorkerCount > 1 {
		several = x.n
	}
	longest := int64(0)
	for voter := range max(x.voters, 1) {
		takes, fails := w.chooser.of(x.plan, x.occurrence, x.attempt, several+int64(voter))
		micros := takes.Microseconds()
		longest = max(longest, micros)
		// A moment more, because an occurrence that is due as it ends falls due before its reply
		// is read.
		w.arrivals.push(arrival{at: w.now + micros + 1, kind: ends, run: x, voter: voter, fails: fails})
	}
	end := w.now + longest + 1
	switch {
	case x.claimer != nil && s.pings(x.plan):
		w.send(x, schema.Reply{State: schema.StateRunning, WorkerID: x.claimer.id})
	case x.startBy != 0 && end >= x.startBy, x.deadline != 0 && end >= x.deadline:
		extend := schema.Seconds(float64(longest)/1e6 + 1)
		w.send(x, schema.Reply{State: schema.StateWaiting, WorkerID: x.workerID(), Extend: &extend})
	}
}

// pings reports that the workers of a plan have to ping.
func (s *station) pings(p *plan) bool {
	d := p.definition
	return d.PingTimeoutMS != nil || d.PingIntervalMS != nil ||
		s.record != nil && (s.record.PingTimeoutMS != nil || s.record.PingIntervalMS != nil)
}

// workerID is the id of the worker that has the execution; empty: any of its station.
func (x *execution) workerID() string {
	if x.claimer != nil {
		return x.claimer.id
	}
	return ""
}

// arrive handles an event of a worker.
func (w *world) arrive(a arrival) {
	x := a.run
	if x.ended || !x.holds {
		return
	}
	r := schema.Reply{State: schema.StateOK, WorkerID: x.workerID()}
	switch {
	case a.kind == pings:
		r.State = schema.StateRunning
	case a.fails:
		r.State, r.Error = schema.StateError, failure
	}
	if x.voters > 0 {
		r.WorkerID = "w" + strconv.Itoa(a.voter+1)
	}
	w.send(x, r)
	if a.kind == ends && x.voters == 0 {
		w.free(x)
	}
}

// send has a reply reach the machine, or be captured while no scheduler acts.
func (w *world) send(x *execution, r schema.Reply) {
	reply := event.ReplyReceived{From: x, About: x.about(), Reply: r, Captured: w.down}
	if w.down {
		w.captured = append(w.captured, reply)
		return
	}
	w.then(reply)
}

// acknowledged schedules the next ping of an execution, if the machine expects one.
func (w *world) acknowledged(x *execution, ack schema.Ack) {
	if x.ended || !x.holds || ack.PingIntervalMS <= 0 {
		return
	}
	w.arrivals.push(arrival{at: w.now + ack.PingIntervalMS*1000, kind: pings, run: x})
}

// published notes a result.
func (w *world) published(e *event.Publish) {
	p := w.plans[e.Name]
	r := &w.result
	*r = Result{Name: e.Name, End: w.shown(w.now), State: e.State, Reason: e.Reason, Count: max(e.Count, 1)}
	x := p.open[e.N]
	if x == nil {
		w.skipped(p, r, e)
		return
	}
	delete(p.open, e.N)
	w.inFlight--
	x.ended = true
	p.lastEnd = w.now
	if x.begun == 0 && w.now >= w.from {
		p.station.wait(waitWorker, w.now-x.sent)
	}
	w.free(x)
	if w.executed++; w.executed >= w.options.Limit {
		w.cut = true
	}
	if x.sent < w.from {
		return
	}
	r.Occurrence, r.Attempt, r.PlanTime = x.occurrence, x.attempt, microTime(x.planTime)
	if x.begun != 0 {
		r.Begin = w.shown(x.begun)
	}
	w.emit(p, r)
}
