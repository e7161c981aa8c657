package node

import (
	"context"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

// startWithin bounds the start of the embedded nats-server, which reads all of its streams:
// a million plans take some ten seconds.
const startWithin = 5 * time.Minute

func (n *Node) embed(ctx context.Context) (*embed.Server, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, fmt.Errorf("not ready within %v", startWithin))
	defer cancel()
	o := embed.Options{
		StoreDir:     n.cfg.DataDir,
		Listen:       n.cfg.NATSListen,
		MaxConns:     connections(n.cfg.NATSMaxConnections),
		Name:         n.cfg.Node,
		SyncAlways:   n.cfg.Sync == 0,
		SyncInterval: n.cfg.Sync,
		Cluster: embed.Cluster{
			Name: n.cfg.Cluster.Name, Listen: n.cfg.Cluster.Listen, Routes: n.cfg.Cluster.Routes,
			Advertise: n.cfg.Cluster.advertised(), MaxConns: strangers(),
		},
		Unwell: n.waitsForServer,
		Logger: n.log,
	}
	if err := n.cfg.secure(&o, n.log); err != nil {
		return nil, err
	}
	return embed.Start(ctx, o)
}

// waitsForServer keeps the reason why the embedded server has not started yet; nil: none.
func (n *Node) waitsForServer(unwell error) {
	if unwell == nil {
		n.obstacle.Store(nil)
		return
	}
	err := fmt.Errorf("the node is starting, and nats-server is unhealthy: %w", unwell)
	n.obstacle.Store(&err)
}
