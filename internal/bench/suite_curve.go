package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// shares are the loads of the curve.
var shares = []float64{0.10, 0.25, 0.50, 0.75, 0.90}

// highestRate returns the rate of plans that are due again at once, measured once for all
// sections; 0: no rate is steady.
func (s *suite) highestRate(ctx context.Context) (float64, error) {
	if s.highest == nil {
		var r deployedRate
		if err := s.settle(ctx); err != nil {
			return 0, err
		}
		if err := r.round(ctx, s, "the highest rate", shape{nodes: 1}, min(s.lasting(headline), headline)); err != nil {
			return 0, err
		}
		s.highest = &r.perSecond[0]
	}
	return *s.highest, nil
}

// curve measures the lateness of executions and results at parts of the highest rate.
func (s *suite) curve(ctx context.Context) error {
	if s.Serve == nil || s.Part == nil {
		return nil // because it needs processes of their own
	}
	highest, err := s.highestRate(ctx)
	if err != nil {
		return err
	}
	var points []point
	for _, share := range shares {
		if highest == 0 {
			break
		}
		perSecond := max(int(share*highest), 1)
		p, err := s.pointAt(ctx, perSecond, s.lasting(20*time.Second))
		var refused *notSteady
		switch {
		case errors.As(err, &refused):
			s.note("At %.0f %% of the highest rate, %s/s: %v; no figures.", 100*share, count(int64(perSecond)), refused)
			continue
		case err != nil:
			return err
		}
		p.Share = share
		points = append(points, p)
		s.pointRows(fmt.Sprintf("at %.0f %% of the highest rate, %s/s", 100*share, count(int64(perSecond))), p, "", "")
	}
	if err := s.fixedPoints(ctx); err != nil || s.Picture == "" || len(points) == 0 {
		return err
	}
	if err := os.WriteFile(s.Picture, picture(points, highest), 0o644); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// fixedPoints are loads that are the same on every machine.
func (s *suite) fixedPoints(ctx context.Context) error {
	p, err := s.pointAt(ctx, 1000, s.lasting(headline))
	var refused *notSteady
	switch {
	case errors.As(err, &refused):
		s.note("At 1,000/s: %v; no figures.", refused)
	case err != nil:
		return err
	default:
		s.pointRows("at 1,000/s, each part a process", p, "at most 5", "")
	}
	const plans = 10_000
	if err := s.settle(ctx); err != nil {
		return err
	}
	err = s.deploy(ctx, shape{nodes: 1, plans: plans, sampled: sampling{Every: 1}}, func(ctx context.Context, d *deployment) (err error) {
		p, err = d.atOnce(ctx, plans)
		return err
	})
	if err == nil {
		s.pointRows("10,000 due at once, each part a process", p, "", "at most 250")
	}
	return err
}

// pointAt measures one load, in an installation of its own.
func (s *suite) pointAt(ctx context.Context, perSecond int, lasting time.Duration) (p point, err error) {
	if err := s.settle(ctx); err != nil {
		return p, err
	}
	what := shape{nodes: 1, plans: perSecond, sampled: sampling{Every: 1}}
	err = s.deploy(ctx, what, func(ctx context.Context, d *deployment) (err error) {
		p, err = d.seconds(ctx, perSecond, lasting)
		return err
	})
	return p, err
}

func (s *suite) pointRows(figure string, p point, p99, longest string) {
	row := func(figure string, took time.Duration, target string) {
		s.row(figure, samples{millis(took)}, nil, target)
	}
	row(figure+", late, ms: p50", p.Late.quantile(0.50), "")
	row("  p99", p.Late.quantile(0.99), p99)
	row("  longest", p.Late.longest(), longest)
	row("  from the worker's reply to the result received: p50", p.Received.quantile(0.50), "")
	row("  p99", p.Received.quantile(0.99), "")
	row("  longest", p.Received.longest(), "")
	if p.Skipped > 0 {
		s.note("%s: %s results are of what was skipped.", figure, count(p.Skipped))
	}
}
