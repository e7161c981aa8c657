package bench

import (
	"context"
	"testing"
	"time"
)

func TestBeyondNothingIsLost(t *testing.T) {
	b := beyond{Probes: 20, PerSecond: 300, Lasting: 2 * time.Second, Before: 2 * time.Second}
	measured(t, func(dir string) (f beyondFigures, err error) {
		err = apartSuite(dir).deploy(t.Context(), b.shape(), func(ctx context.Context, d *deployment) (err error) {
			f, err = b.run(ctx, d)
			return err
		})
		return f, err
	}, func(f beyondFigures) bool {
		return f.Before > 0 && f.Executed > 300 && f.Meanwhile > 0
	})
}

func TestClusterIsMeasured(t *testing.T) {
	what := shape{nodes: 3, plans: 20, sampled: sampling{Every: 2}}
	measured(t, func(dir string) (f deployedFigures, err error) {
		err = apartSuite(dir).deploy(t.Context(), what, func(ctx context.Context, d *deployment) (err error) {
			info, err := d.ledger.stream.Info(ctx)
			if err != nil {
				return err
			}
			if info.Config.Replicas != 3 {
				t.Errorf("%d replicas", info.Config.Replicas)
			}
			f, err = d.highest(ctx, what.plans, time.Second)
			return err
		})
		return f, err
	}, func(f deployedFigures) bool { return f.Executions > 20 && f.CPUPerExecution > 0 })
}

func TestRecoveryIsWhenP99IsAsBefore(t *testing.T) {
	from := time.Unix(1000, 0)
	const before, lasting = 3 * time.Second, 2 * time.Second
	loaded := from.Add(5 * time.Second)
	for name, c := range map[string]struct {
		late []time.Duration // by second, from `from`
		want time.Duration
		ok   bool // it recovered
	}{
		"at once":        {[]time.Duration{4, 5, 4, 90, 90, 90, 90, 9, 4, 4}, 0, true},
		"two seconds":    {[]time.Duration{4, 5, 4, 4, 4, 90, 90, 90, 11, 10, 4}, 2 * time.Second, true},
		"with a relapse": {[]time.Duration{4, 5, 4, 4, 4, 90, 90, 4, 4, 90, 4, 4}, 3 * time.Second, true},
		"never":          {[]time.Duration{4, 5, 4, 4, 4, 90, 90, 90, 90, 90}, 2 * time.Second, false},
		"nothing after":  {[]time.Duration{4, 5, 4, 4, 4, 90, 90}, 0, false},
		"nothing before": {nil, 0, false},
	} {
		var probes []sample
		for i, late := range c.late {
			due := from.Add(time.Duration(i) * time.Second).UnixNano()
			probes = append(probes, sample{Due: due, Came: due + int64(late)})
		}
		f, err := recovery(probes, from, before, loaded, lasting)
		if measured := c.ok || name == "never"; (err == nil) != measured || f.Recovered != c.ok || f.Recovery != c.want {
			t.Errorf("%s: %v, %v", name, f.Recovery, err)
		}
	}
}
