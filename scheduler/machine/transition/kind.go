package transition

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// openBallot fixes the voters of x and ensures that the vote ends, by obeying an
// exec_timeout of 0 only where the terms give a number of voters.
func openBallot(t *Turn, p *state.Plan, x *state.Execution, terms *schema.Terms) {
	x.Ballot.Open(terms, t.Registry.Voters(p.Name.Station, schema.MaxVoters, t.Now))
	if x.Deadline == 0 && terms.Voters == 0 {
		x.Deadline = t.Now.After(state.VoteWindow)
	}
}

// address returns the one worker that x is to be sent to now, empty if any worker of its
// station may take it. The workers in worker_ids are tried one after the other in their order,
// but workers with a presence record first; the others are tried too, because a worker need not
// put a record.
func address(t *Turn, p *state.Plan, x *state.Execution) string {
	if x.Pub || x.Ballot != nil {
		return ""
	}
	if len(x.Others) == 0 {
		named := t.Named(p)
		if len(named) == 0 {
			return ""
		}
		x.Others = slices.Clone(named)
		slices.SortStableFunc(x.Others, func(a, b string) int {
			return rank(t.Registry.IsPresent(a, t.Now)) - rank(t.Registry.IsPresent(b, t.Now))
		})
	}
	first := x.Others[0]
	x.Others = x.Others[1:]
	return first
}

func rank(present bool) int {
	if present {
		return 0
	}
	return 1
}
