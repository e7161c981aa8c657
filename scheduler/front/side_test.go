package front_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A blockedLeader is a leader that is behind with commands of one kind, and takes no more of
// them before it ends. It answers all others.
type blockedLeader struct {
	in    func(command.Command) bool
	came  chan struct{} // of size one: a command is stuck
	over  chan struct{}
	clear func() // ends it
}

func newBlockedLeader(in func(command.Command) bool) *blockedLeader {
	j := &blockedLeader{in: in, came: make(chan struct{}, 1), over: make(chan struct{})}
	j.clear = sync.OnceFunc(func() { close(j.over) })
	return j
}

func (j *blockedLeader) Ask(_ int, c command.Command, done func(any, error)) {
	if j.in(c) {
		select {
		case j.came <- struct{}{}:
		default:
		}
		<-j.over
	}
	done(nil, &schema.Error{Code: schema.CodeNotFound, Message: "none"})
}

func isLookAtStation(c command.Command) bool { _, is := c.(command.GetStation); return is }

// wantBusy takes n answers, all of which must be errBusy with a retry delay.
func wantBusy(t *testing.T, sub *nats.Subscription, n int) {
	t.Helper()
	for range n {
		e := refusalOf(t, next(t, sub))
		if e.Code != schema.CodeUnavailable || !strings.Contains(e.Message, "too many requests") || e.RetryAfterMS <= 0 {
			t.Fatalf("it was answered %+v", e)
		}
	}
}

// However many or large requests come while those before them are blocked, each is answered,
// and those for which there is no room at once.
func TestRequestWithoutRoomIsRefusedAtOnce(t *testing.T) {
	for what, c := range map[string]struct {
		padding, room, more int
	}{
		"many":  {0, 10_000 / 8, 500},
		"large": {500 << 10, 8 << 20 / (501 << 10), 10},
	} {
		t.Run(what, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				j := newBlockedLeader(isLookAtStation)
				d := openOn(t, ns, j)
				defer j.clear()
				inbox, sub := d.inbox()
				if err := sub.SetPendingLimits(-1, -1); err != nil {
					t.Fatal(err)
				}
				body := `{"station":"s"` + strings.Repeat(" ", c.padding) + `}`
				d.publish("stations.get", inbox, body)
				<-j.came // the others are behind it
				for range c.room + c.more {
					d.publish("stations.get", inbox, body)
				}
				wantBusy(t, sub, c.more)
				j.clear()
				for range 1 + c.room {
					if e := refusalOf(t, next(t, sub)); e.Code != schema.CodeNotFound {
						t.Fatalf("a request that found room was answered %+v", e)
					}
				}
			})
		})
	}
}

// Requests that read and requests that write share neither processors, nor handlers, nor room.
func TestReadersAndWritersHoldUpNoneOfTheOther(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one processor for each kind
	for what, c := range map[string]struct {
		stuck        func(command.Command) bool
		flood, other [][2]string // subject and body
		times        int
	}{
		"readers that wait for processors": {
			stuck: isLookAtStation,
			flood: [][2]string{{"stations.get", `{"station":"s"}`}, {"plans.list", `{}`}, {"plans.export", `{}`}},
			other: [][2]string{{"plans.create", `{"station":"s","plan_id":"p","command":"c"}`}, {"plans.close", `{"station":"s","plan_id":"p"}`}},
			times: 2000,
		},
		"readers that wait for handlers": {
			stuck: func(c command.Command) bool { _, is := c.(command.ListPlans); return is },
			flood: [][2]string{{"plans.list", `{"text":"nobody has it"}`}},
			other: [][2]string{{"plans.update", `{"station":"s","plan_id":"p","command":"c"}`}, {"plans.close", `{"station":"s","plan_id":"p"}`}},
			times: 4000,
		},
		"writers that wait for processors": {
			stuck: func(c command.Command) bool {
				switch c.(type) {
				case command.CreatePlan, command.PausePlan, command.TriggerPlan:
					return true
				}
				return false
			},
			flood: [][2]string{
				{"plans.create", `{"station":"s","plan_id":"p","command":"c"}`},
				{"plans.pause", `{"station":"s","plan_id":"p"}`}, {"plans.trigger", `{"station":"s","plan_id":"p"}`},
			},
			other: [][2]string{{"stations.get", `{"station":"s"}`}, {"plans.get", `{"station":"s","plan_id":"p"}`}, {"plans.list", `{}`}},
			times: 100,
		},
	} {
		t.Run(what, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				j := newBlockedLeader(c.stuck)
				d := openOn(t, ns, j)
				defer j.clear()
				inbox, sub := d.inbox()
				for range c.times {
					for _, f := range c.flood {
						d.publish(f[0], inbox, f[1])
					}
				}
				<-j.came
				for range 3 {
					for _, o := range c.other {
						d.refuse(o[0], o[1], schema.CodeNotFound, "", "none")
					}
				}
				j.clear()
				for i := range c.times * len(c.flood) {
					if e := refusalOf(t, next(t, sub)); e.Code != schema.CodeNotFound && e.Code != schema.CodeUnavailable {
						t.Fatal(fmt.Sprint(i, e))
					}
				}
			})
		})
	}
}
