package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// beyond is a load that the installation cannot carry, for a time, and plans beside it, the
// probes, which measure the lateness of executions before, meanwhile and afterwards.
type beyond struct {
	Probes    int           // a second
	PerSecond int           // of the load
	Lasting   time.Duration // of the load
	Before    time.Duration // the time of the probes alone, before and afterwards
}

type beyondFigures struct {
	Before    time.Duration // the largest p99 of a second while the probes were alone
	Meanwhile time.Duration // and since the load began
	// Recovery is the time from the load's end until each second's p99 is as before, or,
	// unless Recovered, until the probes' end.
	Recovery  time.Duration
	Recovered bool
	Skipped   int64 // results that are not ok, of occurrences that could not run any more
	Executed  int64
}

// shape returns the shape of the deployment that b needs.
func (b beyond) shape() shape {
	return shape{nodes: 1, plans: b.Probes + b.PerSecond, sampled: sampling{Probe: int64(b.Probes)}}
}

// run fails unless each occurrence of the load has a result, and the numbers of executions, of
// received results and of stored results are equal.
func (b beyond) run(ctx context.Context, d *deployment) (f beyondFigures, err error) {
	begun := time.Now().Truncate(time.Second).Add(2 * time.Second)
	from := begun.Add(2 * time.Second) // executions due before are the warm-up
	if _, err := d.publisher.ask(order{Do: doImport, Load: load{Plans: b.Probes, Start: begun}}); err != nil {
		return f, err
	}
	// The load is created at the end of the time before, because its creation would disturb
	// that, and is due a second later than its plan_time.
	if err := pause(ctx, time.Until(from.Add(b.Before))); err != nil {
		return f, err
	}
	start := time.Now().Truncate(time.Second).Add(time.Duration(2+b.PerSecond/5000) * time.Second)
	seconds := max(int64(b.Lasting/time.Second), 1)
	l := load{First: b.Probes, Plans: b.PerSecond, Start: start, Seconds: seconds}
	if _, err := d.publisher.ask(order{Do: doImport, Load: l}); err != nil {
		return f, err
	}
	if _, err := d.observer.ask(order{Do: doSettled, N: seconds * int64(b.PerSecond)}); err != nil {
		return f, err
	}
	if err := pause(ctx, b.Before+time.Second); err != nil {
		return f, err
	}
	r, err := d.finish(ctx, b.Probes)
	if err != nil {
		return f, err
	}
	if want := seconds * int64(b.PerSecond); r.received.Settled != want {
		return f, fmt.Errorf("%d occurrences of %d came to a result", r.received.Settled, want)
	}
	f, err = recovery(r.worked.Samples, from, b.Before, start.Add(time.Second), time.Duration(seconds)*time.Second)
	f.Skipped, f.Executed = r.received.Other, r.worked.N
	return f, err
}

// asBefore is the multiple of the largest earlier p99 up to which a p99 counts as before,
// because the seconds before are few, and p99 is one of a hundred executions.
const asBefore = 2

// recovery evaluates the lateness of the probes by second: from `from` on they were alone for
// the time before, and the load, from loaded on, lasted for lasting.
func recovery(probes []sample, from time.Time, before time.Duration, loaded time.Time, lasting time.Duration) (f beyondFigures, err error) {
	late := map[int64]intervals{} // by second
	for _, x := range probes {
		second := x.Due / int64(time.Second)
		late[second] = append(late[second], time.Duration(x.Came-x.Due))
	}
	seconds := func(begin, end int64, each func(second int64, p99 time.Duration)) {
		for second := begin; second < end; second++ {
			if l := late[second]; len(l) > 0 {
				each(second, l.sorted().quantile(0.99))
			}
		}
	}
	last := int64(0)
	for second := range late {
		last = max(last, second)
	}
	// The probes' last second is incomplete, because they are closed in it.
	seconds(from.Unix(), from.Add(before).Unix(), func(_ int64, p99 time.Duration) { f.Before = max(f.Before, p99) })
	if f.Before == 0 || last <= loaded.Add(lasting).Unix() {
		return f, errors.New("no probe came before the load, or none afterwards")
	}
	end := loaded.Add(lasting).Unix()
	worse := end - 1
	seconds(loaded.Unix(), last, func(second int64, p99 time.Duration) {
		f.Meanwhile = max(f.Meanwhile, p99)
		if p99 > asBefore*f.Before {
			worse = max(worse, second)
		}
	})
	f.Recovery = time.Duration(worse+1-end) * time.Second
	f.Recovered = worse < last-1
	return f, nil
}
