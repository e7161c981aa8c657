package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// presenceEvery is how often the record is put: the bucket expires it
	// (PROTOCOL B, "A worker appears").
	presenceEvery   = 10 * time.Second
	presenceTimeout = 2 * time.Second
)

// presence keeps this worker's record in bucket workers, by plain publishes to
// the key's subject. A scheduler needs it to find work for a new worker at once;
// a worker that may not write it, or finds no bucket, works all the same.
type presence struct {
	nc      *nats.Conn
	log     *slog.Logger
	subject string
	record  func() schema.Worker

	quit context.CancelFunc
	loop sync.WaitGroup
	mute bool // the first failure was logged
}

func (p *presence) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.quit = cancel
	p.loop.Go(func() {
		tick := time.NewTicker(presenceEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			p.put(ctx)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
}

// stop removes the record, if there is one. It waits for no answer: the bucket
// would expire it.
func (p *presence) stop() {
	if p.quit == nil {
		return
	}
	p.quit()
	p.loop.Wait()
	err := p.nc.PublishMsg(&nats.Msg{Subject: p.subject, Header: nats.Header{"KV-Operation": {"DEL"}}})
	if err != nil {
		p.log.Debug("presence not removed", "error", err)
	}
}

func (p *presence) put(ctx context.Context) {
	body, err := wire.Marshal(wire.JSON, p.record())
	if err == nil {
		err = p.request(ctx, body)
	}
	if err != nil && ctx.Err() == nil && !p.mute {
		p.mute = true
		p.log.Debug("presence not recorded", "subject", p.subject, "error", err)
	}
}

// request puts the record and reads JetStream's answer to it.
func (p *presence) request(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, presenceTimeout)
	defer cancel()
	answer, err := p.nc.RequestWithContext(ctx, p.subject, body)
	if err != nil {
		return fmt.Errorf("put presence: %w", err)
	}
	v, err := wire.Scan(answer.Data, wire.Limits{})
	if err != nil {
		return fmt.Errorf("put presence: %w", err)
	}
	if refused := v.Field("error"); !refused.IsZero() {
		text, _ := refused.Field("description").Text()
		return fmt.Errorf("put presence: %s", text)
	}
	return nil
}
