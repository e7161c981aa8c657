package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The next leader does everything that a stopped leader has not begun, so that no request
// is left in doubt.
func TestAGracefulStopLeavesNoRequestInDoubt(t *testing.T) {
	server := external(t)
	c := config(t)
	c.DataDir, c.Prefix, c.NATS.URL = "", "acme", server.ClientURL()
	nodes := []*node.Node{start(t, c), start(t, c), start(t, c)}
	nc, err := nats.Connect(server.ClientURL(), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	stopped := make(chan struct{})
	var users sync.WaitGroup
	made := make([]int, 20)
	for u := range made {
		users.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stopped:
					made[u] = i
					return
				default:
				}
				body := fmt.Sprintf(`{"station":"s","plan_id":"p%d-%d","command":"c","plan_type":"hour","plan_value":1,"plan_repet":-1}`, u, i)
				m, err := nc.Request("acme.plans.create", []byte(body), patience)
				if err == nil && strings.Contains(string(m.Data), "this node is stopping") {
					i-- // the request did nothing, and there is another node: ask again
					continue
				}
				if err != nil || m.Header.Get("Nats-Service-Error") != "" {
					t.Errorf("plan %d of user %d: %v %v", i, u, m, err)
					return
				}
			}
		})
	}
	for _, n := range nodes[:2] {
		stop(t, n)
	}
	close(stopped)
	users.Wait()
	total := 0
	for _, n := range made {
		total += n
	}
	if total < len(made) {
		t.Errorf("%d plans were made, too few to show anything", total)
	}
}

// A stopped node hands over its partitions at once, not when its HTTP calls have ended, and
// the next leader receives the results of those calls.
func TestAStopHandsOverWhileItsCallsGoOn(t *testing.T) {
	server := external(t)
	c := local(t)
	c.DataDir, c.NATS.URL, c.Node = "", server.ClientURL(), "first"
	first := start(t, c)
	c.HTTPWorker.Concurrency, c.Node = 0, "second"
	s := open(t, c)

	defer http.DefaultClient.CloseIdleConnections()
	called, ended := make(chan struct{}), make(chan struct{})
	target := web(t, func(w http.ResponseWriter, _ *http.Request) {
		close(called)
		<-ended
		fmt.Fprint(w, "well")
	})
	s.create(t, "p", `{"target_url":"`+target.URL+`"}`)
	<-called
	stopped := make(chan struct{})
	go func() { // ends with the test
		defer close(stopped)
		stop(t, first)
	}()
	s.awaitLeader(t, "second")
	rest(t, first, http.MethodGet, "/healthz", "", 200)
	rest(t, first, http.MethodGet, "/readyz", "", 503)
	select {
	case <-stopped:
		t.Error("it has stopped, and its call is under way")
	default:
	}
	close(ended)
	if r := s.result(t); r.State != schema.StateOK {
		t.Errorf("the call came to %s: %v", r.State, r.Error)
	}
	<-stopped
}

// awaitLeader returns when a node of that name leads.
func (s *site) awaitLeader(t *testing.T, name string) {
	t.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	leaders, err := js.KeyValue(t.Context(), "leaders")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	watch, err := leaders.Watch(ctx, "0")
	if err != nil {
		t.Fatal(err)
	}
	for e := range watch.Updates() {
		var lease struct {
			Node  string
			Epoch int64
		}
		if e != nil && json.Unmarshal(e.Value(), &lease) == nil && lease.Node == name && lease.Epoch > 0 {
			return
		}
	}
	t.Fatalf("%s does not lead", name)
}

// A load balancer accepts connections also while no server is behind it.
func TestAServerThatIsNotThereBehindABalancerIsWaitedFor(t *testing.T) {
	server := external(t)
	balancer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var carrying sync.WaitGroup
	carrying.Go(func() {
		for turned := 0; ; turned++ {
			in, err := balancer.Accept()
			if err != nil {
				return
			}
			if turned < 3 {
				_ = in.Close()
				continue
			}
			out, err := net.Dial("tcp", strings.TrimPrefix(server.ClientURL(), "nats://"))
			if err != nil {
				_ = in.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
				carrying.Go(func() {
					_, _ = io.Copy(pair[0], pair[1]) // until either side ends
					_, _ = pair[0].Close(), pair[1].Close()
				})
			}
		}
	})
	t.Cleanup(func() {
		_ = balancer.Close()
		carrying.Wait()
	})
	c := config(t)
	c.DataDir, c.NATS.URL = "", "nats://"+balancer.Addr().String()
	stop(t, start(t, c))
}
