package bench

import (
	"context"
	"fmt"
	"time"
)

// beyond measures the effect of twice the highest rate for a time, and the recovery from it.
func (s *suite) beyond(ctx context.Context) error {
	if s.Serve == nil || s.Part == nil {
		return nil // because it needs processes of their own
	}
	highest, err := s.highestRate(ctx)
	if err != nil || highest == 0 {
		return err
	}
	lasting := s.lasting(10 * time.Second)
	b := beyond{Probes: 100, PerSecond: int(2 * highest), Lasting: lasting, Before: min(lasting, 10*time.Second)}
	if err := s.settle(ctx); err != nil {
		return err
	}
	var f beyondFigures
	err = s.deploy(ctx, b.shape(), func(ctx context.Context, d *deployment) (err error) {
		f, err = b.run(ctx, d)
		return err
	})
	if err != nil {
		return err
	}
	one := func(v float64) samples { return samples{v} }
	s.row(fmt.Sprintf("twice the highest rate, %s/s, for %v: p99 before, ms", count(int64(b.PerSecond)), b.Lasting), one(millis(f.Before)), nil, "")
	s.row("  largest p99 of a second meanwhile", one(millis(f.Meanwhile)), nil, "")
	s.row("  from its end until p99 is as before, s", one(f.Recovery.Seconds()), nil, "")
	switch {
	case !f.Recovered:
		s.note("When the probes ended, %v after the load, p99 was not as before.", f.Recovery)
	case f.Recovery == 0:
		s.note("In the first second after the load p99 was as before.")
	}
	s.row("  results of what was executed", one(float64(f.Executed)), nil, "")
	s.row("  results of what was skipped", one(float64(f.Skipped)), nil, "")
	s.note("Beyond the highest rate nothing was lost: each occurrence has come to a result, and what was executed, received and stored is the same by number; p99 is that of 100 plans of a second beside it, second by second, and as before when it is at most %d times the largest of the %v before.", asBefore, b.Before)
	return nil
}
