package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// presenceEvery is the interval of presence messages. A worker without one for three times as
// long counts as gone.
const presenceEvery = 10 * time.Second

// presence announces this worker at each of its stations, by plain messages without an answer.
// A scheduler needs them to find work for a new worker at once. A worker also works without
// the permission to publish them.
type presence struct {
	nc       *nats.Conn
	log      *slog.Logger
	subjects []string // one for each station
	here     func() schema.Here

	quit   context.CancelFunc
	loop   sync.WaitGroup
	warned bool // the first failure was logged
}

// start announces the worker now, then every few seconds, and whenever the connection is back,
// because a server that was away has delivered nothing.
func (p *presence) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.quit = cancel
	back := p.nc.StatusChanged(nats.CONNECTED)
	p.loop.Go(func() {
		defer p.nc.RemoveStatusListener(back)
		tick := time.NewTicker(presenceEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			p.publish(p.here())
			select {
			case <-ctx.Done():
			case <-back:
			case <-tick.C:
			}
		}
	})
}

// stop announces that the worker leaves.
func (p *presence) stop() {
	if p.quit == nil {
		return
	}
	p.quit()
	p.loop.Wait()
	p.publish(schema.Here{Gone: true})
}

func (p *presence) publish(here schema.Here) {
	body, err := wire.Marshal(wire.JSON, here)
	for _, subject := range p.subjects {
		if err == nil {
			err = p.nc.Publish(subject, body)
		}
	}
	if err != nil && !p.warned {
		p.warned = true
		p.log.Debug("presence not published", "error", err)
	}
}
