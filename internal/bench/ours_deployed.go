package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A deployment is an installation with its parts in processes of their own, over TCP.
type deployment struct {
	s       *suite
	url     string
	nodes   []int // the processes of servers and schedulers
	nc      *nats.Conn
	stored  counter
	ledger  *ledger // of the product alone
	parts   []*partProcess
	running []*nodeProcess

	worker, observer, publisher, least *partProcess
}

// A shape has the parts of a deployment.
type shape struct {
	nodes   int  // 1, or more for a cluster
	least   bool // the nodes are nats-servers, and the least loop is beside them
	apart   bool // the nats-server is a process of its own, too
	library bool // the worker is that of our library
	plans   int
	sampled sampling
}

// longestDeployment bounds a deployment in which a part does not answer.
const longestDeployment = 15 * time.Minute

// deploy starts the parts of a shape, calls f, and stops them.
func (s *suite) deploy(ctx context.Context, what shape, f func(ctx context.Context, d *deployment) error) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longestDeployment+2*s.Duration, errors.New("a part does not answer"))
	defer cancel()
	dir, err := os.MkdirTemp(s.Dir, "deployed-")
	if err != nil {
		return fmt.Errorf("make store: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &deployment{s: s}
	// An error of f hides those of stop, because its parts then end in disorder.
	defer func() {
		if stopped := d.stop(); err == nil {
			err = stopped
		}
	}()
	if err := d.start(ctx, what, dir); err != nil {
		return err
	}
	return f(ctx, d)
}

func (d *deployment) start(ctx context.Context, what shape, dir string) error {
	c := partConfig{Plans: what.plans, Library: what.library, Least: what.least, Sampled: what.sampled}
	err := d.startServers(ctx, what, dir)
	if err != nil {
		return err
	}
	if !what.least {
		if err := d.startNodes(ctx, what, dir); err != nil {
			return err
		}
	}
	if d.nc, err = nats.Connect(d.url, nats.Name("auditor")); err != nil {
		return fmt.Errorf("connect to %s: %w", d.url, err)
	}
	c.URL = d.url
	if d.observer, err = d.part(ctx, "observer", c); err != nil {
		return err
	}
	if d.worker, err = d.part(ctx, "worker", c); err != nil {
		return err
	}
	if what.least {
		return d.startLeast(ctx, c, what.nodes)
	}
	if d.publisher, err = d.part(ctx, "publisher", c); err != nil {
		return err
	}
	if d.ledger, err = openLedger(ctx, d.nc); err != nil {
		return err
	}
	d.stored = d.ledger.stored
	return nil
}

// startServers runs the nats-servers outside the product's processes.
func (d *deployment) startServers(ctx context.Context, what shape, dir string) error {
	if !what.apart && !what.least {
		return nil
	}
	var routes []string
	if what.nodes > 1 {
		var err error
		if routes, err = freeAddresses(what.nodes); err != nil {
			return err
		}
	}
	var urls []string
	for i := range max(len(routes), 1) {
		c := serverConfig{Store: filepath.Join(dir, fmt.Sprintf("server%d", i)), Routes: routes, Node: i}
		server, err := d.part(ctx, "server", partConfig{Server: c})
		if err != nil {
			return err
		}
		urls = append(urls, server.first.URL)
		d.nodes = append(d.nodes, server.cmd.Process.Pid)
	}
	d.url = strings.Join(urls, ",")
	return nil
}

func (d *deployment) startLeast(ctx context.Context, c partConfig, replicas int) (err error) {
	c.Loop = BareLeast{Outstanding: c.Plans, Replicas: replicas}.withDefaults()
	if d.least, err = d.part(ctx, "least", c); err != nil {
		return err
	}
	d.nodes = append(d.nodes, d.least.cmd.Process.Pid)
	d.stored = leastStored(d.nc, c.Loop.PayloadBytes)
	return nil
}

func (d *deployment) part(ctx context.Context, role string, c partConfig) (*partProcess, error) {
	p, err := startPart(d.s.Part(ctx, role), role, c)
	if err == nil {
		d.parts = append(d.parts, p)
	}
	return p, err
}

// startNodes runs the product's nodes: one on a store of its own, one on the running
// nats-server, or a cluster.
func (d *deployment) startNodes(ctx context.Context, what shape, dir string) error {
	routes, err := freeAddresses(what.nodes)
	if err != nil {
		return err
	}
	for i, address := range routes {
		var flags []string
		switch {
		case what.apart:
			flags = []string{"--nats-url", d.url}
		case what.nodes > 1:
			flags = []string{
				"--node", fmt.Sprintf("n%d", i), "--cluster-name", "bench", "--cluster-listen", address,
				"--cluster-routes", "nats://" + strings.Join(routes, ",nats://"),
			}
		}
		n, err := startNode(d.s.Serve(ctx, filepath.Join(dir, fmt.Sprintf("node%d", i)), flags...))
		if err != nil {
			return err
		}
		d.running, d.nodes = append(d.running, n), append(d.nodes, n.cmd.Process.Pid)
	}
	var urls []string
	for _, n := range d.running { // none is ready before most of them run
		url, err := n.ready()
		if err != nil {
			return err
		}
		urls = append(urls, url)
	}
	if !what.apart {
		d.url = strings.Join(urls, ",")
	}
	return nil
}

// freeAddresses returns n addresses with free ports.
func freeAddresses(n int) (free []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("look for a port: %w", err)
		}
		defer func() { _ = l.Close() }() // at the end, so that all ports differ
		free = append(free, l.Addr().String())
	}
	return free, nil
}

// stop ends the parts, then the nodes.
func (d *deployment) stop() error {
	var errs []error
	if d.nc != nil {
		d.nc.Close()
	}
	for i := len(d.parts) - 1; i >= 0; i-- {
		errs = append(errs, d.parts[i].stop())
	}
	for _, n := range d.running {
		n.kill()
	}
	return errors.Join(errs...)
}

func (d *deployment) outside() outside {
	return outside{
		ended: d.worker.counter(), received: d.observer.counter(), stored: d.storedExecutions,
		cpu: func() (time.Duration, error) {
			sum, _, err := processorTime(d.nodes)
			return sum, err
		},
	}
}

// storedExecutions counts the stored results without those of skipped occurrences, because
// no worker has ended those.
func (d *deployment) storedExecutions(ctx context.Context) (int64, error) {
	stored, err := d.stored(ctx)
	if err != nil {
		return 0, err
	}
	w, err := d.observer.ask(order{Do: doCount})
	return stored - w.Other, err
}

// A record holds the samples of worker and observer, once no execution is under way any more.
type record struct {
	worked, received partReply
	stored           int64
}

// finish waits until all executions have ended, and fails unless the answered executions, the
// received results and the stored ones are the same.
func (d *deployment) finish(ctx context.Context, plans int) (r record, err error) {
	if d.least != nil {
		_, err = d.least.ask(order{Do: doFinish})
	} else if plans > 0 {
		_, err = d.publisher.ask(order{Do: doClose, N: int64(plans)})
	}
	if err != nil {
		return r, err
	}
	if r.worked, err = d.worker.ask(order{Do: doFinish}); err != nil {
		return r, err
	}
	if r.received, err = d.observer.ask(order{Do: doFinish}); err != nil {
		return r, err
	}
	if r.stored, err = d.stored(ctx); err != nil {
		return r, err
	}
	return r, r.agrees()
}

func (r record) agrees() error {
	if r.worked.N != r.received.N || r.received.N+r.received.Other != r.stored {
		return fmt.Errorf("%d executions were answered; %d results of them were received and %d others, and %d are stored",
			r.worked.N, r.received.N, r.received.Other, r.stored)
	}
	for i, worked := range r.worked.Plans {
		if received := r.received.Plans[i]; worked != received {
			return fmt.Errorf("plan %d: %d executions were answered, the sum of their numbers is %d; of their results %d and %d were received",
				i, worked.N, worked.Sum, received.N, received.Sum)
		}
	}
	return nil
}
