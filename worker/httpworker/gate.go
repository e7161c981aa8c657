package httpworker

import (
	"context"
	"sync"
)

// A gate bounds how many calls are made at once: in all, and to one host, so that a
// host that hangs does not take the room of the others.
type gate struct {
	all  chan struct{} // one element for each call
	most int           // calls to one host

	mu    sync.Mutex
	lines map[string]*line // hosts that are called or waited for
}

// A line is what happens at one host.
type line struct {
	calls chan struct{}
	users int // calls, and who waits to make one
}

func newGate(all, perHost int) *gate {
	return &gate{all: make(chan struct{}, all), most: perHost, lines: map[string]*line{}}
}

// enter waits until one more call may be made to host, or until ctx ends. Who gets no
// error calls leave afterwards.
func (g *gate) enter(ctx context.Context, host string) (leave func(), err error) {
	l := g.join(host)
	// The host's own limit comes first: who waits for a host must not hold a place
	// that another's call could have.
	if err := take(ctx, l.calls); err != nil {
		g.quit(host, l)
		return nil, err
	}
	if err := take(ctx, g.all); err != nil {
		<-l.calls
		g.quit(host, l)
		return nil, err
	}
	return func() {
		<-g.all
		<-l.calls
		g.quit(host, l)
	}, nil
}

func take(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) join(host string) *line {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lines[host]
	if l == nil {
		l = &line{calls: make(chan struct{}, g.most)}
		g.lines[host] = l
	}
	l.users++
	return l
}

func (g *gate) quit(host string, l *line) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(g.lines, host)
	}
}
