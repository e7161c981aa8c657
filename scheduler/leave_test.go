package scheduler_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// held is how long appends are held here. It is longer than an execution's time, and shorter than
// the limit that ends a leadership.
const held = 5 * time.Second

// An execution whose append takes longer than its time is not given up before it has left, and its
// worker has all of its time from then on.
func TestAnExecutionHasItsTimeFromWhenItLeaves(t *testing.T) {
	for what, terms := range map[string]string{
		"to begin": `"start_timeout":1`,
		"to end":   `"exec_timeout":1`,
	} {
		t.Run(what, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				b := start(t, ns)
				results, work := b.results(), b.subscribe("station.s")
				journal := silent(t, ns, journalSubject)
				created := b.send(command.CreatePlan{Definition: definition(t,
					`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"none"},`+terms+`}`)})
				time.Sleep(held)
				journal.end()
				m, err := work.NextMsg(5 * time.Second)
				if err != nil {
					t.Fatal(err)
				}
				if n, _, _ := results.Pending(); n > 0 {
					t.Fatal("it has ended before it left")
				}
				startBy, err := time.Parse(time.RFC3339Nano, m.Header.Get(schema.HeaderStartBy))
				if err != nil {
					t.Fatal(err)
				}
				if left := time.Until(startBy); left < 900*time.Millisecond || left > time.Second {
					t.Errorf("it has %v to begin, of a second", left)
				}
				time.Sleep(800 * time.Millisecond)
				b.answerOK(m)
				if r := next(t, results); r.State != schema.StateOK || r.N != 1 {
					t.Errorf("it ends %s (%s)", r.State, r.Reason)
				}
				<-created
			})
		})
	}
}

// The time of an execution that left late, and gets no reply, ends at the deadline that its worker
// was sent.
func TestDeadlineOfALateExecutionEnds(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results, work := b.results(), b.subscribe("station.s")
		journal := silent(t, ns, journalSubject)
		b.send(command.CreatePlan{Definition: definition(t,
			`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"none"},"start_timeout":4}`)})
		time.Sleep(held)
		journal.end()
		if _, err := work.NextMsg(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if n, _, _ := results.Pending(); n > 0 {
			t.Error("it ends before the time that its worker was sent")
		}
		if r := next(t, results); r.State != schema.StateFailure || r.Cause != schema.ReasonStart {
			t.Errorf("it ends %s (%s, %s)", r.State, r.Reason, r.Cause)
		}
		if m, err := work.NextMsg(time.Minute); err == nil {
			t.Errorf("it is sent again: %s", m.Data)
		}
	})
}

// A claimed execution has its time from the answer to the claim.
func TestAClaimHasItsTimeFromWhenItIsAnswered(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results := b.results()
		b.putStation(schema.Station{Station: "s", Kind: schema.KindPull})
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"none"},"start_timeout":1}`)
		time.Sleep(time.Second)
		journal := silent(t, ns, journalSubject)
		claimed := b.send(command.ClaimWork{ID: "c", WorkerID: "w", Stations: []string{"s"}, Limit: 1, Wait: time.Minute})
		time.Sleep(held)
		journal.end()
		work, _ := (<-claimed).body.(command.ClaimedWork)
		if len(work.Executions) != 1 {
			t.Fatalf("claimed: %+v", work)
		}
		time.Sleep(800 * time.Millisecond)
		if n, _, _ := results.Pending(); n > 0 {
			t.Error("it has ended before its worker had its time")
		}
		b.answerOK(&nats.Msg{Reply: work.Executions[0].Reply, Sub: results})
		if r := next(t, results); r.State != schema.StateOK {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
	})
}
