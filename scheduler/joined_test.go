package scheduler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// taken subscribes to a station as a worker that replies when it wants.
func (b *testbed) taken(station string) *nats.Subscription {
	b.t.Helper()
	return b.subscribe("station." + station)
}

// replySubjects takes count executions and returns their reply subjects.
func replySubjects(t *testing.T, sub *nats.Subscription, count int) (all []string) {
	t.Helper()
	for range count {
		m, err := sub.NextMsg(30 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m.Reply)
	}
	return all
}

// member is one reply among several.
func member(subject, reply string) string {
	return fmt.Sprintf(`{"of":%q,"reply":%s}`, subject[strings.Index(subject, "*"):], reply)
}

// acknowledged reads the acknowledgements on inbox of a message with so many replies, until it has
// those of as many as wanted, and returns the places in the message by the acknowledgement. Replies
// that are decided together are acknowledged in one message, and the loop may come between any two.
func acknowledged(t *testing.T, inbox *nats.Subscription, replies, wanted int) map[string][]int {
	t.Helper()
	replied := map[string][]int{}
	for wanted > 0 {
		m, err := inbox.NextMsg(30 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var ack struct {
			schema.Ack
			Of []int `json:"of"`
		}
		if err := json.Unmarshal(m.Data, &ack); err != nil {
			t.Fatalf("%s: %v", m.Data, err)
		}
		if len(ack.Of) == 0 { // all of them
			for place := range replies {
				ack.Of = append(ack.Of, place)
			}
		}
		what := fmt.Sprintf("ack %v accepted %v cancel %v", ack.Ack.Ack, ack.Accepted, ack.Cancel)
		replied[what] = append(replied[what], ack.Of...)
		wanted -= len(ack.Of)
	}
	return replied
}

// Several replies in one message end their executions like single ones. An acknowledgement that
// does not hold for all of them names their places.
func TestRepliesThatComeTogether(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		executions, results := b.taken("hello"), b.results()
		inbox := b.subscribe("_INBOX.joined")
		for i := range 3 {
			b.create(fmt.Sprintf(`{"plan_id":"p%d","station":"hello","command":"c","plan_type":"none"}`, i))
		}
		replies := replySubjects(t, executions, 3)
		send := func(subject string, members ...string) {
			t.Helper()
			body := `{"replies":[` + strings.Join(members, ",") + `]}`
			if err := b.user.PublishRequest(schema.Joined(subject), "_INBOX.joined", []byte(body)); err != nil {
				t.Fatal(err)
			}
		}

		send(replies[0], member(replies[0], `{"state":"ok","content":"a"}`), member(replies[1], `{"state":"failure","error":"b"}`))
		if diff := cmp.Diff(map[string][]int{"ack true accepted true cancel false": {0, 1}}, acknowledged(t, inbox, 2, 2)); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		states := map[string]schema.State{}
		for range 2 {
			r := next(t, results)
			states[r.PlanID] = r.State
		}
		first, second := planOf(replies[0]), planOf(replies[1])
		if diff := cmp.Diff(map[string]schema.State{first: "ok", second: "failure"}, states); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}

		// The first is over, one cannot be read, one has a forged nonce and gets no answer, and one
		// is good.
		forged := replies[2][:len(replies[2])-4] + "ffff"
		send(replies[2], member(replies[0], `{"state":"ok"}`), `{"of":7}`, member(forged, `{"state":"failure"}`), member(replies[2], `{"state":"ok"}`))
		want := map[string][]int{
			"ack true accepted false cancel true": {0},
			"ack true accepted true cancel false": {3},
		}
		if diff := cmp.Diff(want, acknowledged(t, inbox, 4, 2)); diff != "" {
			t.Errorf("some (-want +got):\n%s", diff)
		}
		if r := next(t, results); r.State != schema.StateOK || r.PlanID != planOf(replies[2]) {
			t.Errorf("result: %+v", r)
		}
	}, brokertest.SyncAlways)
}

// planOf is the plan's id in a reply subject.
func planOf(reply string) string {
	id, _, _ := strings.Cut(reply[strings.Index(reply, "*")+1:], ".")
	return id
}

// Replies that come together while the partition has no leader are captured like single ones.
func TestRepliesThatComeTogetherWithoutALeader(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		executions, results := b.taken("hello"), b.results()
		for i := range 2 {
			b.create(fmt.Sprintf(`{"plan_id":"p%d","station":"hello","command":"c","plan_type":"none"}`, i))
		}
		replies := replySubjects(t, executions, 2)
		b.end()
		body := `{"replies":[` + member(replies[0], `{"state":"ok"}`) + `,` + member(replies[1], `{"state":"ok"}`) + `]}`
		if err := errors.Join(b.user.Publish(schema.Joined(replies[0]), []byte(body)), b.user.Flush()); err != nil {
			t.Fatal(err)
		}
		start(t, ns)
		done := map[string]schema.State{}
		for range 2 {
			r := next(t, results)
			done[r.PlanID] = r.State
		}
		if diff := cmp.Diff(map[string]schema.State{"p0": "ok", "p1": "ok"}, done); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	}, brokertest.SyncAlways)
}
