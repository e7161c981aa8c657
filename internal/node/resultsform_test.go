package node_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The folder of an older release is converted as soon as no node of an older release is
// left, and converted back at once. Stored results stay, and new ones are received and
// stored before and after.
func TestTheStreamOfResultsIsConverted(t *testing.T) {
	log := &lines{}
	c := config(t)
	c.Log = slog.New(slog.NewTextHandler(log, nil))
	c.ResultsForm = "public"
	n := start(t, c)
	comesToForm(t, n, 0)
	runsAndIsKept(t, n, 1)
	announceOlder(t, n, false)
	stop(t, n)

	c.ResultsForm = "own"
	n = start(t, c)
	const waits = `because="nodes of an older release are there: old"`
	until(t, "it waits for the older node", func() bool { return log.with(waits) != nil })
	runsAndIsKept(t, n, 2)
	if metricsOf(t, n).of("results_own") != 0 {
		t.Error("it is converted while an older node is there")
	}
	announceOlder(t, n, true)
	comesToForm(t, n, 1)
	runsAndIsKept(t, n, 3)
	announceOlder(t, n, false)
	stop(t, n)

	c.ResultsForm = "public"
	n = start(t, c)
	comesToForm(t, n, 0)
	runsAndIsKept(t, n, 4)
	if logged := log.with("another form now"); len(logged) != 2 {
		t.Errorf("the log has %d conversions, want 2: %q", len(logged), logged)
	}
}

// announceOlder stores the record of a node of a release that knew the public form only.
func announceOlder(t *testing.T, n *node.Node, gone bool) {
	t.Helper()
	nc, err := n.Connect(t.Context(), "older")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	m := &nats.Msg{
		Subject: "$KV.leaders.node.old", Header: nats.Header{"Nats-Rollup": {"sub"}},
		Data: fmt.Appendf(nil, `{"node":"old","process":"x","leads":[],"seen":"2026-01-01T00:00:00Z","gone":%v}`, gone),
	}
	if _, err := nc.RequestMsg(m, patience); err != nil {
		t.Fatal(err)
	}
}

// comesToForm waits until the stream of results has the own form, 1, or not, 0.
func comesToForm(t *testing.T, n *node.Node, own float64) {
	t.Helper()
	until(t, fmt.Sprintf("results_own is %v", own), func() bool { return metricsOf(t, n).of("results_own") == own })
}

// until waits until a condition holds.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// runsAndIsKept runs plan number count, receives its result once, and finds the stored
// results of all plans up to it.
func runsAndIsKept(t *testing.T, n *node.Node, count int) {
	t.Helper()
	asking, done := ask(t, n, "")
	defer done()
	nc, err := n.Connect(t.Context(), "observer and worker")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := nc.QueueSubscribe("station.s", "s", func(m *nats.Msg) {
		if err := m.Respond([]byte(`{"state":"ok"}`)); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	results, err := nc.SubscribeSync("plan.result.s.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	plan := schema.Plan{Station: "s", PlanID: fmt.Sprint(count), Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeNone}}
	if _, err := asking.Plans().Create(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if m, err := results.NextMsg(patience); err != nil || m.Subject != "plan.result.s."+plan.PlanID {
		t.Fatalf("received %v, %v", m, err)
	}
	for i := 1; i <= count; i++ {
		page, err := asking.Runs().List(t.Context(), schema.ListRuns{Station: "s", PlanID: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Runs) != 1 || page.Runs[0].State != schema.StateOK {
			t.Errorf("the runs of plan %d of %d are %+v", i, count, page.Runs)
		}
	}
	if again, _, err := results.Pending(); again != 0 || err != nil {
		t.Errorf("%d results more are received, %v", again, err)
	}
}
