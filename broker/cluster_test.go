package broker_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// A cluster is three servers that replicate, and a fourth that may join them, as far as
// they are started. A new cluster begins with three.
type cluster struct {
	t       *testing.T
	options []embed.Options
	servers []*embed.Server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, servers: make([]*embed.Server, 4)}
	var addresses, routes []string
	for i := range c.servers {
		address, err := port.Free()
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, address)
		if i < 3 {
			routes = append(routes, "nats://"+addresses[i])
		}
	}
	for i := range c.servers {
		c.options = append(c.options, embed.Options{
			StoreDir: t.TempDir(),
			Name:     fmt.Sprint("n", i),
			Listen:   "127.0.0.1:0",
			Cluster:  embed.Cluster{Name: "c", Listen: addresses[i], Routes: routes},
			Logger:   quiet(t).Logger,
		})
	}
	return c
}

// start starts some of the servers side by side, and returns when all of them are ready.
func (c *cluster) start(which ...int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for _, i := range which {
		wg.Go(func() {
			s, err := embed.Start(ctx, c.options[i])
			if err != nil {
				c.t.Error(err)
				return
			}
			c.servers[i] = s
			c.t.Cleanup(func() { s.Shutdown() }) //nolint:errcheck // the folder goes too
		})
	}
	wg.Wait()
	if c.t.Failed() {
		c.t.FailNow()
	}
}

// connect opens a connection to one of the servers.
func (c *cluster) connect(i int) *nats.Conn {
	c.t.Helper()
	nc, err := c.servers[i].Connect(nats.ReconnectBufSize(-1), nats.Timeout(brokertest.Patience))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(nc.Close)
	return nc
}

// logged passes log messages to a test that waits for one of them.
type logged struct {
	slog.Handler
	lines chan string
}

func (l logged) Handle(_ context.Context, r slog.Record) error {
	l.lines <- r.Message
	return nil
}

// A cluster is asked for more replicas than it has servers yet.
func TestAClusterThatIsNotCompleteIsWaitedFor(t *testing.T) {
	c := newCluster(t)
	c.start(0, 1, 2)
	lines := make(chan string, 100)
	cfg := quiet(t)
	cfg.Replicas = 4
	cfg.Logger = slog.New(logged{Handler: slog.NewTextHandler(t.Output(), nil), lines: lines})
	nc := c.connect(0)
	provisioned := make(chan error, 1)
	go func() {
		_, err := broker.Provision(t.Context(), nc, cfg)
		provisioned <- err
	}()
	// On a stalled machine the log has other lines, too.
	for line := ""; line != "waiting for the cluster"; {
		select {
		case line = <-lines:
		case err := <-provisioned:
			t.Fatalf("three servers gave four replicas: %v", err)
		}
	}
	c.start(3)
	if err := <-provisioned; err != nil {
		t.Error(err)
	}
	// Provision waits for a server, then perhaps for leaders, and logs either.
	logged := false
	for len(lines) > 0 {
		logged = <-lines == "the cluster is complete" || logged
	}
	if !logged {
		t.Error("it does not report that the cluster exists")
	}
}

// A cluster has one error code for every reason why a stream cannot be placed. Lack of
// storage is permanent, while a server that is away may come with some.
func TestReasonWhyAClusterPlacesNoStream(t *testing.T) {
	for text, want := range map[string]bool{
		"no suitable peers for placement, insufficient storage":               true,
		"no suitable peers for placement, peer offline":                       false,
		"no suitable peers for placement, peer offline, insufficient storage": false,
		"no suitable peers for placement":                                     false,
	} {
		err := fmt.Errorf("create stream: %w", &jetstream.APIError{Code: 400, ErrorCode: 10005, Description: text})
		if got := broker.NoRoom(err); got != want {
			t.Errorf("%s: no room %v", text, got)
		}
	}
}

// Each stream changes its leader again and again while it is written to. The cluster then
// answers with spurious refusals and stale reads.
func TestWritingWhileAClusterChangesItsLeaders(t *testing.T) {
	c := newCluster(t)
	c.start(0, 1, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	nc := c.connect(0)
	cfg := quiet(t)
	cfg.Replicas = 3
	full := brokertest.Disk(&cfg, errFull)
	s := brokertest.Store(t, nc, cfg)
	full.Store(true)
	if s.Room() == nil || s.Full() != nil {
		t.Errorf("one node has no room: %v; no node can write: %v", s.Room(), s.Full())
	}
	full.Store(false)
	p, err := s.Journal(0).Seize(ctx, "a", epoch0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	chains := []*broker.Chain{s.TableChain(0), s.ResultsChain(0)}
	for _, c := range chains {
		if _, err := c.Fence(ctx, p.Epoch(), "a"); err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	wantAppends, wantResults := []string{"a+"}, []string(nil)
	for i := range 40 {
		if i%5 == 3 {
			for _, stream := range []string{"PLAN_JOURNAL", "KV_plans", "PLAN_RESULTS"} {
				if err := nc.PublishRequest("$JS.API.STREAM.LEADER.STEPDOWN."+stream, "nobody", nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		body := fmt.Sprint(i)
		seq, err := p.Append(ctx, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		batches := [][]*nats.Msg{rows(s, "plan.s."+body), {{Subject: "plan.result.s.1", Data: []byte(body)}}}
		for k, c := range chains {
			if err := c.Write(ctx, batches[k], upTo(seq+1)); err != nil {
				t.Fatal(err)
			}
		}
		wantAppends, wantResults = append(wantAppends, "a:"+body), append(wantResults, body)
	}
	if diff := cmp.Diff(wantAppends, replayTo(t, s, 0, p.Seq())); diff != "" {
		t.Error(diff)
	}
	if got := len(scanTo(t, s, chains[0].Revision())); got != 40 {
		t.Errorf("%d rows", got)
	}
	waitForAnOldEnd(ctx, t, s, nc, p)
	scanPastAnOldEnd(ctx, t, s, nc, chains[0], p.Seq())
	got := results(t, s, "s", "1")
	for len(got) < len(wantResults) && ctx.Err() == nil {
		got = results(t, s, "s", "1") // a replica may lag
	}
	if diff := cmp.Diff(wantResults, got); diff != "" {
		t.Error(diff)
	}
}

// waitForAnOldEnd replays up to an append that is made after the journal was read. A server
// that has just become leader and has not caught up shows such an old end.
func waitForAnOldEnd(ctx context.Context, t *testing.T, s *broker.Store, nc *nats.Conn, p *broker.Appender) {
	t.Helper()
	asked := make(chan *nats.Msg, 100)
	if _, err := nc.ChanSubscribe("$JS.API.STREAM.INFO.PLAN_JOURNAL", asked); err != nil {
		t.Fatal(err)
	}
	from := p.Seq()
	read := make(chan error, 1)
	var got []string
	go func() {
		read <- s.Journal(0).Replay(ctx, from, from+1, func(a broker.Append) error {
			got = append(got, brief(a))
			return nil
		})
	}()
	select {
	case <-asked:
	case err := <-read:
		t.Fatalf("messages behind the end were read: %v", err)
	}
	if _, err := p.Append(ctx, []byte("late")); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"a:late"}, got); diff != "" {
		t.Error(diff)
	}
}

// scanPastAnOldEnd scans the bucket up to a sequence that is written after its end was
// read, because a server that has not caught up shows such an end. Rows behind it must
// come, and rows removed there must not.
func scanPastAnOldEnd(ctx context.Context, t *testing.T, s *broker.Store, nc *nats.Conn, c *broker.Chain, taken uint64) {
	t.Helper()
	if err := c.Write(ctx, rows(s, "plan.s.gone"), upTo(taken)); err != nil {
		t.Fatal(err)
	}
	asked := make(chan *nats.Msg, 1000)
	if _, err := nc.ChanSubscribe("$JS.API.STREAM.INFO.KV_plans", asked); err != nil {
		t.Fatal(err)
	}
	behind := append(rows(s, "plan.s.late"), s.Table(0).Unset("plan.s.gone"))
	least := c.Revision() + 1 + 1 + uint64(len(behind)) // behind one row and the next fence
	var keys []string
	scanned := make(chan error, 1)
	go func() {
		scanned <- s.Table(0).Scan(ctx, least, func(key string, value []byte, _ uint64) error {
			if value != nil {
				keys = append(keys, key)
			}
			return nil
		})
	}()
	for range 3 { // when the scan begins, and twice when the end is missing
		select {
		case <-asked:
		case err := <-scanned:
			t.Fatalf("it ends below %d: %v", least, err)
		}
	}
	if err := c.Write(ctx, behind, upTo(taken)); err != nil {
		t.Fatal(err)
	}
	if err := <-scanned; err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(keys, "plan.s.late") || slices.Contains(keys, "plan.s.gone") {
		t.Errorf("it finds %v", keys)
	}
}
