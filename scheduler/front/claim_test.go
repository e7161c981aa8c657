package front_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// work is an execution as a leader hands it out.
func work(id string, priority int64) command.ClaimedExecution {
	name := schema.PlanName{Station: "s", PlanID: id}
	return command.ClaimedExecution{
		ClaimedName: command.ClaimedName{Name: name, N: 1, Nonce: "0123456789abcdef"},
		Priority:    priority, PlanTime: noon,
		Body:  wire.Trust(wire.JSON, []byte(`{"plan_id":"`+id+`","station":"s"}`)),
		Reply: "plan.reply.0.s.*" + id + ".1-0123456789abcdef",
	}
}

// claimLeaders are the leaders of some partitions, with executions to be claimed. A waiting
// claim is answered when an execution is put there, or when the claim is stopped.
type claimLeaders struct {
	mu       sync.Mutex
	lies     map[int][]command.ClaimedExecution
	waits    map[int][]waiting
	asked    []command.ClaimWork
	returned []string
	silent   int // the partition whose answers are held back, with its waiting claims
	news     chan struct{}
}

type waiting struct {
	id   string
	done func(any, error)
}

func newClaimLeaders() *claimLeaders {
	return &claimLeaders{silent: -1, lies: map[int][]command.ClaimedExecution{}, waits: map[int][]waiting{}, news: make(chan struct{}, 100)}
}

func (y *claimLeaders) Ask(partition int, c command.Command, done func(any, error)) {
	y.mu.Lock()
	defer y.mu.Unlock()
	switch c := c.(type) {
	case command.ClaimWork:
		y.asked = append(y.asked, c)
		n := min(c.Limit, len(y.lies[partition]))
		if n == 0 && c.Wait > 0 || partition == y.silent {
			y.waits[partition] = append(y.waits[partition], waiting{c.ID, done})
			y.news <- struct{}{}
			return
		}
		got := y.lies[partition][:n]
		y.lies[partition] = y.lies[partition][n:]
		done(command.ClaimedWork{Executions: got}, nil)
	case command.StopClaim:
		for _, w := range y.waits[partition] {
			if w.id == c.ID {
				w.done(command.ClaimedWork{}, nil)
			}
		}
		y.waits[partition] = slices.DeleteFunc(y.waits[partition], func(w waiting) bool { return w.id == c.ID })
		done(command.Stopped{}, nil)
	case command.ReturnWork:
		for _, n := range c.Executions {
			y.returned = append(y.returned, fmt.Sprintf("%s at %d", n.Name.PlanID, partition))
		}
		y.news <- struct{}{}
		done(command.Returned{Returned: len(c.Executions)}, nil)
	}
}

func partitioned(n int) func(*front.Config) {
	return func(c *front.Config) { c.Space.Partitions = n }
}

// A claim waits no longer than its client does, even if its wait_ms is longer.
func TestAClaimWaitsNoLongerThanItsSender(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, askFunc(func(_ int, c command.Command, done func(any, error)) {
			bare, by := command.Bare(c)
			if err := command.TooLate(by, time.Now()); err != nil {
				done(nil, err)
				return
			}
			time.AfterFunc(bare.(command.ClaimWork).Wait, func() { done(command.ClaimedWork{}, nil) })
		}))
		began := time.Now()
		m := nats.NewMsg("plans.claim.s")
		m.Data = []byte(`{"worker_id":"w","wait_ms":60000}`)
		m.Header.Set(schema.HeaderAnswerBy, schema.FormatAnswerBy(began.Add(5*time.Second)))
		answer, err := d.nc.RequestMsg(m, 30*time.Second)
		if err != nil || string(answer.Data) != `{"executions":[]}` || time.Since(began) != 5*time.Second {
			t.Errorf("after %v: %v, %v", time.Since(began), answer, err)
		}
	})
}

func TestClaimRefusals(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newClaimLeaders())
		for _, c := range []struct{ station, body, field, hint string }{
			{"s", `{}`, "worker_id", "missing"}, {"s", `{"worker_id":"a b"}`, "worker_id", "worker_id"},
			{"s", `{"worker_id":"w","limit":0}`, "limit", "1 to 100"}, {"s", `{"worker_id":"w","limit":101}`, "limit", "1 to 100"},
			{"s", `{"worker_id":"w","wait_ms":-1}`, "wait_ms", "0 to 60000"}, {"s", `{"worker_id":"w","wait_ms":60001}`, "wait_ms", "0 to 60000"},
			{"s", `{"worker_id":"w","lmit":1}`, "lmit", "limit"}, {"$", `{"worker_id":"w"}`, "station", "station"},
		} {
			d.refuse("plans.claim."+c.station, c.body, schema.CodeInvalidPlan, c.field, c.hint)
		}
	})
}

const inOrder = `{"executions":[` +
	`{"plan_id":"c","station":"s","reply":"plan.reply.0.s.*c.1-0123456789abcdef"},` +
	`{"plan_id":"a","station":"s","reply":"plan.reply.0.s.*a.1-0123456789abcdef"},` +
	`{"plan_id":"b","station":"s","reply":"plan.reply.0.s.*b.1-0123456789abcdef"},` +
	`{"plan_id":"d","station":"s","reply":"plan.reply.0.s.*d.1-0123456789abcdef"}]}`

// A claim takes from one partition after the other, never more than it wants, and answers
// in order.
func TestClaimOfManyPartitions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		y := newClaimLeaders()
		d := openOn(t, ns, y, partitioned(3))
		for _, enc := range encodings {
			y.lies[0] = []command.ClaimedExecution{work("a", 5), work("b", 3)}
			y.lies[1] = []command.ClaimedExecution{work("c", 9)}
			y.lies[2] = []command.ClaimedExecution{work("d", 1)}
			answer, _ := d.ask(enc, "plans.claim.s.eu", `{"worker_id":7,"limit":10,"tenant_id":8,"labels":{"k":"v"}}`)
			if answer != inOrder {
				t.Errorf("the answer in %s is %s", enc, answer)
			}
		}
		if c := y.asked[0]; c.WorkerID != "7" || c.TenantID != "8" || c.Labels["k"] != "v" || !slices.Equal(c.Stations, []string{"s.eu"}) {
			t.Errorf("the leader is asked for %+v", c)
		}
		d.want("plans.claim.s", `{"worker_id":"w"}`, `{"executions":[]}`)
		if len(y.returned) > 0 {
			t.Errorf("%v went back", y.returned)
		}
	})
}

// A claim that waits at several partitions takes the first execution, and gives back the ones
// beyond its limit.
func TestAClaimThatWaitsAtManyPartitions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		y := newClaimLeaders()
		d := openOn(t, ns, y, partitioned(3))
		answer := make(chan *nats.Msg, 1)
		go func() { // ends with the answer
			m, err := d.nc.Request("plans.claim.s", []byte(`{"worker_id":"w","wait_ms":60000}`), 30*time.Second)
			if err != nil {
				t.Error(err)
			}
			answer <- m
		}()
		for range 3 {
			<-y.news // it waits at each
		}
		y.mu.Lock()
		first, second := y.waits[1][0], y.waits[2][0]
		y.waits[1], y.waits[2] = nil, nil
		y.mu.Unlock()
		second.done(command.ClaimedWork{Executions: []command.ClaimedExecution{work("low", 1)}}, nil)
		first.done(command.ClaimedWork{Executions: []command.ClaimedExecution{work("high", 9)}}, nil)
		if m := <-answer; !strings.Contains(string(m.Data), `"plan_id":"high"`) || strings.Contains(string(m.Data), `"low"`) {
			t.Errorf("the answer is %s", m.Data)
		}
		<-y.news
		if want := []string{fmt.Sprintf("low at %d", storage.Partition(schema.Space{Partitions: 3}, "low"))}; !slices.Equal(y.returned, want) {
			t.Errorf("%v went back, not %v", y.returned, want)
		}
	})
}

// A partition that does not answer delays no other, and the executions in its late answer go
// back.
func TestAPartitionThatIsSilent(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		y := newClaimLeaders()
		y.silent = 1
		y.lies[0], y.lies[2] = []command.ClaimedExecution{work("a", 5)}, []command.ClaimedExecution{work("b", 4)}
		d := openOn(t, ns, y, partitioned(3))
		answer, _ := d.ask(wire.JSON, "plans.claim.s", `{"worker_id":"w","limit":3}`)
		if !strings.Contains(answer, `"plan_id":"a"`) || !strings.Contains(answer, `"plan_id":"b"`) {
			t.Errorf("the answer is %s", answer)
		}
		<-y.news
		y.waits[1][0].done(command.ClaimedWork{Executions: []command.ClaimedExecution{work("late", 1)}}, nil)
		<-y.news
		if want := []string{fmt.Sprintf("late at %d", storage.Partition(schema.Space{Partitions: 3}, "late"))}; !slices.Equal(y.returned, want) {
			t.Errorf("%v went back, not %v", y.returned, want)
		}
	})
}

// An answer without a subscriber goes back, because NATS reports no responders at once.
func TestClaimAnswerWithoutAReceiverGoesBack(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		y := newClaimLeaders()
		y.lies[0] = []command.ClaimedExecution{work("a", 5)}
		d := openOn(t, ns, y)
		if err := d.nc.PublishRequest("plans.claim.s", "_INBOX.nobody", []byte(`{"worker_id":"w"}`)); err != nil {
			t.Fatal(err)
		}
		<-y.news
		if want := []string{"a at 0"}; !slices.Equal(y.returned, want) {
			t.Errorf("%v went back, not %v", y.returned, want)
		}
	})
}

// Stop ends the wait of claims.
func TestStopEndsTheWaitForWork(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		y := newClaimLeaders()
		d := openOn(t, ns, y)
		inbox, err := d.nc.SubscribeSync(nats.NewInbox())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.nc.PublishRequest("plans.claim.s", inbox.Subject, []byte(`{"worker_id":"w","wait_ms":60000}`)); err != nil {
			t.Fatal(err)
		}
		<-y.news
		if err := d.front.Stop(); err != nil {
			t.Fatal(err)
		}
		m, err := inbox.NextMsg(10 * time.Second)
		if err != nil || string(m.Data) != `{"executions":[]}` {
			t.Errorf("the claim is answered %v %v", m, err)
		}
	})
}
