package presence

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A minute counts events of the last minute, in slices of five seconds.
type minute struct {
	counts [shares + 1]uint32 // the present slice, which is not full, and those before it
	last   int64              // the number of the present slice since 1970
}

const (
	shares      = 12
	fiveSeconds = unit.Moment(time.Minute/time.Microsecond) / shares
)

// moveTo makes the slice of a moment the present one. After a clock has gone back all are empty.
func (m *minute) moveTo(now unit.Moment) {
	n := int64(now / fiveSeconds)
	if n < m.last || n > m.last+shares {
		m.counts = [shares + 1]uint32{}
		m.last = n
	}
	for m.last < n {
		m.last++
		m.counts[m.last%(shares+1)] = 0
	}
}

func (m *minute) add(now unit.Moment) {
	m.moveTo(now)
	m.counts[m.last%(shares+1)]++
}

func (m *minute) sum(now unit.Moment) (n int64) {
	m.moveTo(now)
	for _, of := range m.counts {
		n += int64(of)
	}
	return n
}

// Ended counts an execution that has ended at a worker.
func (r *Registry) Ended(id string, now unit.Moment) {
	a := r.byID[id]
	if a == nil {
		return
	}
	if a.ended == nil {
		a.ended = &minute{}
	}
	a.ended.add(now)
}

// Find returns a worker that is present, and how many executions ended there within about a minute;
// false: it is not there.
func (r *Registry) Find(id string, now unit.Moment) (w schema.Worker, ended int64, ok bool) {
	a := r.byID[id]
	if a == nil || !a.present(now) {
		return w, 0, false
	}
	if a.ended != nil {
		ended = a.ended.sum(now)
	}
	return a.shown(now), ended, true
}
