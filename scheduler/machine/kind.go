package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// What the kind of its station makes of an execution. It is decided when it is made and
// kept in its record: a kind that changes later counts for the next one.
//
//	kind   goes to                      voices         it ends
//	api    one worker of the station,   1              with its word
//	       or the first of worker_ids
//	       that is there
//	vote   every worker                 voters         when all have voted, or at the deadline
//	pub    every worker                 0              when it is published
//	pull   the worker that claims it,   1              with its word; its occurrence, when as
//	       made then (claim.go)                        many as worker_count says are ok (crew.go)

// become gives a new execution its kind.
func (x *execution) become(k schema.Kind) {
	switch k {
	case schema.KindPub:
		x.pub = true
	case schema.KindVote:
		x.ballot = &ballot{}
	}
}

// openBallot fixes whose votes x waits for, and sees to it that it ends: an
// exec_timeout of 0 is obeyed only where the voters were named a number.
func (t *turn) openBallot(p *plan, x *execution, terms *schema.Terms) {
	x.ballot.open(terms, t.roster.Voters(p.name.Station, schema.MaxVoters, t.now))
	if x.deadline == 0 && terms.Voters == 0 {
		x.deadline = t.now.After(voteWindow)
	}
}

// address returns the one worker that x is to be sent to now, empty when it is for
// any of its station. Those that worker_ids names are tried one after the other,
// in their order, but those that are known to be there first: a worker need not
// put a record.
func (t *turn) address(p *plan, x *execution) string {
	if x.pub || x.ballot != nil {
		return ""
	}
	if len(x.others) == 0 {
		named := t.named(p)
		if len(named) == 0 {
			return ""
		}
		x.others = slices.Clone(named)
		slices.SortStableFunc(x.others, func(a, b string) int {
			return rank(t.roster.IsPresent(a, t.now)) - rank(t.roster.IsPresent(b, t.now))
		})
	}
	first := x.others[0]
	x.others = x.others[1:]
	return first
}

func rank(present bool) int {
	if present {
		return 0
	}
	return 1
}
