package node_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/e2e/port"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
)

// cluster starts three nodes with replicas of every stream on each of their servers.
func cluster(t *testing.T, change func(*node.Config)) (nodes []*node.Node) {
	t.Helper()
	var routes []string
	for range 3 {
		address, err := port.Free()
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, "nats://"+address)
	}
	nodes = make([]*node.Node, len(routes))
	var starting sync.WaitGroup
	for i, route := range routes { // a server waits for the others
		starting.Go(func() {
			c := config(t)
			c.Lease = node.Default().Lease
			c.Cluster = node.Cluster{Name: "c", Listen: route[len("nats://"):], Routes: routes}
			change(&c)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			n, err := node.Start(ctx, c)
			if err != nil {
				t.Errorf("start node %d: %v", i, err)
				return
			}
			t.Cleanup(func() { stop(t, n) })
			if nodes[i] = n; n.AwaitReady(ctx) != nil {
				t.Errorf("node %d does not get ready", i)
			}
		})
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return nodes
}

// A bomb panics at one place of one plan, on any leader, each time that it is armed.
type bomb struct {
	mu       sync.Mutex
	at, plan string
	off      int
}

func (b *bomb) probe(at string, plan schema.PlanName) {
	b.mu.Lock()
	goes := b.at == at && (b.plan == "" || b.plan == plan.PlanID)
	if goes {
		b.at, b.off = "", b.off+1
	}
	b.mu.Unlock()
	if goes {
		panic("planted at " + at)
	}
}

func (b *bomb) arm(at, plan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at, b.plan = at, plan
}

func (b *bomb) wentOff() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.off
}

// runs are the executions that a worker received, and their delays.
type runs struct {
	mu    sync.Mutex
	given map[string]int // by plan and occurrence
	late  []time.Duration
}

// work answers all executions of station s.
func (r *runs) work(t *testing.T, nc *nats.Conn) {
	t.Helper()
	r.given = map[string]int{}
	if _, err := nc.QueueSubscribe("station.s", "s", func(m *nats.Msg) {
		due, err := time.Parse(time.RFC3339Nano, m.Header.Get(schema.HeaderTime))
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		r.given[m.Header.Get(schema.HeaderID)+" "+m.Header.Get(schema.HeaderOccurrence)]++
		r.late = append(r.late, time.Since(due))
		r.mu.Unlock()
		// Its connection is closed at the end of the test, possibly during an execution.
		if err := m.Respond([]byte(`{"state":"ok"}`)); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// lateness returns the median, the 99th percentile and the greatest delay since the last
// call.
func (r *runs) lateness() (text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := slices.Sorted(slices.Values(r.late))
	r.late = nil
	if len(late) == 0 {
		return "nothing"
	}
	at := func(p int) time.Duration { return late[min(len(late)*p/100, len(late)-1)].Round(time.Millisecond) }
	return fmt.Sprintf("%d executions, p50 %v, p99 %v, at most %v", len(late), at(50), at(99), at(100))
}

// withoutStacks removes the stacks from a log, because they hide the rest of it.
func withoutStacks(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "stack" {
		return slog.Attr{}
	}
	return a
}

// insist repeats a request whose outcome is unknown, because on a busy machine a leader of
// a cluster may end before it can answer. The repetition of a request that was carried out
// is a conflict, or not found.
func insist(do func() error) error {
	for asked := 0; ; asked++ {
		err := do()
		switch {
		case !errors.Is(err, schema.CodeUnavailable):
			if asked > 0 && (errors.Is(err, schema.CodeConflict) || errors.Is(err, schema.CodeNotFound)) {
				return nil
			}
			return err
		case asked == mostAsked:
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// mostAsked is the most attempts of insist, because an answer takes seconds while there is no
// leader.
const mostAsked = 20

// Each panic of the machine at a plan or a request, in a cluster of three, costs that plan or
// request alone. Every occurrence of all other plans runs, and runs once.
func TestPanicsInAClusterLoseAndDoubleNothing(t *testing.T) {
	var is bomb
	nodes := cluster(t, func(c *node.Config) {
		c.Probe = is.probe
		c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: withoutStacks}))
	})
	nc, err := nodes[2].Connect(t.Context(), "worker")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	results, err := nc.SubscribeSync("plan.result.s.*")
	if err != nil {
		t.Fatal(err)
	}
	var given runs
	given.work(t, nc)
	asking, done := ask(t, nodes[0], "")
	defer done()

	const good, often = 20, 25
	every, times, ever := int64(1), int64(often), int64(-1)
	create := func(id string, repet *int64, policy schema.Policy) {
		t.Helper()
		policy.Overlap, policy.CatchUp = schema.BusyQueue, schema.MissedFull
		if _, err := asking.Plans().Create(t.Context(), schema.Plan{
			Station: "s", PlanID: id, Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &every, PlanRepet: repet}, Policy: policy,
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range good {
		create(fmt.Sprintf("good%02d", i), &times, schema.Policy{})
	}
	soon := schema.Seconds(1) // a reply at which the machine panics is not waited for longer
	create("bad", &ever, schema.Policy{ExecTimeout: &soon, Retry: &schema.Retry{Strategy: schema.RetryFixed, Interval: &soon}})

	badName := schema.PlanName{Station: "s", PlanID: "bad"}
	bad := func() schema.PlanState {
		t.Helper()
		view, err := asking.PlanNamed(badName).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return view.State
	}
	for i, at := range []string{"look", "looked", "end event.ReplyReceived", "row", "queues"} {
		is.arm(at, "bad")
		for until := time.Now().Add(patience); bad().Reason != schema.ReasonInternal; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: the plan is %+v after %d panics", at, bad(), is.wentOff())
			}
		}
		is.arm("end command.PausePlan", "")
		_, err := asking.Plan("s", "good00").Pause(t.Context())
		if !errors.Is(err, schema.CodeInternal) || is.wentOff() != 2*(i+1) {
			t.Errorf("a request at which it panics is answered %v, after %d panics", err, is.wentOff())
		}
		if err := insist(func() error { _, err := asking.PlanNamed(badName).Reset(t.Context()); return err }); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, and a request: %s", at, given.lateness())
	}
	if err := insist(func() error { _, err := asking.PlanNamed(badName).Remove(t.Context()); return err }); err != nil {
		t.Fatal(err)
	}
	once(t, results, good, often)
	given.mu.Lock()
	defer given.mu.Unlock()
	for run, n := range given.given {
		// A reply at which the machine panics is lost, so that the execution times out and
		// is tried again.
		most := 1
		if strings.HasPrefix(run, "bad ") {
			most += is.wentOff()
		}
		if n > most {
			t.Errorf("%s was given to the worker %d times", run, n)
		}
	}
}

// once reads results until so many plans have run so often, each occurrence once.
func once(t *testing.T, results *nats.Subscription, plans, often int) {
	t.Helper()
	seen := map[string]int{}
	for ends := 0; ends < plans*often; {
		m, err := results.NextMsg(patience)
		if err != nil {
			t.Fatalf("%d of %d occurrences have ended: %v", ends, plans*often, err)
		}
		var r struct {
			PlanID     string `json:"plan_id"`
			State      schema.State
			Occurrence int64
		}
		if err := json.Unmarshal(m.Data, &r); err != nil {
			t.Fatal(err)
		}
		if r.PlanID == "bad" {
			continue // each of its attempts has a result
		}
		if r.State != schema.StateOK {
			t.Errorf("%s: occurrence %d is %s", r.PlanID, r.Occurrence, r.State)
		}
		run := fmt.Sprint(r.PlanID, " ", r.Occurrence)
		if seen[run]++; seen[run] > 1 {
			t.Errorf("%s has ended %d times", run, seen[run])
		}
		ends++
	}
}
