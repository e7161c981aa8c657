package simulate

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// meetingSpan is the length of a window in which plans meet, in microseconds.
	meetingSpan = 10 * minuteMicros
	// mostBars bounds the executions that are kept of a window.
	mostBars = 400
)

// A Meeting is the window of ten minutes in which most plans had executions, as lanes.
type Meeting struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	Plans int       `json:"plans"`
	Bars  []Bar     `json:"bars"` // some hundred at most, by their end
}

// A Bar is one execution of a meeting.
type Bar struct {
	Station string       `json:"station"`
	PlanID  string       `json:"plan_id"`
	Begin   time.Time    `json:"begin"`
	End     time.Time    `json:"end"`
	State   schema.State `json:"state"`
}

// meetings keeps the window in which most plans met.
type meetings struct {
	window int64 // the number of the present one
	plans  map[*plan]bool
	bars   []Bar
	best   *Meeting
}

// add notes an execution that has ended, in the window of its end.
func (m *meetings) add(p *plan, r *Result) {
	window := r.End.UnixMicro() / meetingSpan
	if window != m.window {
		m.close()
		m.window = window
	}
	if r.Begin.IsZero() {
		return
	}
	if m.plans == nil {
		m.plans = map[*plan]bool{}
	}
	m.plans[p] = true
	if len(m.bars) < mostBars {
		m.bars = append(m.bars, Bar{p.name.Station, p.name.PlanID, r.Begin, r.End, r.State})
	}
}

// close keeps the present window, if more plans met in it than in any before.
func (m *meetings) close() {
	if len(m.plans) > 1 && (m.best == nil || len(m.plans) > m.best.Plans) {
		m.best = &Meeting{
			From: microTime(m.window * meetingSpan), Until: microTime((m.window + 1) * meetingSpan),
			Plans: len(m.plans), Bars: append([]Bar(nil), m.bars...),
		}
	}
	clear(m.plans)
	m.bars = m.bars[:0]
}

// busiest is the window in which most plans met; nil: none did.
func (m *meetings) busiest() *Meeting {
	m.close()
	return m.best
}
