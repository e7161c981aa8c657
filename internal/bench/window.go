package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// outside has the counters of a measurement. None of them is kept by the measured program
// itself, because its own counters may be wrong.
type outside struct {
	ended    counter                       // executions that a worker has answered
	received counter                       // results that an observer has received
	stored   counter                       // results that the stream has stored, including removed ones
	cpu      func() (time.Duration, error) // of the measured processes
}

// A counter returns a count so far.
type counter func(context.Context) (int64, error)

// counted makes a counter of a number in this process.
func counted(n *atomic.Int64) counter {
	return func(context.Context) (int64, error) { return n.Load(), nil }
}

// A standing holds the counts of a measurement at one moment.
type standing struct {
	from, to                time.Time // the counters were read between these
	ended, received, stored int64
	cpu                     time.Duration
}

// done returns the number of executions with a received and stored result.
func (s standing) done() int64 { return min(s.received, s.stored) }

// behind returns the number of executions that have ended and are not done.
func (s standing) behind() int64 { return s.ended - s.done() }

func (o outside) read(ctx context.Context) (s standing, err error) {
	s.from = time.Now()
	for _, ask := range []struct {
		counter
		n *int64
	}{{o.ended, &s.ended}, {o.received, &s.received}, {o.stored, &s.stored}} {
		if *ask.n, err = ask.counter(ctx); err != nil {
			return s, err
		}
	}
	s.cpu, err = o.cpu()
	s.to = time.Now()
	return s, err
}

// A window is the measured time. Executions that were done before it began do not count, nor
// those that were not done when it ended.
type window struct{ begin, end standing }

// window measures for lasting, after the warm-up.
func (o outside) window(ctx context.Context, warmUp, lasting time.Duration) (w window, err error) {
	if err := pause(ctx, warmUp); err != nil {
		return w, err
	}
	if w.begin, err = o.read(ctx); err != nil {
		return w, err
	}
	if err := pause(ctx, lasting); err != nil {
		return w, err
	}
	w.end, err = o.read(ctx)
	return w, err
}

// A sighting is a measured window, or the error that prevented it.
type sighting struct {
	window
	err error
}

// inBackground measures a window in a goroutine, while its caller is the measured program. Stop
// ends the goroutine, and waits for it.
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

// gathers is the share of a second in which results may gather until they are stored in one
// batch. The product pauses no longer than that between writes.
const gathers = 0.25

// steady fails when more executions were behind at the end than at the begin, because a rate
// cannot last while a backlog grows. The difference may be as large as the work in flight: the
// executions under way, and the results that gather for one batch.
func (w window) steady(underWay int) error {
	if w.executions() <= 0 {
		return fmt.Errorf("no execution was received and stored within %v", w.elapsed().Round(time.Millisecond))
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
	return fmt.Sprintf("not steady: %s executions were not received or not stored at the begin and %s at the end of %v, and %s may be in flight",
		count(e.begin.behind()), count(e.end.behind()), e.elapsed().Round(100*time.Millisecond), count(e.allowed))
}

// atSteadyLoad measures at a load, and, after a window that was not steady, at half of it, then
// at a quarter. A load without a steady window is noted, and none at all is no error.
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

// count prints a whole number, including 0.
func count(n int64) string {
	if n == 0 {
		return "0"
	}
	if -100 < n && n < 100 {
		return fmt.Sprint(n)
	}
	return number(float64(n))
}

// drain waits until all messages to a connection are handled, and closes it.
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
