package schema

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	configured   = Defaults{ExecTimeout: time.Minute, StartTimeout: 30 * time.Second}
	defaultRetry = RetryTerms{
		Strategy: RetryExponential, Interval: time.Second, MaxInterval: time.Minute, Jitter: 0.2, MaxErrors: -1,
	}
)

// If voters of the one and a quorum of the other, plan and station, contradict each other,
// the plan's value stands.
func TestTermsOfVotes(t *testing.T) {
	for _, c := range []struct {
		plan, station Policy
		voters        int64
		quorum        int64
	}{
		{Policy{}, Policy{Voters: ptr[int64](3), Quorum: ptr[int64](2)}, 3, 2},
		{Policy{Voters: ptr[int64](2)}, Policy{Quorum: ptr[int64](3)}, 2, 2},
		{Policy{Quorum: ptr[int64](3)}, Policy{Voters: ptr[int64](2)}, 3, 3},
		{Policy{Voters: ptr[int64](2)}, Policy{Voters: ptr[int64](5), Quorum: ptr[int64](4)}, 2, 2},
		{Policy{Quorum: ptr[int64](3)}, Policy{}, 0, 3},
	} {
		got := (&Plan{Policy: c.plan}).Terms(&Station{Kind: KindVote, Policy: c.station}, Defaults{})
		if got.Voters != c.voters || got.Quorum != c.quorum {
			t.Errorf("%+v at %+v: %d of %d, want %d of %d", c.plan, c.station, got.Quorum, got.Voters, c.quorum, c.voters)
		}
	}
}

func TestTermsDefaults(t *testing.T) {
	usual := Terms{
		ExecTimeout: time.Minute, StartTimeout: 30 * time.Second, Retry: defaultRetry, Overlap: BusySkip,
		CatchUp: MissedCompact, Failure: FailedRunNew, Concurrency: FullQueue, MaxUnexpected: -1,
	}
	with := func(change func(*Terms)) Terms {
		t := usual
		change(&t)
		return t
	}
	for _, c := range []struct {
		name    string
		plan    Plan
		station *Station
		want    Terms
	}{
		{"no policy", Plan{Schedule: Schedule{PlanType: TypeSecond}}, nil, usual},
		{"a station without a policy", Plan{Schedule: Schedule{PlanType: TypeSecond}}, &Station{Kind: KindAPI}, usual},
		{"cron", Plan{Schedule: Schedule{PlanType: TypeCron}}, nil, with(func(t *Terms) { t.CatchUp = MissedNone })},
		{"no_keep", Plan{Schedule: Schedule{PlanType: TypeDay, NoKeep: true}}, nil, with(func(t *Terms) {
			t.Overlap, t.OverlapGiven, t.CatchUp = BusyQueue, true, MissedFull
		})},
		{"a given field wins over no_keep",
			Plan{Schedule: Schedule{PlanType: TypeCron, NoKeep: true}, Policy: Policy{Overlap: BusyAllow, CatchUp: MissedNone}}, nil,
			with(func(t *Terms) { t.Overlap, t.OverlapGiven, t.CatchUp = BusyAllow, true, MissedNone })},
		{"no_keep wins over the station", Plan{Schedule: Schedule{PlanType: TypeDay, NoKeep: true}},
			&Station{Policy: Policy{Overlap: BusyAllow, CatchUp: MissedNone}},
			with(func(t *Terms) { t.Overlap, t.OverlapGiven, t.CatchUp = BusyQueue, true, MissedFull })},
		{"the station's defaults, but for its own limit", Plan{Schedule: Schedule{PlanType: TypeDay}}, &Station{Policy: samplePl},
			with(func(t *Terms) {
				t.ExecTimeout, t.StartTimeout = 1500*time.Millisecond, 0
				t.Overlap, t.OverlapGiven, t.Failure, t.Concurrency = BusyQueue, true, FailedRetry, FullSkip
				t.Voters, t.Quorum, t.MaxUnexpected, t.UnexpectedDelay = 5, 3, 2, 10*time.Millisecond
				t.Retry = RetryTerms{
					Strategy: RetrySequence, Interval: time.Second, Sequence: []Seconds{1, 2.5}, MaxInterval: time.Minute,
					Jitter: 0.25, MaxErrors: 4, NeedManual: true,
				}
			})},
		{"the plan before the station",
			Plan{Schedule: Schedule{PlanType: TypeDay}, Policy: Policy{ExecTimeout: ptr[Seconds](0), MaxConcurrency: ptr[int64](2), Retry: &Retry{Strategy: RetryNone, MaxErrorCount: ptr[int64](9)}}},
			&Station{Policy: Policy{ExecTimeout: ptr[Seconds](5), MaxConcurrency: ptr[int64](7), Retry: &Retry{Interval: ptr[Seconds](9)}}},
			with(func(t *Terms) {
				t.ExecTimeout, t.MaxConcurrency = 0, 2
				t.Retry.Strategy, t.Retry.MaxErrors = RetryNone, 0
			})},
		{"pull: a claim is a first word", Plan{}, &Station{Kind: KindPull},
			with(func(t *Terms) { t.StartTimeout = 0 })},
		{"pull: pings in place of exec_timeout", Plan{}, &Station{Kind: KindPull, Policy: Policy{PingTimeoutMS: ptr[int64](3000)}},
			with(func(t *Terms) {
				t.StartTimeout, t.ExecTimeout, t.PingInterval, t.PingTimeout = 0, 0, time.Second, 3*time.Second
			})},
		{"a pull plan with pings and more", Plan{Policy: Policy{PingIntervalMS: ptr[int64](500)}},
			&Station{Kind: KindPull, Policy: Policy{ExecTimeout: ptr[Seconds](9), StartTimeout: ptr[Seconds](2)}},
			with(func(t *Terms) {
				t.StartTimeout, t.ExecTimeout = 2*time.Second, 9*time.Second
				t.PingInterval, t.PingTimeout = 500*time.Millisecond, 1500*time.Millisecond
			})},
	} {
		if diff := cmp.Diff(c.want, c.plan.Terms(c.station, configured)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestRetryDelay(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		name  string
		retry RetryTerms
		want  []time.Duration // after the first error, the second, …
		over  bool            // used up after these
	}{
		{"exponential", defaultRetry, []time.Duration{second, 2 * second, 4 * second, 8 * second, 16 * second, 32 * second, 60 * second, 60 * second}, false},
		{"exponential, bounded below its interval", RetryTerms{Strategy: RetryExponential, Interval: 90 * second, MaxInterval: 60 * second, MaxErrors: -1}, []time.Duration{90 * second, 90 * second}, false},
		{"fixed", RetryTerms{Strategy: RetryFixed, Interval: 5 * second, MaxErrors: 2}, []time.Duration{5 * second, 5 * second}, true},
		{"sequence", RetryTerms{Strategy: RetrySequence, Sequence: []Seconds{0, 1.5}, MaxErrors: 3}, []time.Duration{0, 1500 * time.Millisecond, 1500 * time.Millisecond}, true},
		{"none", RetryTerms{Strategy: RetryNone, Interval: second, MaxErrors: 0}, nil, true},
	} {
		for i, want := range c.want {
			if got, ok := c.retry.Delay(int64(i+1), 0); !ok || got != want {
				t.Errorf("%s: after error %d wait %v, %v, want %v", c.name, i+1, got, ok, want)
			}
		}
		if got, ok := c.retry.Delay(int64(len(c.want)+1), 0); ok == c.over {
			t.Errorf("%s: after error %d wait %v, %v", c.name, len(c.want)+1, got, ok)
		}
	}
	longest := RetryTerms{Strategy: RetryExponential, Interval: maxSpan.Duration(), MaxInterval: maxSpan.Duration(), Jitter: 1, MaxErrors: -1}
	for _, e := range []int64{1, 64, 1 << 40} {
		if got, ok := longest.Delay(e, 0.999); !ok || got <= maxSpan.Duration() {
			t.Errorf("after error %d wait %v", e, got)
		}
	}
	if got, _ := defaultRetry.Delay(2, 0.5); got != 2200*time.Millisecond {
		t.Errorf("with half of the jitter wait %v, want 2.2s", got)
	}
}
