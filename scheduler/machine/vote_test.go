package machine

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var freeze = flag.Bool("freeze", false, "write the frozen rows that are missing")

// jury is a bench whose station, of the longest name, is of kind vote.
func jury(t *testing.T, policy schema.Policy) (*bench, schema.PlanName) {
	x := newBench(t)
	name := schema.PlanName{Station: strings.Repeat("n", schema.MaxName), PlanID: strings.Repeat("n", schema.MaxName)}
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: name.Station, Kind: schema.KindVote, Policy: policy}}})
	return x, name
}

// vote is the reply of voter i, with the longest name, about execution n.
func (x *bench) vote(name schema.PlanName, n int64, i int, state schema.State, content wire.Value) {
	x.Helper()
	id := fmt.Sprintf("%0*d", schema.MaxName, i)
	p := x.m.part.Plans[name]
	if p == nil {
		x.Fatal("the plan is gone")
	}
	x.step(event.ReplyReceived{
		From:  "worker",
		About: about(x.m, p, n),
		Reply: schema.Reply{State: state, WorkerID: id, Content: content},
	})
}

// TestLargeVotes leads the largest plan with the most open votes and voters through all events
// that end them. Every event fits in an empty batch, and its rows in an append.
func TestLargeVotes(t *testing.T) {
	const often = `"plan_type":"second","plan_value":1,"plan_repet":-1,"overlap":"parallel","exec_timeout":1000`
	contents := map[string]wire.Value{
		"control characters":  wire.Text(wire.MsgPack, strings.Repeat("\x01", 20<<10)),
		"numbers":             wire.Trust(wire.JSON, []byte("["+strings.Repeat("1e9,", 4<<10)+"0]")),
		"all that is allowed": wire.Text(wire.JSON, strings.Repeat("x", schema.MaxReplyBytes-2)),
		"little":              wire.Text(wire.JSON, "x"),
		"nothing":             {},
	}
	full := func(t *testing.T, content wire.Value) (*bench, schema.PlanName) {
		x, name := jury(t, schema.Policy{})
		x.create(largest(often))
		x.now = x.now.Add(20 * time.Second)
		x.looks()
		for n := range int64(state.MaxOpenVotes) {
			for i := range schema.MaxVoters - 1 {
				x.vote(name, n+1, i, schema.StateOK, content)
			}
		}
		p := x.m.part.Plans[name]
		size := 0
		for _, o := range p.Open {
			for _, e := range o.Live {
				if len(e.Ballot.Votes) != schema.MaxVoters-1 {
					t.Fatalf("%d have voted", len(e.Ballot.Votes))
				}
				size += e.Ballot.Size
			}
		}
		if size > state.MaxBallot {
			t.Fatalf("%d bytes were sent, %d are kept", size, state.MaxBallot)
		}
		if len(p.Open) <= state.MaxOpenVotes || !p.VotesFull() {
			t.Fatalf("%d are open, and another may start", len(p.Open))
		}
		return x, name
	}
	for what, content := range contents {
		t.Run(what, func(t *testing.T) {
			t.Run("all have voted", func(t *testing.T) {
				x, name := full(t, content)
				for n := range int64(state.MaxOpenVotes) {
					x.vote(name, n+1, schema.MaxVoters, schema.StateOK, content)
				}
				if p := x.m.part.Plans[name]; p.RealRepet != state.MaxOpenVotes {
					t.Errorf("%d are settled", p.RealRepet)
				}
			})
			t.Run("deadline", func(t *testing.T) {
				x, name := full(t, content)
				x.now = x.now.Add(time.Hour)
				x.looks()
				if p := x.m.part.Plans[name]; p.RealRepet != state.MaxOpenVotes {
					t.Errorf("%d are settled", p.RealRepet)
				}
			})
			t.Run("removed", func(t *testing.T) {
				x, name := full(t, content)
				x.step(event.Ask{From: "user", What: command.RemovePlan{Name: name}})
				if len(x.m.part.Plans) != 0 {
					t.Error("it is still there")
				}
			})
		})
	}
}

// TestVoteTooLarge checks that a vote without room in the ballot counts, and that its note names
// the missing content.
func TestVoteTooLarge(t *testing.T) {
	x, name := jury(t, schema.Policy{})
	x.create(fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":"c","plan_type":"none","voters":3}`, name.PlanID, name.Station))
	half := wire.Text(wire.JSON, strings.Repeat("x", 150<<10))
	x.vote(name, 1, 1, schema.StateOK, half)
	x.vote(name, 1, 2, schema.StateOK, half)
	votes := x.m.part.Plans[name].Open[0].Live[0].Ballot.Votes
	if votes[0].Content.String() != half.String() || !votes[0].Error.IsZero() {
		t.Errorf("the first vote got %.80s", votes[0].Content)
	}
	if votes[1].State != schema.StateOK || !votes[1].Content.IsZero() || !strings.Contains(votes[1].Error.String(), "left out") {
		t.Errorf("the second vote is %s with content %.80s and error %s", votes[1].State, votes[1].Content, votes[1].Error)
	}
}

// TestFrozenVotes reads a plan's record with votes as this release writes it, and
// holds the writing to those bytes.
func TestFrozenVotes(t *testing.T) {
	at := unit.MomentOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	want := state.Record{Incarnation: 1001, Revision: 1, Accepted: at, N: 2, Attempt: 1, Open: []*state.Occurrence{{
		K: 1, Due: at, At: at, Attempt: 2, Slots: state.Slots{Tries: state.Tries{Errors: 1}}, Ended: []int64{-1},
		Live: []*state.Execution{{
			N: 2, Attempt: 2, State: schema.StateRunning, Sent: at, Deadline: at + 60e6, Worker: "w2",
			Ballot: &state.Ballot{Voters: 3, Quorum: 2},
		}},
	}}}
	want.Prev.K, want.Prev.At = 1, at.Time()
	b := want.Open[0].Live[0].Ballot
	for _, w := range []schema.Vote{
		{WorkerID: "w1", State: schema.StateOK, Content: wire.Text(wire.MsgPack, "yes")},
		{State: schema.StateError, Error: wire.Text(wire.MsgPack, "no")},
	} {
		b.Add(w, state.Weight(&w))
	}
	written := (&state.Plan{Record: want}).AppendState(new(wire.Writer), nil)
	path := filepath.Join("testdata", "wire", "state_votes.v1.msgpack")
	if *freeze {
		if err := os.WriteFile(path, written, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	frozen, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(frozen, written) {
		t.Errorf("it is written otherwise: %s", wire.Trust(wire.MsgPack, written))
	}
	got, err := state.ParseState(frozen)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, unexported, sameValue); diff != "" {
		t.Error(diff)
	}
}
