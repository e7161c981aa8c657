package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// deployed measures the highest rate of an installation with its parts in processes of their
// own, over TCP, beside the least loop in such processes.
func (s *suite) deployed(ctx context.Context) error {
	if s.Serve == nil || s.Part == nil {
		return nil // because it needs processes of their own
	}
	type turn struct {
		figure string
		what   shape
		rate   deployedRate
	}
	turns := []*turn{
		{figure: "executions/s, each part a process, worker of ten lines", what: shape{nodes: 1}},
		{figure: "executions/s, each part a process, worker of our library", what: shape{nodes: 1, library: true}},
		{figure: "executions/s, nats-server a process of its own, too", what: shape{nodes: 1, apart: true}},
		{figure: "the least, each part a process", what: shape{nodes: 1, least: true}},
	}
	var measure []func() error
	for _, t := range turns {
		measure = append(measure, func() error {
			return t.rate.round(ctx, s, t.figure, t.what, s.lasting(headline))
		})
	}
	if err := s.alternate(ctx, measure[0], measure[1:]...); err != nil {
		return err
	}
	least := turns[len(turns)-1].rate
	for _, t := range turns[:len(turns)-1] {
		s.deployedRows(t.figure+", beside the least", t.rate, least)
	}
	s.note("Where each part is a process, the processor time is that of nats-server and scheduler alone; worker, publisher, observer and these five's parent share the same CPUs.")
	return nil
}

// cluster measures the highest rate of three nodes with a cluster of nats-servers: each stream
// has three replicas, and each replica syncs its writes.
func (s *suite) cluster(ctx context.Context) error {
	if s.Serve == nil || s.Part == nil {
		return nil // because it needs processes of their own
	}
	var ours, least deployedRate
	const figure = "executions/s, a cluster of three, three replicas, synced"
	err := s.alternate(ctx, func() error {
		return ours.round(ctx, s, figure, shape{nodes: 3}, s.lasting(headline))
	}, func() error {
		return least.round(ctx, s, "the least, three servers and three replicas", shape{nodes: 3, least: true}, s.lasting(headline))
	})
	if err == nil {
		s.deployedRows(figure+", beside the least", ours, least)
		s.note("The cluster's three nodes share these CPUs and one disk; the processor time is that of all three.")
	}
	return err
}

func (s *suite) deployedRows(figure string, ours, least deployedRate) {
	s.row(figure, ours.perSecond, least.perSecond, "")
	s.row("  CPU of the node for each, µs", ours.cpu, least.cpu, "")
	s.row("  from the worker's reply to the result received, ms: p50", ours.half, least.half, "")
	s.row("  p99", ours.late, least.late, "")
}

// A deployedRate has the figures of each round.
type deployedRate struct {
	perSecond, cpu, half, late samples // 0 in a round without a steady state
}

func (r *deployedRate) round(ctx context.Context, s *suite, figure string, what shape, lasting time.Duration) error {
	const outstanding = 2000
	var f deployedFigures
	err := s.atSteadyLoad(figure, outstanding, func(outstanding int) error {
		what.plans, what.sampled = outstanding, sampling{Every: 16}
		return s.deploy(ctx, what, func(ctx context.Context, d *deployment) (err error) {
			f, err = d.highest(ctx, outstanding, lasting)
			return err
		})
	})
	if err != nil {
		return err
	}
	r.perSecond.add(f.PerSecond)
	r.cpu.add(micros(f.CPUPerExecution))
	r.half.add(millis(f.Received.quantile(0.50)))
	r.late.add(millis(f.Received.quantile(0.99)))
	return nil
}

type deployedFigures struct {
	Figures
	Received intervals // from the worker's final reply until the result arrives
}

// highest measures the rate of plans that are due again as soon as they are settled.
func (d *deployment) highest(ctx context.Context, outstanding int, lasting time.Duration) (f deployedFigures, err error) {
	if d.publisher != nil {
		if _, err := d.publisher.ask(order{Do: doImport, Load: load{Plans: outstanding, Again: true}}); err != nil {
			return f, err
		}
	}
	w, err := d.outside().window(ctx, warmUp(lasting), lasting)
	if err != nil {
		return f, err
	}
	if err := w.steady(outstanding); err != nil {
		return f, err
	}
	r, err := d.finish(ctx, outstanding)
	if err != nil {
		return f, err
	}
	f.Executions, f.PerSecond, f.CPUPerExecution = w.executions(), w.perSecond(), w.cpuPerExecution()
	f.Received = r.untilReceived(func(x sample) bool { return w.contains(x.Ended) })
	if d.ledger != nil {
		last := make([]int64, len(r.received.Plans))
		for i, p := range r.received.Plans {
			last[i] = p.N
		}
		err = d.ledger.check(ctx, last)
	}
	return f, err
}

// contains reports whether a moment is within the measured time.
func (w window) contains(at int64) bool {
	return at >= w.begin.to.UnixNano() && at < w.end.from.UnixNano()
}

// untilReceived returns the times of the wanted samples from the worker's final reply until the
// observer had the result.
func (r record) untilReceived(wanted func(sample) bool) intervals {
	received := make(map[[2]int64]int64, len(r.received.Samples))
	for _, x := range r.received.Samples {
		received[[2]int64{x.Plan, x.N}] = x.Came
	}
	var took intervals
	for _, x := range r.worked.Samples {
		if at, ok := received[[2]int64{x.Plan, x.N}]; ok && wanted(x) {
			took = append(took, time.Duration(at-x.Ended))
		}
	}
	return took.sorted()
}

// intervals are durations, the shortest first.
type intervals []time.Duration

func (l intervals) sorted() intervals {
	slices.Sort(l)
	return l
}

// quantile returns the duration that a share q of them do not exceed; 0 without any.
func (l intervals) quantile(q float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[max(int(q*float64(len(l))+0.5), 1)-1]
}

// longest returns the longest duration; 0 without any.
func (l intervals) longest() time.Duration { return l.quantile(1) }

func (l intervals) String() string {
	return fmt.Sprintf("p50 %v, p99 %v, longest %v", l.quantile(0.5), l.quantile(0.99), l.longest())
}
