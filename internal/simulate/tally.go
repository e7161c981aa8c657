package simulate

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A tally has the totals of a simulation. Its size does not grow with the executions.
type tally struct {
	executions int64
	states     map[schema.State]int64
	skipped    map[schema.Reason]int64
	from       int64   // the hour of the begin
	hours      []int64 // executions begun by hour, from then on
	minute     int64   // the minute that is counted, from then on
	begun      int64   // executions begun in it
	busiest    []Minute
	meetings   meetings
	outages    []*outage
}

// mostBusy is how many of the busiest minutes are kept.
const mostBusy = 10

const (
	minuteMicros = int64(60e6)
	hourMicros   = 60 * minuteMicros
)

func newTally(o Options) *tally {
	return &tally{
		states: map[schema.State]int64{}, skipped: map[schema.Reason]int64{},
		from: o.From.Truncate(time.Hour).UnixMicro(),
	}
}

// begin counts an execution that a worker begins.
func (t *tally) begin(now int64) {
	hour := int((now - t.from) / hourMicros)
	for len(t.hours) <= hour {
		t.hours = append(t.hours, 0)
	}
	t.hours[hour]++
	if minute := (now - t.from) / minuteMicros; minute != t.minute {
		t.endMinute()
		t.minute = minute
	}
	t.begun++
}

// endMinute keeps the minute, if it is among the busiest.
func (t *tally) endMinute() {
	if t.begun == 0 {
		return
	}
	m := Minute{At: microTime(t.from + t.minute*minuteMicros), Executions: t.begun}
	t.begun = 0
	at, _ := slices.BinarySearchFunc(t.busiest, m, func(a, b Minute) int {
		return cmp.Or(cmp.Compare(b.Executions, a.Executions), a.At.Compare(b.At))
	})
	t.busiest = slices.Insert(t.busiest, at, m)
	t.busiest = t.busiest[:min(len(t.busiest), mostBusy)]
}

// add counts a result.
func (t *tally) add(p *plan, r *Result) {
	if r.State == schema.StateSkipped {
		t.skipped[r.Reason] += r.Count
		p.counts.Skipped[r.Reason] += r.Count
		return
	}
	t.executions++
	t.states[r.State]++
	p.counts.States[r.State]++
	t.meetings.add(p, r)
}

// late counts an execution of an occurrence that fell due in an outage.
func (t *tally) late(x *execution) {
	for _, o := range t.outages {
		if !o.has(x.planTime) || x.sent < o.until {
			continue
		}
		o.cost.Late++
		o.cost.LongestDelay = max(o.cost.LongestDelay, float64(x.sent-x.planTime)/1e6)
		o.cost.CaughtUp = max(o.cost.CaughtUp, float64(x.sent-o.until)/1e6)
	}
}
