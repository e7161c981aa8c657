package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// outside is where a measurement is looked at from: none of it asks who is measured what
// they think of themselves.
type outside struct {
	ended  counter                       // executions that a worker has answered
	heard  counter                       // results that an observer has got
	stored counter                       // results that the stream holds, or has held
	cpu    func() (time.Duration, error) // of those whose processor time counts
}

// A counter tells how many there were so far.
type counter func(context.Context) (int64, error)

// counted is a counter within this process.
func counted(n *atomic.Int64) counter {
	return func(context.Context) (int64, error) { return n.Load(), nil }
}

// A standing is how far a measurement was at one moment.
type standing struct {
	from, to             time.Time // it was asked between these
	ended, heard, stored int64
	cpu                  time.Duration
}

// done is how many executions count: those whose result was heard and is stored.
func (s standing) done() int64 { return min(s.heard, s.stored) }

// behind is how many have ended and do not count yet.
func (s standing) behind() int64 { return s.ended - s.done() }

func (o outside) look(ctx context.Context) (s standing, err error) {
	s.from = time.Now()
	for _, ask := range []struct {
		counter
		n *int64
	}{{o.ended, &s.ended}, {o.heard, &s.heard}, {o.stored, &s.stored}} {
		if *ask.n, err = ask.counter(ctx); err != nil {
			return s, err
		}
	}
	s.cpu, err = o.cpu()
	s.to = time.Now()
	return s, err
}

// A window is the measured time. What was done before it began does not count, nor what
// was not done when it ended.
type window struct{ begin, end standing }

// window measures for so long, after the warm-up.
func (o outside) window(ctx context.Context, warmUp, lasting time.Duration) (w window, err error) {
	if err := pause(ctx, warmUp); err != nil {
		return w, err
	}
	if w.begin, err = o.look(ctx); err != nil {
		return w, err
	}
	if err := pause(ctx, lasting); err != nil {
		return w, err
	}
	w.end, err = o.look(ctx)
	return w, err
}

// A sighting is a window that was looked at, or why it could not be.
type sighting struct {
	window
	err error
}

// inBackground measures a window while its caller is what is measured. Stop ends that, and
// waits for it.
func inBackground(ctx context.Context, o outside, warmUp, lasting time.Duration) (measured <-chan sighting, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	seen, ended := make(chan sighting, 1), make(chan struct{})
	go func() {
		defer close(ended)
		w, err := o.window(ctx, warmUp, lasting)
		seen <- sighting{w, err}
	}()
	return seen, func() {
		cancel()
		<-ended
	}
}

func (w window) executions() int64 { return w.end.done() - w.begin.done() }

func (w window) elapsed() time.Duration { return w.end.to.Sub(w.begin.from) }

func (w window) perSecond() float64 { return float64(w.executions()) / w.elapsed().Seconds() }

func (w window) cpuPerExecution() time.Duration {
	return (w.end.cpu - w.begin.cpu) / time.Duration(max(w.executions(), 1))
}

// gathers is the share of a second whose results may lie together until they are stored in
// one batch: the product's rest is no longer.
const gathers = 0.25

// steady fails unless no more was behind at the end than at the begin, since a rate that is
// reached while a backlog grows is none that lasts. What two moments may differ by all the
// same is what is in flight: the executions under way, and the results that gather for one
// batch.
func (w window) steady(underWay int) error {
	if w.executions() <= 0 {
		return fmt.Errorf("no execution was heard and stored within %v", w.elapsed().Round(time.Millisecond))
	}
	allowed := int64(underWay) + int64(gathers*w.perSecond())
	if grown := w.end.behind() - w.begin.behind(); grown > allowed {
		return &notSteady{w, allowed}
	}
	return nil
}

// notSteady is a window in which the backlog grew, so that it has no rate.
type notSteady struct {
	window
	allowed int64
}

func (e *notSteady) Error() string {
	return fmt.Sprintf("not steady: %s executions were not heard or not stored at the begin and %s at the end of %v, and %s may be in flight",
		count(e.begin.behind()), count(e.end.behind()), e.elapsed().Round(100*time.Millisecond), count(e.allowed))
}

// atSteadyLoad measures at a load, and at half of it when a window was not steady, and at a
// quarter. That there is no rate at all is no error; it is noted, as all of them are.
func (s *suite) atSteadyLoad(figure string, load int, measure func(load int) error) error {
	const most = 3
	for try := 1; ; try++ {
		err := measure(load)
		var refused *notSteady
		if !errors.As(err, &refused) {
			return err
		}
		then := fmt.Sprintf("measured with %s instead", count(int64(load/2)))
		if try == most || load < 2 {
			then = "no rate"
		}
		s.note("%s, with %s: %v; %s.", figure, count(int64(load)), refused, then)
		if try == most || load < 2 {
			return nil
		}
		load /= 2
	}
}

// count prints a whole number, 0 as well.
func count(n int64) string {
	if n == 0 {
		return "0"
	}
	if -100 < n && n < 100 {
		return fmt.Sprint(n)
	}
	return number(float64(n))
}

// drain waits until all that a connection was sent is handled, and closes it.
func drain(ctx context.Context, nc *nats.Conn) error {
	closed := make(chan struct{})
	nc.SetClosedHandler(func(*nats.Conn) { close(closed) })
	if err := nc.Drain(); err != nil {
		return fmt.Errorf("drain the observer: %w", err)
	}
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("drain the observer: %w", context.Cause(ctx))
	}
}

// ownCPU is processCPU in the shape of outside.cpu.
func ownCPU() (time.Duration, error) { return processCPU(), nil }
