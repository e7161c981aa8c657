package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
)

// patience bounds operations that should take milliseconds. A machine that stalls for some
// seconds causes a change of leader at worst, which takes one lease.
const patience = time.Minute

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// nats-server has one cached clock for the process.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.init.0.func1"))
}

// config is that of a fast node on free ports.
func config(t *testing.T) node.Config {
	t.Helper()
	c := node.Default()
	c.DataDir = t.TempDir()
	c.NATSListen, c.HTTPListen = "127.0.0.1:0", "127.0.0.1:0"
	c.Sync = time.Minute       // a test's folder need not survive a power cut
	c.Lease = 15 * time.Second // so that a machine that stalls for a second changes no leader
	c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return c
}

func start(t *testing.T, c node.Config) *node.Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n, err := node.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, n) })
	if err := n.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	return n
}

func stop(t *testing.T, n *node.Node) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	if err := n.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// ask returns a client of the node, over a connection of its own.
func ask(t *testing.T, n *node.Node, prefix string) (c *client.Client, done func()) {
	t.Helper()
	nc, err := n.Connect(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	c, err = client.New(nc, client.Options{Prefix: prefix, Timeout: patience, Repeats: 10})
	if err != nil {
		t.Fatal(err)
	}
	return c, nc.Close
}

// status requests an HTTP page.
func status(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	return r.StatusCode, string(body)
}

func TestAReadyNodeReportsReady(t *testing.T) {
	n := start(t, config(t))
	if !n.Ready() {
		t.Error("AwaitReady has returned, but the node is not ready")
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 404, "/metrics": 200} {
		if got, body := status(t, "http://"+n.HTTPAddr()+path); got != want {
			t.Errorf("%s: %d %q, want %d", path, got, body, want)
		}
	}
	_, body := status(t, "http://"+n.HTTPAddr()+"/readyz")
	if !ledBy.MatchString(body) {
		t.Errorf("/readyz answers %q", body)
	}
	if !strings.HasPrefix(n.URL(), "nats://127.0.0.1:") || strings.HasSuffix(n.URL(), ":0") {
		t.Errorf("NATS at %q", n.URL())
	}
}

// ledBy is the answer of /readyz for one partition with a leader.
var ledBy = regexp.MustCompile(`^ready\npartition 0: (\S+) leads, epoch (\d+)\n$`)

// All nodes name the same leader, also those that do not lead.
func TestReadyNodesNameTheLeaders(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.NATS.URL = "", server.ClientURL()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var logged []string
	for _, name := range []string{"n1", "n2"} {
		c.Node = name
		n := start(t, c)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			// A follower is ready as soon as the leader answers, and reads its name a
			// moment later.
			if _, body := status(t, "http://"+n.HTTPAddr()+"/readyz"); ledBy.MatchString(body) {
				logged = append(logged, body)
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatal("no leader is named")
			}
		}
	}
	if logged[0] != logged[1] || ledBy.FindStringSubmatch(logged[0])[1] != "n1" {
		t.Errorf("they answer %q", logged)
	}
}

func TestPlansOutliveTheNode(t *testing.T) {
	c := config(t)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	first := start(t, c)
	asking, done := ask(t, first, "")
	hour, ever := int64(1), int64(-1)
	created, err := asking.Plans().Create(t.Context(), schema.Plan{
		Station: name.Station, PlanID: name.PlanID, Command: "c",
		Schedule: schema.Schedule{PlanType: schema.TypeHour, PlanValue: &hour, PlanRepet: &ever},
	})
	if err != nil {
		t.Fatal(err)
	}
	done()
	stop(t, first)

	asking, done = ask(t, start(t, c), "")
	defer done()
	view, err := asking.PlanNamed(name).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !view.State.PlanTime.Equal(created.PlanTime) {
		t.Errorf("due %v, was %v", view.State.PlanTime, created.PlanTime)
	}
}

func TestStopIsSafeToRepeatAndLeavesNothing(t *testing.T) {
	n := start(t, config(t))
	address := n.HTTPAddr()
	ended := make(chan error, 1)
	go func() { ended <- n.Wait(context.Background()) }()
	for range 3 {
		stop(t, n)
	}
	if err := <-ended; err != nil {
		t.Errorf("Wait returned %v, want nil after Stop", err)
	}
	if n.Ready() {
		t.Error("a stopped node is ready")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("its address is not free: %v", err)
	}
	l.Close()
}

func TestWaitEndsWithItsContext(t *testing.T) {
	n := start(t, config(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.Wait(ctx); err != nil {
		t.Errorf("Wait returned %v", err)
	}
}

func TestAnAddressOrFolderInUseIsNamed(t *testing.T) {
	c := config(t)
	n := start(t, c)
	natsAddress := strings.TrimPrefix(n.URL(), "nats://")
	for message, change := range map[string]func(*node.Config){
		"store folder":      func(*node.Config) {},
		"is in use":         func(c *node.Config) { c.DataDir, c.NATSListen = t.TempDir(), natsAddress },
		"--http-listen":     func(c *node.Config) { c.DataDir, c.HTTPListen = t.TempDir(), n.HTTPAddr() },
		"connect to nats:/": func(c *node.Config) { c.NATS.URL = "nats://" + closed(t) },
	} {
		second := c
		change(&second)
		// A start that waits for a missing server fails when its time is up; the others
		// fail at once, however slow that is.
		within := patience
		if second.NATS.URL != "" {
			within = 500 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), within)
		_, err := node.Start(ctx, second)
		cancel()
		if err == nil || !strings.Contains(err.Error(), message) || strings.Contains(err.Error(), "\n") {
			t.Errorf("started with %v; want one line with %q", err, message)
		}
	}
}

// closed is an address without a listener.
func closed(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestAStandbyTakesOver(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.Prefix, c.NATS.URL = "", "acme", server.ClientURL()
	leading := start(t, c)
	asking, done := ask(t, leading, "acme")
	name := schema.PlanName{Station: "s", PlanID: "p"}
	hour, ever := int64(1), int64(-1)
	_, err := asking.Plans().Create(t.Context(), schema.Plan{
		Station: name.Station, PlanID: name.PlanID, Command: "c",
		Schedule: schema.Schedule{PlanType: schema.TypeHour, PlanValue: &hour, PlanRepet: &ever},
	})
	if err != nil {
		t.Fatal(err)
	}
	done()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	standby, err := node.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, standby) })
	if err := standby.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	stop(t, leading)
	asking, done = ask(t, standby, "acme")
	defer done()
	// The follower is ready as soon as it knows a leader. Until it notices that this leader
	// is gone, the request is repeated.
	if _, err := asking.PlanNamed(name).Get(ctx); err != nil {
		t.Errorf("the plan is gone with its leader: %v", err)
	}
}

// NATS delivers a request to any node; a follower forwards it to the leader.
func TestEveryNodeTakesRequests(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.Prefix, c.NATS.URL = "", "acme", server.ClientURL()
	leading, standby := start(t, c), start(t, c)
	asking, done := ask(t, leading, "acme")
	defer done()
	hour, ever := int64(1), int64(-1)
	for i := range 50 {
		created, err := asking.Plans().Create(t.Context(), schema.Plan{
			Station: "s", PlanID: fmt.Sprint("p", i), Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeHour, PlanValue: &hour, PlanRepet: &ever},
		})
		if err != nil || !created.Created {
			t.Fatalf("plan %d: %+v, %v", i, created, err)
		}
		if _, err := asking.Plan("s", created.PlanID).Get(t.Context()); err != nil {
			t.Fatalf("plan %d was created and is not found: %v", i, err)
		}
	}
	// The test shows something only if both nodes have answered.
	nc, err := nats.Connect(server.ClientURL(), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.PublishRequest("$SRV.STATS.plans", inbox, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m, err := sub.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		var stats micro.Stats
		if err := json.Unmarshal(m.Data, &stats); err != nil {
			t.Fatal(err)
		}
		taken := 0
		for _, e := range stats.Endpoints {
			taken += e.NumRequests
		}
		if taken == 0 {
			t.Errorf("node %s has taken no request", stats.Metadata["node"])
		}
	}
	stop(t, standby)
}
