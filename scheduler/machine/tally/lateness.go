package tally

import (
	"math"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// explained is the lateness from which on a result has its causes.
const explained = unit.Moment(1_000_000)

// Begun are the facts about an execution on which its lateness depends.
type Begun struct {
	Due, Sent unit.Moment // of its occurrence; 0: it was not sent
	Attempt   int64
	Made      bool // not by the schedule, or late because no scheduler acted
	// Own is the time that went to the scheduler itself, and Others to limits, other occurrences,
	// workers and people; both 0: it is unknown where the time went.
	Own, Others unit.Moment
}

// Lateness is how late an execution began because of the scheduler; below 0: it does not count. Up
// to a second all of it counts, because it is unknown where it went; then only that of first
// attempts of which nothing but the scheduler held up any.
func (b Begun) Lateness() unit.Moment {
	late := b.Sent - b.Due
	switch {
	case b.Sent == 0 || b.Due == 0 || b.Attempt != 1 || b.Made, b.Others > 0:
		return -1
	case late <= explained:
		return max(late, 0)
	case b.Own > 0:
		return b.Own
	default:
		return -1
	}
}

// LatenessOf is the lateness of the execution of a result, as its row has it.
func LatenessOf(attempt int64, due, sent unit.Moment, trigger string, l *schema.Late) unit.Moment {
	b := Begun{Due: due, Sent: sent, Attempt: attempt, Made: trigger != ""}
	if l != nil {
		b.Own = micros(l.Journal) + micros(l.Absent)
		b.Others = micros(l.Worker) + micros(l.Claim) + micros(l.Room) + micros(l.Turn) + micros(l.Retry) +
			micros(l.Lock) + micros(l.Person) + micros(l.Resume)
	}
	return b.Lateness()
}

func micros(seconds float64) unit.Moment { return unit.Moment(math.Round(seconds * 1e6)) }
