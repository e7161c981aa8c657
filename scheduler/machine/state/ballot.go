package state

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// MaxOpenVotes bounds the votes of one plan that are open at once; an occurrence beyond it
	// waits for one of them to end. Their answers are a part of the plan's row, and that has to
	// fit in an append.
	MaxOpenVotes = 8
	// MaxBallot bounds content and error of the open votes of one plan, together, in the longer
	// of the two encodings.
	MaxBallot = schema.MaxReplyBytes
	// VoteWindow ends a vote that has no exec_timeout and does not know how many answers to wait
	// for.
	VoteWindow = time.Minute
)

// A Ballot is the count of the votes of one execution.
type Ballot struct {
	Voters int64 // how many are waited for; 0: all that answer by the deadline
	Quorum int64 // how many ok votes it takes; 0: more than half
	Votes  []schema.Vote
	Size   int // bytes of content and error, in the longer of the two encodings
}

// Open fixes the number of voters that are waited for, when the execution is published: as many
// as the terms require, else as many as are present.
func (v *Ballot) Open(t *schema.Terms, present int64) {
	v.Voters, v.Quorum = t.Voters, t.Quorum
	if v.Voters == 0 && present > 0 {
		// Others are waited for, because fewer than the quorum may be present.
		v.Voters = max(min(present, schema.MaxVoters), v.Quorum)
	}
}

// Voted returns the votes; a nil ballot has none.
func (v *Ballot) Voted() []schema.Vote {
	if v == nil {
		return nil
	}
	return v.Votes
}

func (v *Ballot) Has(worker string) bool {
	return worker != "" && slices.ContainsFunc(v.Votes, func(w schema.Vote) bool { return w.WorkerID == worker })
}

// Add counts a vote, of the given weight. The vote must own its values: they share no bytes with
// the reply that they came in, and are in MessagePack, because the row is written with each vote
// and the result once.
func (v *Ballot) Add(w schema.Vote, weight int) {
	v.Votes = append(v.Votes, w)
	v.Size += weight
}

// Full reports that no other voter is waited for.
func (v *Ballot) Full() bool {
	n := int64(len(v.Votes))
	return n >= schema.MaxVoters || v.Voters > 0 && n >= v.Voters
}

// Verdict returns the number of ok votes, and the number that it takes.
func (v *Ballot) Verdict() (oks, needed int64) {
	for i := range v.Votes {
		if v.Votes[i].State == schema.StateOK {
			oks++
		}
	}
	if v.Quorum > 0 {
		return oks, v.Quorum
	}
	return oks, v.Electorate()/2 + 1
}

// Electorate is the number of possible voters: those that were waited for, or all that voted.
func (v *Ballot) Electorate() int64 {
	if v.Voters > 0 {
		return v.Voters
	}
	return int64(len(v.Votes))
}

// Weight is the size of a vote's content and error in the longer of the two encodings.
func Weight(w *schema.Vote) int {
	size := 0
	for _, v := range []wire.Value{w.Content, w.Error} {
		size += max(len(v.Raw()), len(v.In(wire.JSON).Raw()))
	}
	return size
}

// VoteOf is the vote of a final reply. Every state but ok is a vote against, also unknown.
// Content that the plan has no room for is left out, with a note.
func VoteOf(p *Plan, r *schema.Reply) (w schema.Vote, size int) {
	w = schema.Vote{WorkerID: r.WorkerID, State: r.State, Content: r.Content, Error: r.Error}
	switch r.State {
	case schema.StateOK, schema.StateError, schema.StateFailure:
	default:
		w.State = schema.StateFailure
		if w.Error.IsZero() {
			w.Error = wire.Text(wire.MsgPack, "its state is none that is known")
		}
	}
	w.Content, w.Error = Own(w.Content), Own(w.Error)
	size = Weight(&w)
	if room := p.ballotRoom(); size > room {
		w.Content = wire.Value{}
		w.Error = wire.Text(wire.MsgPack, fmt.Sprintf("%d bytes were left out: the votes of a plan keep %d together", size, MaxBallot))
		if size = Weight(&w); size > room {
			w.Error, size = wire.Value{}, 0
		}
	}
	return w, size
}

// Own copies v, so that it does not keep the buffer that it was read from in memory.
func Own(v wire.Value) wire.Value {
	if v.IsZero() {
		return wire.Value{}
	}
	return wire.Trust(wire.MsgPack, v.AppendTo(nil, wire.MsgPack))
}

// ballotRoom is how much content and error the open votes of p may still take.
func (p *Plan) ballotRoom() int {
	room := MaxBallot
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Ballot != nil {
				room -= x.Ballot.Size
			}
		}
	}
	return max(room, 0)
}

// VotesFull reports that so many votes of p are open that no other may begin.
func (p *Plan) VotesFull() bool {
	if p.Station.Kind() != schema.KindVote {
		return false
	}
	votes := 0
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Ballot != nil {
				votes++
			}
		}
	}
	return votes >= MaxOpenVotes
}

// IsVote reports that execution n of p is a vote.
func (p *Plan) IsVote(n int64) bool {
	if p == nil {
		return false
	}
	_, x := p.Find(n)
	return x != nil && x.Ballot != nil
}
