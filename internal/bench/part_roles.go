package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A serverPart is a nats-server with nothing else.
type serverPart struct{ *engine }

func newServerPart(_ context.Context, c partConfig) (part, partReply, error) {
	e, err := startEngineAt(c.Server, "127.0.0.1", true)
	if err != nil {
		return nil, partReply{}, err
	}
	return serverPart{e}, partReply{URL: e.srv.ClientURL()}, nil
}

func (serverPart) do(context.Context, order) (partReply, error) { return partReply{}, nil }

// A leastPart takes the scheduler's place.
type leastPart struct {
	conns  []*nats.Conn
	enough chan sighting
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // once it has ended
}

func newLeastPart(ctx context.Context, c partConfig) (part, partReply, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &leastPart{enough: make(chan sighting, 1), cancel: cancel, ended: make(chan struct{})}
	l, err := newLeast(ctx, func(name string) (*nats.Conn, error) {
		nc, err := nats.Connect(c.URL, nats.Name(name))
		if err == nil {
			p.conns = append(p.conns, nc)
		}
		return nc, err
	}, c.Loop.withDefaults())
	if err != nil {
		close(p.ended)
		return nil, partReply{}, errors.Join(err, p.close())
	}
	go func() {
		defer close(p.ended)
		_, p.err = l.run(ctx, p.enough, nil)
	}()
	return p, partReply{}, nil
}

// do finishes the executions under way.
func (p *leastPart) do(context.Context, order) (partReply, error) {
	p.enough <- sighting{}
	<-p.ended
	return partReply{}, p.err
}

func (p *leastPart) close() error {
	p.cancel()
	<-p.ended
	for _, nc := range p.conns {
		nc.Close()
	}
	return nil
}

// A publisherPart creates and closes plans.
type publisherPart struct {
	nc *nats.Conn
	c  *client.Client
}

func newPublisherPart(_ context.Context, c partConfig) (part, partReply, error) {
	nc, err := nats.Connect(c.URL, nats.Name("publisher"))
	if err != nil {
		return nil, partReply{}, fmt.Errorf("connect publisher: %w", err)
	}
	p := publisherPart{nc: nc}
	if p.c, err = client.New(nc, client.Options{Timeout: time.Minute}); err != nil {
		nc.Close()
		return nil, partReply{}, err
	}
	return p, partReply{}, nil
}

func (p publisherPart) close() error {
	p.nc.Close()
	return nil
}

func (p publisherPart) do(ctx context.Context, o order) (partReply, error) {
	switch o.Do {
	case doImport:
		return partReply{}, importAll(ctx, p.c, o.Load.plans())
	case doClose:
		return partReply{}, closeAll(ctx, p.c, int(o.N))
	default:
		return partReply{}, fmt.Errorf("do %q: unknown order", o.Do)
	}
}

// plans makes the plans of l.
func (l load) plans() []schema.Plan {
	every, times := int64(1), int64(-1)
	if l.Seconds > 0 {
		times = l.Seconds
	}
	if l.Again {
		every = 0
	}
	p := schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &every, PlanRepet: &times}, Messages: payload(32)}
	if !l.At.IsZero() {
		p = schema.Plan{Schedule: schema.At(l.At), Messages: payload(32)}
	}
	return plansOf(l.Plans, p, func(i int, p *schema.Plan) {
		p.PlanID = planID(l.First + i)
		if !l.Start.IsZero() {
			p.PlanTime = l.Start.Add(time.Duration(i) * time.Second / time.Duration(l.Plans))
		}
	})
}
