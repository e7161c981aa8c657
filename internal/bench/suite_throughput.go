package bench

import (
	"context"
	"fmt"
	"time"
)

// headline is the time for which the highest rate is counted, unless Options have another.
const headline = time.Minute

// warmUp returns the time that a load runs before it is counted for lasting, because the backlog
// has to reach its steady size before, or it grows in the measured time.
func warmUp(lasting time.Duration) time.Duration {
	return min(max(lasting/6, time.Second), 10*time.Second)
}

// throughput measures the executions a second with a received and stored result, beside the
// bare loops that do the same work, and beside the least loop.
func (s *suite) throughput(ctx context.Context) error {
	for _, load := range []struct {
		outstanding int
		lasting     time.Duration
	}{{2000, s.lasting(headline)}, {256, s.lasting(15 * time.Second)}} {
		figure := fmt.Sprintf("executions/s, %s outstanding", number(float64(load.outstanding)))
		ours := rate{figure: figure, measure: func(outstanding int) (Figures, error) {
			f, err := throughput{Outstanding: outstanding, WarmUp: warmUp(load.lasting), Duration: load.lasting}.run(ctx, s.Dir, s.Log)
			return Figures{PerSecond: f.PerSecond, CPUPerExecution: f.CPUPerExecution}, err
		}}
		loop := Bare{WarmUp: warmUp(load.lasting), Duration: load.lasting, Sync: true}
		bare := rate{figure: "bare, " + figure, measure: func(outstanding int) (Figures, error) {
			b := loop
			b.Outstanding, b.Plans = outstanding, outstanding
			return b.Run(ctx, s.Dir)
		}}
		synced := rate{figure: "bare with synced results, " + figure, measure: func(outstanding int) (Figures, error) {
			b := loop
			b.Outstanding, b.Plans, b.SyncResults = outstanding, outstanding, true
			return b.Run(ctx, s.Dir)
		}}
		least := rate{figure: "least, " + figure, measure: func(outstanding int) (Figures, error) {
			return BareLeast{Outstanding: outstanding, WarmUp: warmUp(load.lasting), Duration: load.lasting}.Run(ctx, s.Dir)
		}}
		turn := func(r *rate) func() error { return func() error { return r.round(s, load.outstanding) } }
		if err := s.alternate(ctx, turn(&ours), turn(&bare), turn(&synced), turn(&least)); err != nil {
			return err
		}
		s.row(figure, ours.perSecond, bare.perSecond, "ratio at least 0.5")
		s.row("  CPU of each, µs", ours.cpu, bare.cpu, "")
		s.row("  beside bare with synced results", ours.perSecond, synced.perSecond, "")
		s.row("  CPU of each, µs", ours.cpu, synced.cpu, "")
		s.row("  beside the least that must be done", ours.perSecond, least.perSecond, "")
		s.row("  CPU of each, µs", ours.cpu, least.cpu, "")
	}
	return nil
}

// A rate has the figures of each round.
type rate struct {
	figure         string
	measure        func(load int) (Figures, error)
	perSecond, cpu samples // 0 in a round without a steady state
}

// round measures one more round.
func (r *rate) round(s *suite, load int) error {
	var f Figures
	err := s.atSteadyLoad(r.figure, load, func(load int) (err error) {
		f, err = r.measure(load)
		return err
	})
	if err != nil {
		return err
	}
	r.perSecond.add(f.PerSecond)
	r.cpu.add(micros(f.CPUPerExecution))
	return nil
}
