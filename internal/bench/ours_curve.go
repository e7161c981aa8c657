package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A point is the lateness of executions and results at one load.
type point struct {
	Share     float64 // of the highest rate; 0: none
	PerSecond float64
	Late      intervals // from plan_time until the worker has the execution
	Received  intervals // from the worker's final reply until an observer has the result
	Skipped   int64     // results that are not ok, of occurrences that could not run any more
}

// seconds measures plans of which each is due every second, spread over it.
func (d *deployment) seconds(ctx context.Context, perSecond int, lasting time.Duration) (p point, err error) {
	// A grid begins one step after its plan_time. Its first second is not counted, because it
	// is the warm-up. Creating the plans takes less than the rest.
	start := time.Now().Truncate(time.Second).Add(time.Duration(2+perSecond/5000) * time.Second)
	from := start.Add(2 * time.Second)
	lasting = max(lasting.Truncate(time.Second), time.Second)
	if _, err := d.publisher.ask(order{Do: doImport, Load: load{Plans: perSecond, Start: start}}); err != nil {
		return p, err
	}
	if late := time.Since(from); late > 0 {
		return p, fmt.Errorf("it took until %v after they were due to create %d plans", late, perSecond)
	}
	if err := pause(ctx, time.Until(from)); err != nil {
		return p, err
	}
	w, err := d.outside().window(ctx, 0, lasting)
	if err != nil {
		return p, err
	}
	if err := w.steady(perSecond / 4); err != nil { // a quarter of a second of executions may be under way
		return p, err
	}
	r, err := d.finish(ctx, perSecond)
	if err != nil {
		return p, err
	}
	p, err = r.point(from, from.Add(lasting))
	p.PerSecond = w.perSecond()
	if want := perSecond * int(lasting/time.Second); err == nil && len(p.Late)+int(p.Skipped) < want {
		err = fmt.Errorf("%d executions of %d came, and %d results are of none", len(p.Late), want, p.Skipped)
	}
	return p, err
}

// atOnce measures plans that are all due at the same moment.
func (d *deployment) atOnce(ctx context.Context, plans int) (p point, err error) {
	at := time.Now().Truncate(time.Second).Add(time.Duration(3+plans/5000) * time.Second)
	if _, err := d.publisher.ask(order{Do: doImport, Load: load{Plans: plans, At: at}}); err != nil {
		return p, err
	}
	if late := time.Since(at); late > 0 {
		return p, fmt.Errorf("it took until %v after they were due to create %d plans", late, plans)
	}
	if _, err := d.observer.ask(order{Do: doAwait, N: int64(plans)}); err != nil {
		return p, err
	}
	if err := d.settle(ctx, int64(plans)); err != nil {
		return p, err
	}
	r, err := d.finish(ctx, 0)
	if err != nil {
		return p, err
	}
	return r.point(at, at.Add(time.Nanosecond))
}

// settle waits until so many results are stored.
func (d *deployment) settle(ctx context.Context, results int64) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stopWithin, errors.New("not all results are stored"))
	defer cancel()
	for {
		stored, err := d.stored(ctx)
		if err != nil || stored >= results {
			return err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil { // because the stream sends no event
			return err
		}
	}
}

// point evaluates the samples that were due within a time.
func (r record) point(from, until time.Time) (p point, err error) {
	within := func(x sample) bool { return x.Due >= from.UnixNano() && x.Due < until.UnixNano() }
	for _, x := range r.worked.Samples {
		if within(x) {
			p.Late = append(p.Late, time.Duration(x.Came-x.Due))
		}
	}
	slices.Sort(p.Late)
	p.Received, p.Skipped = r.untilReceived(within), r.received.Other
	switch {
	case len(p.Late) == 0:
		return p, errors.New("no result came of occurrences that were due in the measured time")
	case p.Late[0] < 0:
		return p, fmt.Errorf("an execution came %v before it was due", -p.Late[0])
	case len(p.Received) != len(p.Late):
		return p, fmt.Errorf("%d executions came, and %d of their results were received", len(p.Late), len(p.Received))
	}
	return p, nil
}
