package sim

import (
	"bytes"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// record is the part of a plan's state that the model follows, as the journal has it.
type record struct {
	Incarnation uint64       `json:"incarnation"`
	Revision    uint64       `json:"revision"`
	Accepted    time.Time    `json:"accepted"`
	Base        int64        `json:"base"`
	Occurrence  int64        `json:"occurrence"`
	N           int64        `json:"n"`
	RealRepet   int64        `json:"real_repet"`
	SkipNum     int64        `json:"skip_num"`
	Halt        string       `json:"halt"`
	Closing     bool         `json:"closing"`
	SkipTo      int64        `json:"skip_to"`
	Open        []openRecord `json:"open"`
	Inbox       *struct {
		Manner schema.Manner `json:"manner"`
		First  int64         `json:"first"`
		Next   int64         `json:"next"`
		Mark   bool          `json:"mark"`
		At     time.Time     `json:"at"`
	} `json:"inbox"`
}

// isDue reports that an occurrence of a time is open.
func (r record) isDue(at time.Time) bool {
	return slices.ContainsFunc(r.Open, func(o openRecord) bool { return o.PlanTime.Equal(at) })
}

// openRecord is an occurrence that is open, as its plan's record has it.
type openRecord struct {
	Occurrence int64             `json:"occurrence"`
	PlanTime   time.Time         `json:"plan_time"`
	Trigger    int64             `json:"trigger"`
	Attempt    int64             `json:"attempt"`
	Ended      []int64           `json:"ended"`
	Items      int64             `json:"items"`
	Executions []executionRecord `json:"executions"`
}

// executionRecord is an execution that is under way, as its plan's record has it.
type executionRecord struct {
	N        int64        `json:"n"`
	Attempt  int64        `json:"attempt"`
	Lock     string       `json:"lock"`
	Claimed  bool         `json:"claimed"`
	Worker   string       `json:"worker_id"`
	State    schema.State `json:"state"`
	Deadline time.Time    `json:"deadline"`
}

// state checks a record against the model.
func (c *checker) state(name schema.PlanName, st record, raw []byte) {
	l := c.plans.of(name, st.Incarnation)
	l.schedules.rescheduled(st)
	l.counts(st)
	c.vanished(l, st)
	if st.N < l.record.N || st.N < l.first || st.Revision < l.record.Revision {
		c.w.fail("%s goes back from n %d to %d", name, max(l.record.N, l.first), st.N)
	}
	for _, open := range st.Open {
		l.isOpen(open)
		for _, x := range open.Executions {
			l.isUnderWay(x)
			begun := x.State == schema.StateRunning || x.State == schema.StateWaiting
			_, lost := l.lost[x.N]
			if begun && !lost && x.Lock == "" && !x.Claimed && !c.words.begun(execID{st.Incarnation, x.N}, x.State) {
				c.w.fail("%s: execution %d is %s, which no worker reported", name, x.N, x.State)
			}
		}
		for _, n := range open.Ended {
			l.recorded[max(n, -n)] = true // a vote's, below zero: its ok does not count later
		}
	}
	l.inboxRecord(st)
	l.most = max(l.most, st.N)
	l.record, l.raw, l.written = st, bytes.Clone(raw), c.landing.seq
}

// counts checks a record's counters: each due occurrence has run, was skipped or is open.
func (l *life) counts(st record) {
	if st.RealRepet != l.real || st.SkipNum != l.skips {
		l.w.fail("%s: the record says %d run and %d skipped, there were %d and %d", l.name, st.RealRepet, st.SkipNum, l.real, l.skips)
	}
	scheduled := int64(0)
	for _, open := range st.Open {
		if open.Trigger == 0 {
			scheduled++
		}
	}
	if st.RealRepet+st.SkipNum+scheduled != st.Occurrence {
		l.w.fail("%s: %d run, %d skipped and %d open are not the %d that fell due", l.name, st.RealRepet, st.SkipNum, scheduled, st.Occurrence)
	}
	if r := l.plan.PlanRepet; r != nil && *r > 0 && !l.changed && st.Occurrence > *r {
		l.w.fail("%s: occurrence %d of %d", l.name, st.Occurrence, *r)
	}
}

// isOpen checks an occurrence that is open by a record.
func (l *life) isOpen(open openRecord) {
	if k := open.Occurrence - open.Trigger; l.final[k] {
		l.w.fail("%s: occurrence %d is settled and open", l.name, k)
	}
	if len(open.Executions) > 1 && !l.isShared() {
		l.w.fail("%s: occurrence %d has %d executions at a time", l.name, open.Occurrence, len(open.Executions))
	}
}

// isUnderWay enters an execution that a record lists as under way, with its worker and deadline.
func (l *life) isUnderWay(x executionRecord) {
	l.recorded[x.N] = true
	if t := l.taken[x.N]; x.Claimed != (t != nil) || t != nil && t.worker != x.Worker {
		l.w.fail("%s: execution %d is %s's, claimed: %t; the model has %+v", l.name, x.N, x.Worker, x.Claimed, t)
	}
	if x.State == schema.StateWaiting && x.Deadline.Add(l.w.apart).Before(l.deadline[x.N]) { // a clock was set back
		l.w.fail("%s: execution %d asked for more time, and has less", l.name, x.N)
	}
	if x.State != schema.StateDispatched {
		l.deadline[x.N] = x.Deadline
	}
	if ends, lost := l.lost[x.N]; lost && (x.Deadline.IsZero() || x.Deadline.After(ends)) {
		l.w.fail("%s: execution %d has no holder since %v, and may take until %v", l.name, x.N, ends, x.Deadline)
	}
}
