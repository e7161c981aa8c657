package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// Stop ends the node, in this order: leadership passes to other nodes, if there are any;
// live streams end; requests; HTTP calls; executions, and the lease is released;
// connections; HTTP; the embedded nats-server. When ctx ends it waits no longer for any of
// them, but stops them all. A second call, also a concurrent one, waits for the first and
// returns the same.
func (n *Node) Stop(ctx context.Context) error {
	n.once.Do(func() {
		n.stopping.Store(true)
		if n.scheduler != nil {
			n.scheduler.Resign()
		}
		n.stopErr = errors.Join(
			n.stopGateway(ctx),
			n.stopFront(),
			n.stopHTTPStation(ctx),
			n.stopScheduler(ctx),
			drain(ctx, n.requests),
			drain(ctx, n.dispatch),
			drain(ctx, n.control),
			n.stopHTTP(ctx),
			n.closeGateway(ctx),
			n.stopServer(),
		)
	})
	return n.stopErr
}

func (n *Node) stopFront() error {
	if n.front == nil {
		return nil
	}
	if err := n.front.Stop(); err != nil {
		return fmt.Errorf("stop the services: %w", err)
	}
	return nil
}

func (n *Node) stopScheduler(ctx context.Context) error {
	n.end(errStopped)
	stopped := make(chan struct{})
	go func() { // it ends with the last part
		n.parts.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop the scheduler: %w", context.Cause(ctx))
	}
}

func (n *Node) stopHTTP(ctx context.Context) error {
	if n.probes == nil {
		return nil
	}
	return n.probes.close(ctx)
}

func (n *Node) stopServer() error {
	if n.server == nil {
		return nil
	}
	if err := n.server.Shutdown(); err != nil {
		return fmt.Errorf("stop nats-server: %w", err)
	}
	return nil
}

// drain sends buffered messages, handles those that have arrived, and closes nc.
func drain(ctx context.Context, nc *nats.Conn) error {
	if nc == nil || nc.IsClosed() {
		return nil
	}
	closed := nc.StatusChanged(nats.CLOSED)
	defer nc.RemoveStatusListener(closed)
	defer nc.Close()
	if err := nc.Drain(); err != nil {
		if nc.IsReconnecting() || nc.IsClosed() {
			return nil // there is no server to send it to
		}
		return fmt.Errorf("drain connection %q: %w", nc.Opts.Name, err)
	}
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("drain connection %q: %w", nc.Opts.Name, context.Cause(ctx))
	}
}
