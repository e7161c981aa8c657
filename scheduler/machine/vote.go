package machine

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// maxOpenVotes bounds the votes of one plan that are open at once; what is due
	// beyond it waits for one of them to end. Their answers are a part of the
	// plan's row, and that has to fit in an append.
	maxOpenVotes = 8
	// maxBallot bounds content and error of the open votes of one plan, together,
	// in the longer of the two encodings.
	maxBallot = schema.MaxReplyBytes
	// voteFrame is more than a vote takes beside its worker_id, content and error.
	voteFrame = 64
	// voteWindow ends a vote that has no exec_timeout and does not know how many
	// answers to wait for.
	voteWindow = time.Minute
)

// A ballot is what an execution with many voices has come to so far.
type ballot struct {
	voters int64 // how many are waited for; 0: all that answer by the deadline
	quorum int64 // how many must say ok; 0: more than half
	votes  []schema.Vote
	said   int // bytes of content and error, in the longer of the two encodings
	framed int // bytes of all else
}

// open fixes who is waited for, when the execution is published: as many as the
// terms say, else as many as are present.
func (v *ballot) open(t *schema.Terms, present int64) {
	v.voters, v.quorum = t.Voters, t.Quorum
	if v.voters == 0 && present > 0 {
		// Fewer than must say ok may be present: then others are waited for.
		v.voters = max(min(present, schema.MaxVoters), v.quorum)
	}
}

// voted returns the votes; a nil ballot has none.
func (v *ballot) voted() []schema.Vote {
	if v == nil {
		return nil
	}
	return v.votes
}

// bound is at least what the votes take, in a row or in a result.
func (v *ballot) bound() int {
	if v == nil {
		return 0
	}
	return 96 + v.said + v.framed
}

func (v *ballot) has(worker string) bool {
	return worker != "" && slices.ContainsFunc(v.votes, func(w schema.Vote) bool { return w.WorkerID == worker })
}

// add counts a vote, of the given weight. It is ours: its values share no bytes with
// what they came in, and are in MessagePack, since the row is written with each vote
// and the result once.
func (v *ballot) add(w schema.Vote, weight int) {
	v.votes = append(v.votes, w)
	v.said += weight
	v.framed += voteFrame + len(w.WorkerID)
}

// full reports that nobody else is waited for.
func (v *ballot) full() bool {
	n := int64(len(v.votes))
	return n >= schema.MaxVoters || v.voters > 0 && n >= v.voters
}

// verdict counts those who said ok, and how many must.
func (v *ballot) verdict() (oks, needed int64) {
	for i := range v.votes {
		if v.votes[i].State == schema.StateOK {
			oks++
		}
	}
	if v.quorum > 0 {
		return oks, v.quorum
	}
	return oks, v.electorate()/2 + 1
}

// electorate is how many could have voted: those who were waited for, or all that did.
func (v *ballot) electorate() int64 {
	if v.voters > 0 {
		return v.voters
	}
	return int64(len(v.votes))
}

// weight is what a vote says in the longer of the two encodings.
func weight(w *schema.Vote) int {
	size := 0
	for _, v := range []wire.Value{w.Content, w.Error} {
		size += max(len(v.Raw()), len(v.In(wire.JSON).Raw()))
	}
	return size
}

// vote takes in a word about an execution with many voices; false: it changes
// nothing, since its worker has voted.
func (t *turn) vote(p *plan, o *occurrence, x *execution, ev Heard) bool {
	r := &ev.Reply
	if x.ballot.has(r.WorkerID) {
		return false
	}
	switch r.State {
	case schema.StateRunning:
		t.running(p, o, x, r)
		return true
	case schema.StateWaiting:
		t.waiting(p, o, x, r)
		return true
	}
	x.ballot.add(voteOf(p, r))
	if x.ballot.full() {
		t.count(p, o, x)
		return true
	}
	t.touch(p)
	if x.state == schema.StateDispatched { // a vote is a first word
		x.state, x.worker = schema.StateRunning, r.WorkerID
		t.tellExecution(p, o, x, schema.NoticeRunning, nil)
	}
	return true
}

// voteOf is the vote that a final word comes to. All but ok is one against, also
// what nobody knows. What the plan has no room for is left out, with a note.
func voteOf(p *plan, r *schema.Reply) (w schema.Vote, size int) {
	w = schema.Vote{WorkerID: r.WorkerID, State: r.State, Content: r.Content, Error: r.Error}
	switch r.State {
	case schema.StateOK, schema.StateError, schema.StateFailure:
	default:
		w.State = schema.StateFailure
		if w.Error.IsZero() {
			w.Error = wire.Text(wire.MsgPack, "its state is none that is known")
		}
	}
	w.Content, w.Error = own(w.Content), own(w.Error)
	size = weight(&w)
	if room := p.ballotRoom(); size > room {
		w.Content = wire.Value{}
		w.Error = wire.Text(wire.MsgPack, fmt.Sprintf("%d bytes were left out: the votes of a plan keep %d together", size, maxBallot))
		if size = weight(&w); size > room {
			w.Error, size = wire.Value{}, 0
		}
	}
	return w, size
}

// own makes v ours, so that it does not keep what it was read from.
func own(v wire.Value) wire.Value {
	if v.IsZero() {
		return wire.Value{}
	}
	return wire.Trust(wire.MsgPack, v.AppendTo(nil, wire.MsgPack))
}

// ballotRoom is how much content and error the open votes of p may still take.
func (p *plan) ballotRoom() int {
	room := maxBallot
	for _, o := range p.open {
		for _, x := range o.live {
			if x.ballot != nil {
				room -= x.ballot.said
			}
		}
	}
	return max(room, 0)
}

// count ends a vote: with an ok, or with an error that the retry policy answers.
func (t *turn) count(p *plan, o *occurrence, x *execution) {
	oks, needed := x.ballot.verdict()
	said := outcome{votes: x.ballot.votes}
	if oks >= needed {
		t.succeed(p, o, x.n, x.attempt, said)
		return
	}
	said.error = wire.Text(p.enc, fmt.Sprintf("%d of %d said ok, %d had to", oks, x.ballot.electorate(), needed))
	t.failed(p, o, x, said, nil)
}

// votesFull reports that so many votes of p are open that no other may begin.
func (p *plan) votesFull() bool {
	if p.station.kind() != schema.KindVote {
		return false
	}
	votes := 0
	for _, o := range p.open {
		for _, x := range o.live {
			if x.ballot != nil {
				votes++
			}
		}
	}
	return votes >= maxOpenVotes
}

// isVote reports that execution n of p has many voices.
func (p *plan) isVote(n int64) bool {
	if p == nil {
		return false
	}
	_, x := p.find(n)
	return x != nil && x.ballot != nil
}

// costOfVote bounds what one more vote adds to a row or a result; said is what its
// content and error may take.
func (p *plan) costOfVote(said int) int {
	return voteFrame + schema.MaxName + min(max(said, 256), p.ballotRoom())
}

func (v *ballot) write(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "voters", v.voters)
	writeInt(w, "quorum", v.quorum)
	if len(v.votes) > 0 {
		w.Key("votes")
		w.BeginList()
		for i := range v.votes {
			v.votes[i].AppendTo(w)
		}
		w.EndList()
	}
	w.EndMap()
}

// ballotRecord is a ballot as it is read.
type ballotRecord struct {
	Voters int64         `json:"voters"`
	Quorum int64         `json:"quorum"`
	Votes  []schema.Vote `json:"votes" wire:"list"`
}

func (r *ballotRecord) ballot() *ballot {
	if r == nil {
		return nil
	}
	v := &ballot{voters: r.Voters, quorum: r.Quorum}
	for _, w := range r.Votes {
		w.Content, w.Error = own(w.Content), own(w.Error)
		v.add(w, weight(&w))
	}
	return v
}
