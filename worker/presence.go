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

// presenceEvery is how often a worker says that it is here: who was silent for three
// times as long counts as gone.
const presenceEvery = 10 * time.Second

// presence says at each station of this worker that it is here, by plain messages that
// nobody answers. A scheduler needs it to find work for a new worker at once; a worker
// that may not say it works all the same.
type presence struct {
	nc       *nats.Conn
	log      *slog.Logger
	subjects []string // one for each station
	says     func() schema.Here

	quit context.CancelFunc
	loop sync.WaitGroup
	mute bool // the first failure was logged
}

// start says it now, and from then on every few seconds and whenever the connection is
// back: a server that was away has told nobody.
func (p *presence) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.quit = cancel
	back := p.nc.StatusChanged(nats.CONNECTED)
	p.loop.Go(func() {
		defer p.nc.RemoveStatusListener(back)
		tick := time.NewTicker(presenceEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			p.say(p.says())
			select {
			case <-ctx.Done():
			case <-back:
			case <-tick.C:
			}
		}
	})
}

// stop says that the worker leaves.
func (p *presence) stop() {
	if p.quit == nil {
		return
	}
	p.quit()
	p.loop.Wait()
	p.say(schema.Here{Gone: true})
}

func (p *presence) say(here schema.Here) {
	body, err := wire.Marshal(wire.JSON, here)
	for _, subject := range p.subjects {
		if err == nil {
			err = p.nc.Publish(subject, body)
		}
	}
	if err != nil && !p.mute {
		p.mute = true
		p.log.Debug("presence not told", "error", err)
	}
}
