package bench

import (
	"context"
	"fmt"
	"time"
)

const manyPlans = 100_000

// disk notes the speed of the disk, because all figures depend on it.
func (s *suite) disk(ctx context.Context) error {
	took, err := disk(ctx, s.Dir, time.Second)
	if err != nil {
		return fmt.Errorf("measure the disk: %w", err)
	}
	deleted, err := deletions(ctx, s.Dir, 50)
	if err != nil {
		return fmt.Errorf("measure the disk: %w", err)
	}
	s.calm = took.quantile(0.99)
	s.note("Before all this, an append of 4 KiB was on that disk after %v (p50), %v (p99), and a file of 4 KiB was deleted in %v (p50).",
		took.quantile(0.50).Round(time.Microsecond), s.calm.Round(time.Microsecond), deleted.quantile(0.50).Round(time.Microsecond))
	return nil
}

// accuracy measures the lateness of a thousand executions a second.
func (s *suite) accuracy(ctx context.Context) error {
	lasting := s.lasting(15 * time.Second)
	var half, late, longest, resultHalf, resultLate, bareHalf, bareLate, bareLongest samples
	err := s.alternate(ctx, func() error {
		f, err := accuracy(1000, lasting, time.Now()).run(ctx, s.Dir, s.Log)
		half.add(millis(f.P50))
		late.add(millis(f.P99))
		longest.add(millis(f.Last))
		resultHalf.add(millis(f.Result50))
		resultLate.add(millis(f.Result99))
		return err
	}, func() error {
		f, err := BareSteady{Duration: lasting, Sync: true}.Run(ctx, s.Dir)
		bareHalf.add(millis(f.P50))
		bareLate.add(millis(f.P99))
		bareLongest.add(millis(f.Last))
		return err
	})
	if err != nil {
		return err
	}
	s.row("lateness at 1,000 executions/s, ms: p50", half, bareHalf, "")
	s.row("  p99", late, bareLate, "at most 5")
	s.row("  longest", longest, bareLongest, "")
	s.row("  from an execution's end to its broadcast result: p50", resultHalf, nil, "")
	s.row("  p99", resultLate, nil, "")
	return nil
}

// burst measures the wait of the last of many plans that are due at once.
func (s *suite) burst(ctx context.Context) error {
	var ours, half, bare, bareHalf samples
	err := s.alternate(ctx, func() error {
		f, err := burst(10_000, time.Now()).run(ctx, s.Dir, s.Log)
		ours.add(millis(f.Last))
		half.add(millis(f.P50))
		return err
	}, func() error {
		f, err := BareBurst{Messages: 10_000}.Run(ctx, s.Dir)
		bare.add(millis(f.Last))
		bareHalf.add(millis(f.P50))
		return err
	})
	if err != nil {
		return err
	}
	s.row("10,000 plans due at once, ms: the last starts", ours, bare, "at most 250")
	s.row("  p50", half, bareHalf, "")
	return nil
}

// creates measures the number of plans that are created in a second, one by one.
func (s *suite) creates(ctx context.Context) error {
	const publishers, conns = 64, 1
	lasting := s.lasting(5 * time.Second)
	var ours, wait, cpu, bare, bareWait, bareCPU samples
	err := s.alternate(ctx, func() error {
		f, err := creates{Publishers: publishers, Conns: conns, Duration: lasting}.run(ctx, s.Dir, s.Log)
		ours.add(f.PerSecond)
		wait.add(millis(f.P99))
		cpu.add(micros(f.CPUPerCreate))
		return err
	}, func() error {
		f, err := BareRequests{Requesters: publishers, Duration: lasting, Sync: true}.Run(ctx, s.Dir)
		bare.add(f.PerSecond)
		bareWait.add(millis(f.P99))
		bareCPU.add(micros(f.CPUPerRequest))
		return err
	})
	if err != nil {
		return err
	}
	s.row("plans created/s, 64 publishers", ours, bare, "at least 20,000")
	s.row("  p99 of the answer, ms", wait, bareWait, "")
	s.row("  CPU of each, µs", cpu, bareCPU, "")
	s.note("Publishers, ours and bare, share %d connection, as the callers of one client do.", conns)
	return nil
}

// imports measures the time of a large import.
func (s *suite) imports(ctx context.Context) error {
	var took, grown samples
	for range s.Rounds {
		if err := s.settle(ctx); err != nil {
			return err
		}
		f, err := imports{Plans: manyPlans}.run(ctx, s.Dir, s.Log)
		if err != nil {
			return err
		}
		took.add(f.Took.Seconds())
		grown.add(f.BytesPerPlan)
	}
	s.row("import of 100,000 plans, s", took, nil, "at most 5")
	s.row("  growth of the process a plan, bytes", grown, nil, "")
	return nil
}

// memory measures the scheduler's memory for a plan.
func (s *suite) memory(ctx context.Context) error {
	each, err := memory{Plans: manyPlans}.run(ctx)
	if err != nil {
		return err
	}
	s.row("heap of an idle plan with a payload of 200 bytes, bytes", samples{each}, nil, "at most 1,024")
	if each, err = (memory{Plans: manyPlans / 10, Payload: 64 << 10}).run(ctx); err != nil {
		return err
	}
	s.row("  with one of 64 KiB, beside the 16 MiB of those that were used last", samples{each}, nil, "")
	return nil
}

// restart measures the time until a node is ready again.
func (s *suite) restart(ctx context.Context) error {
	var clean, killed samples
	r := restart{Plans: manyPlans}
	for range s.Rounds {
		if s.Serve != nil {
			took, err := r.killed(ctx, s.Dir, s.Log, s.Serve)
			if err != nil {
				return err
			}
			killed.add(took.Seconds())
		}
		took, err := r.clean(ctx, s.Dir, s.Log)
		if err != nil {
			return err
		}
		clean.add(took.Seconds())
	}
	s.row("restart with 100,000 plans, s", clean, nil, "at most 2")
	if s.Serve != nil {
		s.row("  after kill -9", killed, nil, "")
	}
	return nil
}

// hostile measures the lateness of a modest load while one client publishes junk as fast
// as it can, beside the same load alone.
func (s *suite) hostile(ctx context.Context) error {
	if s.Serve == nil {
		return nil // because it needs a process of its own
	}
	const perSecond = 200
	lasting := s.lasting(10 * time.Second)
	var half, late, longest, calmHalf, calmLate, calmLongest, junk samples
	measure := func(flood bool, half, late, longest *samples) error {
		if err := s.settle(ctx); err != nil {
			return err
		}
		f, err := hostile{PerSecond: perSecond, Lasting: lasting, Flood: flood}.run(ctx, s.Dir, s.Log, s.Serve)
		half.add(millis(f.P50))
		late.add(millis(f.P99))
		longest.add(millis(f.Last))
		if flood {
			junk.add(f.JunkPerSecond)
		}
		return err
	}
	for range s.Rounds {
		if err := measure(true, &half, &late, &longest); err != nil {
			return err
		}
		if err := measure(false, &calmHalf, &calmLate, &calmLongest); err != nil {
			return err
		}
	}
	s.row("lateness of 200 executions/s under a flood, ms: p50", half, nil, "")
	s.row("  p99", late, nil, "at most 50")
	s.row("  longest", longest, nil, "")
	s.row("  p50 without the flood", calmHalf, nil, "")
	s.row("  p99 without the flood", calmLate, nil, "")
	s.row("  p99, times that without", samples{late.over(calmLate)}, nil, "")
	s.note("The flood is one client: %s messages/s of junk to services, reply subjects and the bucket of workers.", number(junk.median()))
	return nil
}

// tasks measures the rate at which one worker claims and executes tasks submitted in batches,
// and the time until one task reaches an idle worker.
func (s *suite) tasks(ctx context.Context) error {
	var whole, wholeCPU, drain, drainCPU, half, late samples
	for range s.Rounds {
		for _, before := range []bool{false, true} {
			if err := s.settle(ctx); err != nil {
				return err
			}
			f, err := tasks{Tasks: manyPlans, Concurrency: 100, Prefetch: 300, Before: before}.run(ctx, s.Dir, s.Log)
			if err != nil {
				return err
			}
			if before {
				drain.add(f.PerSecond)
				drainCPU.add(micros(f.CPUPerTask))
			} else {
				whole.add(f.PerSecond)
				wholeCPU.add(micros(f.CPUPerTask))
			}
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
		took, err := handOver{Tasks: 2000}.run(ctx, s.Dir, s.Log)
		if err != nil {
			return err
		}
		half.add(millis(took.quantile(0.50)))
		late.add(millis(took.quantile(0.99)))
	}
	s.row("tasks/s, submitted in batches and executed", whole, nil, "at least 30,000")
	s.row("  CPU of each, µs", wholeCPU, nil, "")
	s.row("  executed only, submitted before", drain, nil, "")
	s.row("  CPU of each, µs", drainCPU, nil, "")
	s.row("one task to a worker that claims one, ms: p50", half, nil, "below 2")
	s.row("  p99", late, nil, "")
	return nil
}
