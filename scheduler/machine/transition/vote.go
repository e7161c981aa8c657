package transition

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// takeVote handles a reply to an execution with voters; false if it changes nothing, because
// its worker has voted.
func takeVote(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution, ev event.ReplyReceived) bool {
	r := &ev.Reply
	if x.Ballot.Has(r.WorkerID) {
		return false
	}
	switch r.State {
	case schema.StateRunning:
		running(t, p, o, x, r)
		return true
	case schema.StateWaiting:
		waiting(t, p, o, x, r)
		return true
	}
	x.Ballot.Add(state.VoteOf(p, r))
	if x.Ballot.Full() {
		countVotes(t, p, o, x)
		return true
	}
	t.Touch(p)
	if x.State == schema.StateDispatched { // a vote is also a first reply
		x.State, x.Worker = schema.StateRunning, r.WorkerID
		t.NotifyExecution(p, o, x, schema.NoticeRunning, nil)
	}
	return true
}

// countVotes ends a vote with an ok, or with an error that the retry policy handles.
func countVotes(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution) {
	oks, needed := x.Ballot.Verdict()
	res := Outcome{votes: x.Ballot.Votes}
	if oks >= needed {
		t.Succeed(p, o, x.N, x.Attempt, res)
		return
	}
	res.error = wire.Text(p.Enc, fmt.Sprintf("%d of %d voted ok, the quorum is %d", oks, x.Ballot.Electorate(), needed))
	t.failed(p, o, x, res, new(schema.Reply))
}
