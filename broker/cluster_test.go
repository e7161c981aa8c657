package broker_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/broker/embed"
)

// cluster starts three servers that replicate.
func cluster(t *testing.T) []*embed.Server {
	t.Helper()
	var addresses, routes []string
	var listeners []net.Listener // held until all have their own address
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		addresses = append(addresses, l.Addr().String())
		routes = append(routes, "nats://"+l.Addr().String())
	}
	for _, l := range listeners {
		l.Close()
	}
	servers := make([]*embed.Server, 3)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for i := range servers {
		o := embed.Options{
			StoreDir: t.TempDir(),
			Name:     fmt.Sprint("n", i),
			Listen:   "127.0.0.1:0",
			Cluster:  embed.Cluster{Name: "c", Listen: addresses[i], Routes: routes},
			Logger:   quiet(t).Logger,
		}
		wg.Go(func() {
			s, err := embed.Start(ctx, o)
			if err != nil {
				t.Error(err)
				return
			}
			servers[i] = s
			t.Cleanup(func() { s.Shutdown() }) //nolint:errcheck // the folder goes too
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	awaitPeers(t, servers[0])
	return servers
}

// awaitPeers returns when the cluster has room for three replicas: its leader hears of
// the other servers one by one.
func awaitPeers(t *testing.T, s *embed.Server) {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	config := jetstream.StreamConfig{Name: "peers", Storage: jetstream.MemoryStorage, Replicas: 3}
	for end := time.Now().Add(time.Minute); ; {
		_, err := js.CreateStream(t.Context(), config)
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if err := js.DeleteStream(t.Context(), config.Name); err != nil {
		t.Fatal(err)
	}
}

// Each stream changes its leader again and again while it is written to. Refusals
// without a cause and stale reads are what a cluster then gives (JOURNAL.md).
func TestWritingWhileAClusterChangesItsLeaders(t *testing.T) {
	servers := cluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	nc, err := servers[0].Connect(nats.ReconnectBufSize(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	cfg := quiet(t)
	cfg.Replicas = 3
	s := brokertest.Store(t, nc, cfg)
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
	if diff := cmp.Diff(wantAppends, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
	if got := len(scan(t, s)); got != 40 {
		t.Errorf("%d rows", got)
	}
	got := results(t, s, "s", "1")
	for len(got) < len(wantResults) && ctx.Err() == nil {
		got = results(t, s, "s", "1") // a replica may lag
	}
	if diff := cmp.Diff(wantResults, got); diff != "" {
		t.Error(diff)
	}
}
