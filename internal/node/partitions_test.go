package node_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/schema"
)

// external starts a nats-server that outlives the nodes of a test.
func external(t *testing.T) *embed.Server {
	t.Helper()
	server, err := embed.Start(t.Context(), embed.Options{StoreDir: t.TempDir(), Listen: "127.0.0.1:0", SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// Two nodes share four partitions; a user sees one installation, whichever node leads a
// partition.
func TestNodesShareThePartitions(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.Prefix, c.NATS.URL, c.Partitions = "", "acme", server.ClientURL(), 4
	nc, err := nats.Connect(server.ClientURL(), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	announced, err := nc.SubscribeSync("$KV.acme_leaders.node.*")
	if err != nil {
		t.Fatal(err)
	}
	first := start(t, c)
	asking, done := ask(t, first, "acme")
	defer done()
	if _, err := asking.Stations().Put(t.Context(), schema.Station{Station: "s", Description: "there"}); err != nil {
		t.Fatal(err)
	}
	second := start(t, c)
	awaitLeads(t, announced, 2, 2)

	hour, ever := int64(1), int64(-1)
	var want []string
	for i := range 40 {
		id := fmt.Sprintf("p%02d", i)
		want = append(want, id)
		if _, err := asking.Plans().Create(t.Context(), schema.Plan{
			Station: "s", PlanID: id, Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeHour, PlanValue: &hour, PlanRepet: &ever},
		}); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, first)
	awaitLeads(t, announced, 4)
	var got []string
	for view, err := range asking.Plans().All(t.Context(), schema.ListPlans{}) {
		if err != nil {
			t.Fatal(err)
		}
		id, _ := view.Plan.Field("plan_id").Text()
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("plans after one node has gone:\n%v, want\n%v", got, want)
	}
	stop(t, second)
}

// awaitLeads waits until the live nodes lead these numbers of partitions.
func awaitLeads(t *testing.T, announced *nats.Subscription, want ...int) {
	t.Helper()
	leads := map[string]int{}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		m, err := announced.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		var r schema.Node
		if err := json.Unmarshal(m.Data, &r); err != nil {
			t.Fatal(err)
		}
		leads[r.Process] = len(r.Leads)
		if r.Gone {
			delete(leads, r.Process)
		}
		var is []int
		for _, n := range leads {
			is = append(is, n)
		}
		if slices.Equal(is, want) {
			return
		}
	}
	t.Fatalf("nodes lead %v, want %v", leads, want)
}
