package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Results are counted in a leader when their turns are kept, and in a follower from their rows, so
// that a leader goes on with the counts of the one before. A result that is no row, because its plan
// keeps none, is counted by its leader alone.

// A counted is the part of a result's row that counts.
type counted struct {
	Attempt  int64         `json:"attempt"`
	PlanTime time.Time     `json:"plan_time"`
	ExecTime time.Time     `json:"exec_time"`
	EndTime  time.Time     `json:"end_time"`
	State    schema.State  `json:"state"`
	Reason   schema.Reason `json:"reason"`
	Count    int64         `json:"count"`
	Trigger  string        `json:"trigger"`
	Late     *schema.Late  `json:"late"`
}

// ReadResult reads the part of a result that counts.
func ReadResult(body []byte) (tally.Result, error) {
	var c counted
	v, err := wire.Scan(body, wire.Limits{})
	if err != nil {
		return tally.Result{}, err
	}
	if err := wire.DecodeLoose(v, &c); err != nil {
		return tally.Result{}, err
	}
	return tally.Result{
		At: unit.MomentOf(c.EndTime), Sent: unit.MomentOf(c.ExecTime), State: c.State, Reason: c.Reason, Count: c.Count,
		Late: tally.LatenessOf(c.Attempt, unit.MomentOf(c.PlanTime), unit.MomentOf(c.ExecTime), c.Trigger, c.Late),
	}, nil
}

// count takes in the row of a result.
func count(m *Machine, r event.Row) error {
	result, err := ReadResult(r.Value)
	if err != nil {
		return fmt.Errorf("replay a result of %s: %w", r.Name, err)
	}
	m.part.Book.NoteLate(r.Name, &result)
	if s := m.part.Stations[r.Name.Station]; s != nil {
		m.part.Book.Add(m.part.CountsOf(s), &result)
	} else {
		m.part.Book.Add(m.part.Book.Of(r.Name.Station), &result)
	}
	return nil
}

// Counts returns the counters.
func (m *Machine) Counts() *tally.Book { return &m.part.Book }

// AuditCounts names the counters that differ from those of a pass over all plans; none: all are right.
// [Machine.Audit] finds the plans that count as another shape than theirs.
func AuditCounts(m *Machine) (differ []string) {
	var book tally.Book
	executing, underWay := int64(0), map[*state.Station]int64{}
	m.part.Sorted.Scan(func(p *state.Plan) bool {
		book.Set(p.Handle, book.Of(p.Name.Station), m.part.Book.At(p.Handle))
		executing += p.Live()
		underWay[p.Station] += p.Live()
		return true
	})
	if book.Plans != m.part.Book.Plans || book.All.Waiting != m.part.Book.All.Waiting {
		differ = append(differ, fmt.Sprintf("all plans count as %v %v, and are %v %v", m.part.Book.Plans, m.part.Book.All.Waiting, book.Plans, book.All.Waiting))
	}
	if executing != m.part.Executing {
		differ = append(differ, fmt.Sprintf("%d executions count as under way, and %d are", m.part.Executing, executing))
	}
	for name, s := range m.part.Stations {
		counts := m.part.CountsOf(s)
		if is := book.Of(name).Waiting; counts != &m.part.Book.Rest && counts.Waiting != is || s.UnderWay != underWay[s] {
			differ = append(differ, fmt.Sprintf("station %s: %v wait, and %v do; %d are under way, and %d are", name, counts.Waiting, is, s.UnderWay, underWay[s]))
		}
	}
	return differ
}
