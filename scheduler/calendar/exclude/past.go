package exclude

import (
	"math"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
)

// A change of a calendar counts for occurrences that fall due from then on. So a rule keeps its
// calendars as they were, as long as occurrences that were due before have yet to be noted or to
// run.

// A Past is a calendar that was replaced.
type Past struct {
	Until int64 // the Unix second from which on the next one counts
	Of    *Calendar
}

// Pasts are the former versions of the calendar of an id, in order.
func (s *Set) Pasts(id string) []Past { return s.pasts[id] }

// before is the calendar of an id that counts right before a Unix second; nil: there is none.
func (s *Set) before(id string, second int64) *Calendar {
	for _, p := range s.pasts[id] {
		if second <= p.Until {
			return p.Of
		}
	}
	return s.calendars[id]
}

// earlier is the content of a rule before a Unix second.
type earlier struct {
	until int64
	*Content
}

// earlierOf are the earlier contents of r. Occurrences that move have none, because they are counted on
// by the calendars as they are: one that was to come may have moved elsewhere since.
func (r *Rule) earlierOf() (all []earlier) {
	if r.Moves() {
		return nil
	}
	var untils []int64
	for _, ids := range [][]string{r.Exclude, r.Only} {
		for _, id := range ids {
			for _, p := range r.set.pasts[id] {
				untils = append(untils, p.Until)
			}
		}
	}
	slices.Sort(untils)
	for _, until := range slices.Compact(untils) {
		all = append(all, earlier{until, r.contentBefore(until)})
	}
	return all
}

// At implements [calendar.Pieces].
func (c *Content) At(second int64) calendar.Piece {
	from := int64(math.MinInt64)
	for _, e := range c.earlier {
		if second < e.until {
			piece := e.at(second)
			piece.From, piece.To = max(piece.From, from), min(piece.To, e.until)
			return piece
		}
		from = e.until
	}
	piece := c.at(second)
	piece.From = max(piece.From, from)
	return piece
}

// Cause returns why a moment is excluded.
func (c *Content) Cause(at time.Time) Cause {
	for _, e := range c.earlier {
		if at.Unix() < e.until {
			return e.cause(at)
		}
	}
	return c.cause(at)
}

// ContentIn returns the calendars that apply to a schedule; nil: none does.
func ContentIn(s calendar.Schedule) *Content {
	over := s.Exclusion()
	if over == nil {
		return nil
	}
	if c, is := over.Pieces.(*Content); is {
		return c
	}
	return RuleIn(s).Content()
}
