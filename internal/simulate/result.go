package simulate

import (
	"time"

	"github.com/dchest/siphash"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// skipped notes a result without an execution.
func (w *world) skipped(p *plan, r *Result, e *event.Publish) {
	for name, v := range wire.Trust(e.Enc, e.Body).Map() {
		switch name {
		case "occurrence":
			r.Occurrence, _ = v.Int()
		case "attempt":
			r.Attempt, _ = v.Int()
		case "plan_time":
			r.PlanTime, _ = v.Time()
		case "exec_time":
			r.Begin, _ = v.Time()
		}
	}
	if w.now < w.from || w.held && !w.clip(p, r) {
		return
	}
	if o := w.outage; o != nil && (r.Reason == schema.ReasonMissed || r.Occurrence > p.newest && o.has(r.PlanTime.UnixMicro())) {
		o.cost.Skipped += r.Count
	}
	w.emit(p, r)
}

// clip takes the occurrences out of a skip that fell due after the end of the simulation; false:
// none is left.
func (w *world) clip(p *plan, r *Result) bool {
	end := microTime(w.until)
	if r.PlanTime.Before(end) {
		return true
	}
	_, last := p.schedule.Passed(calendar.Due{K: r.Occurrence - r.Count, At: r.PlanTime.Add(-time.Nanosecond)}, end)
	if r.Count == 1 || last.K <= r.Occurrence-r.Count || last.At.IsZero() || !last.At.Before(end) {
		return false
	}
	r.Count -= r.Occurrence - last.K
	r.Occurrence, r.PlanTime = last.K, last.At
	return r.Count > 0
}

// clipBegin takes the occurrences out of a skip that fell due before the begin of the simulation, as
// those of a plan that was paused or excluded long before; false: none is left.
func (w *world) clipBegin(p *plan, r *Result) bool {
	begin := microTime(w.from)
	if w.started == w.from || r.PlanTime.IsZero() || p.schedule.Continuous() {
		return true
	}
	if r.PlanTime.Before(begin) {
		return false
	}
	first := calendar.Due{K: r.Occurrence - r.Count, At: begin.Add(-time.Nanosecond)}
	since, _ := p.schedule.Passed(first, r.PlanTime.Add(time.Nanosecond)) // of a grid, all of them
	before, _ := p.schedule.Passed(first, begin)                          // of any other, none
	r.Count = min(r.Count, max(1, since-before))
	return true
}

// emit counts a result and hands it out.
func (w *world) emit(p *plan, r *Result) {
	if r.State == schema.StateSkipped && !w.clipBegin(p, r) {
		p.reached(calendar.Due{K: r.Occurrence, At: r.PlanTime})
		return
	}
	w.tally.add(p, r)
	p.digest = digestOf(p.digest, r)
	if r.State == schema.StateSkipped {
		due := calendar.Due{K: r.Occurrence, At: r.PlanTime}
		p.reached(due)
		w.noteSkipped(p, due, r.Reason, r.Count)
		if w.skips++; w.skips >= max(w.options.Limit, DefaultLimit) {
			w.cut = true
		}
	}
	if err := w.sink(r); err != nil && w.err == nil {
		w.err = err
	}
}

// digestOf adds a result to a digest, by which two simulations of a plan are compared.
func digestOf(digest uint64, r *Result) uint64 {
	key := uint64(r.PlanTime.UnixMicro())*31 + uint64(r.Occurrence)
	return siphash.Hash(digest, key, []byte(r.State+schema.State(r.Reason)))*31 + uint64(r.Count)
}

// shown is a moment to the millisecond, which is the precision of due times.
func (w *world) shown(micros int64) time.Time { return microTime(micros - micros%1000) }

func microTime(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
