//go:build linux

package chaos

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestPartitionsCarryMore prints the throughput of one partition and of four, on two nodes
// over three nats-servers, and its costs. Next to each other on few processors four gain
// nothing, because an append of one carries everything that has gathered during the append
// before. If the servers are apart, one partition waits for them most of the time, and four
// wait together, as long as there are processors left.
func TestPartitionsCarryMore(t *testing.T) {
	if !*measures {
		t.Skip("-measure is not given")
	}
	for _, apart := range []time.Duration{0, 10 * time.Millisecond} {
		t.Run(fmt.Sprint(apart, " apart"), func(t *testing.T) {
			for _, partitions := range []int{1, 4} {
				t.Run(fmt.Sprint(partitions), func(t *testing.T) { carry(t, partitions, apart) })
			}
		})
	}
}

// carry measures for some seconds.
func carry(t *testing.T, partitions int, apart time.Duration) {
	in := build(t, setup{name: "carry", hosts: 3, nodes: 2, partitions: partitions, apart: apart})
	in.awaitShares()
	count := tallied(in, 400, []byte(`{"state":"ok"}`), func(int) body {
		return body{"plan_type": "second", "plan_value": 0, "plan_repet": -1, "log": "trigger"}
	})
	rest(t.Context(), 5*time.Second)
	began, did, appends, nodes, servers := time.Now(), count.Load(), in.appends(), in.used(true), in.used(false)
	rest(t.Context(), 12*time.Second)
	lasted, done := time.Since(began).Seconds(), float64(count.Load()-did)
	written := float64(in.appends() - appends)
	t.Logf("%d partitions: %.0f executions a second, in %.0f appends of %.1f each; "+
		"processor time of an execution: %.0f µs of the nodes, %.0f µs of the servers",
		partitions, done/lasted, written/lasted, done/written,
		float64((in.used(true)-nodes).Microseconds())/done, float64((in.used(false)-servers).Microseconds())/done)
}

// awaitShares waits until all nodes lead the same number of partitions.
func (in *installation) awaitShares() {
	for end := time.Now().Add(patience); time.Now().Before(end); rest(in.t.Context(), 100*time.Millisecond) {
		least, most := in.partitions, 0
		for _, n := range in.nodes {
			least, most = min(least, len(in.leads(n.name))), max(most, len(in.leads(n.name)))
		}
		if most-least <= 1 && most*len(in.nodes) >= in.partitions {
			return
		}
	}
	in.t.Fatal("the partitions are not shared out")
}

// appends is the number of appends so far, in all journals.
func (in *installation) appends() (all uint64) {
	streams := in.jetStream("counter").ListStreams(in.t.Context(), jetstream.WithStreamListSubject("scheduler.journal.*"))
	for info := range streams.Info() {
		all += info.State.LastSeq
	}
	if err := streams.Err(); err != nil {
		in.t.Fatal(err)
	}
	return all
}

// used is the processor time that the nodes, or the servers, have taken so far.
func (in *installation) used(nodes bool) (all time.Duration) {
	of := in.hosts
	if nodes {
		of = nil
		for _, n := range in.nodes {
			of = append(of, n.process)
		}
	}
	for _, p := range of {
		all += used(in.t, p)
	}
	return all
}

// A distance is the connection to a distant server: each byte is delayed by the same time,
// however many there are.
type distance struct {
	listener net.Listener
	target   string
	late     time.Duration
	wg       sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

func newDistance(t *testing.T, target string, late time.Duration) *distance {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &distance{listener: l, target: target, late: late}
	d.wg.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close() // the server does not listen yet; its peer tries again
				continue
			}
			d.mu.Lock()
			d.conns = append(d.conns, near, far)
			d.mu.Unlock()
			d.carry(near, far)
			d.carry(far, near)
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		d.mu.Lock()
		for _, c := range d.conns {
			_ = c.Close()
		}
		d.mu.Unlock()
		d.wg.Wait()
	})
	return d
}

// carry copies one direction. Its buffer is large, so that delayed bytes do not hold up
// later ones.
func (d *distance) carry(to, from net.Conn) {
	type piece struct {
		bytes []byte
		due   time.Time
	}
	way := make(chan piece, 1<<16)
	d.wg.Go(func() {
		defer close(way)
		for {
			buf := make([]byte, 64<<10)
			n, err := from.Read(buf)
			if n > 0 {
				way <- piece{buf[:n], time.Now().Add(d.late)}
			}
			if err != nil {
				return
			}
		}
	})
	d.wg.Go(func() {
		for p := range way {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.bytes); err != nil {
				_ = from.Close()
				break
			}
		}
		_ = to.Close()
		for range way { // until the reader has seen its end
		}
	})
}
