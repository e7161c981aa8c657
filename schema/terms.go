package schema

import (
	"math"
	"time"
)

// Defaults are the configured values where neither plan nor station has one.
type Defaults struct {
	ExecTimeout  time.Duration // plan_exec_timeout; 0: none
	StartTimeout time.Duration // plan_start_timeout; 0: none
}

// Terms is a policy with every field decided: from the plan, then its station,
// then the configuration and the defaults.
type Terms struct {
	ExecTimeout  time.Duration // 0: none
	StartTimeout time.Duration // 0: none
	Retry        RetryTerms    // the retry after an error or a timeout
	Overlap      WhenBusy      // when an earlier occurrence is open; BusySkip by default
	OverlapGiven bool          // by plan or station; a skip that was asked for is stricter
	CatchUp      WhenMissed    // MissedNone of cron, else MissedCompact by default
	Failure      WhenFailed    // when the last execution failed; FailedRunNew by default
	Concurrency  WhenFull      // when MaxConcurrency is reached; FullQueue by default
	// MaxConcurrency is the plan's alone, because a station's own is about all its plans
	// together. 0: no limit.
	MaxConcurrency int64

	Voters int64 // of a vote; 0: as many as are known at dispatch
	Quorum int64 // at most Voters, if that is given; 0: more than half

	// Of pull stations. Pings are expected when PingTimeout is not 0; both are
	// set then.
	PingInterval    time.Duration
	PingTimeout     time.Duration // the worker counts as lost after so long without a ping
	MaxUnexpected   int64         // -1: no limit
	UnexpectedDelay time.Duration // before the retry of a lost worker's execution; 0: none
}

// RetryTerms is a retry policy with every field decided.
type RetryTerms struct {
	Strategy    Strategy      // RetryExponential by default
	Interval    time.Duration // before each retry, or the first exponential one; 1 s by default
	Sequence    []Seconds     // of RetrySequence: delays one by one, the last repeats; empty: Interval
	MaxInterval time.Duration // bounds exponential delays; 1 min by default
	Jitter      float64       // a share of the delay, 0 to 1, added at random; 0.2 by default
	MaxErrors   int64         // how many errors are followed by a retry; -1: no limit
	NeedManual  bool          // true: without retries left the plan is pending; false: a failure
}

const (
	defaultRetryInterval    = time.Second
	defaultRetryMaxInterval = time.Minute
	defaultRetryJitter      = 0.2
	// pingRatio: a ping every third of the time after which they are missed.
	pingRatio = 3
)

// Terms resolves the policy of p at a station; st is nil when that was never put.
func (p *Plan) Terms(st *Station, d Defaults) Terms {
	var s Policy
	pull := false
	if st != nil {
		s = st.Policy
		pull = st.Kind == KindPull
	}
	overlap, catchUp := BusySkip, MissedCompact
	if p.PlanType == TypeCron {
		catchUp = MissedNone
	}
	if p.NoKeep {
		// A preset of the plan, so it stands before its station's fields.
		s.Overlap, s.CatchUp = BusyQueue, MissedFull
	}
	t := Terms{
		Retry:         retryTerms(either(p.Retry, s.Retry)),
		Overlap:       first(p.Overlap, s.Overlap, overlap),
		OverlapGiven:  first(p.Overlap, s.Overlap) != "",
		CatchUp:       first(p.CatchUp, s.CatchUp, catchUp),
		Failure:       first(p.Failure, s.Failure, FailedRunNew),
		Concurrency:   first(p.Concurrency, s.Concurrency, FullQueue),
		Voters:        value(either(p.Voters, s.Voters), 0),
		Quorum:        value(either(p.Quorum, s.Quorum), 0),
		MaxUnexpected: value(either(p.MaxUnexpectedRetries, s.MaxUnexpectedRetries), -1),

		MaxConcurrency:  value(p.MaxConcurrency, 0),
		UnexpectedDelay: milliseconds(either(p.UnexpectedRetryDelayMS, s.UnexpectedRetryDelayMS)),
	}
	t.reconcile(p)
	if pull {
		// A claim is a first reply, and pings stand in for the end of an execution, unless
		// more is configured.
		d.StartTimeout = 0
		t.pings(either(p.PingIntervalMS, s.PingIntervalMS), either(p.PingTimeoutMS, s.PingTimeoutMS))
		if t.PingTimeout > 0 {
			d.ExecTimeout = 0
		}
	}
	t.ExecTimeout = span(either(p.ExecTimeout, s.ExecTimeout), d.ExecTimeout)
	t.StartTimeout = span(either(p.StartTimeout, s.StartTimeout), d.StartTimeout)
	return t
}

// reconcile is for a plan and a station of which one has the voters and the other the
// quorum, and the two do not go together. The plan's own value stands, and if that is the
// quorum, so many must vote.
func (t *Terms) reconcile(p *Plan) {
	if t.Voters == 0 || t.Quorum <= t.Voters {
		return
	}
	if p.Voters != nil {
		t.Quorum = t.Voters
	} else {
		t.Voters = t.Quorum
	}
}

func (t *Terms) pings(interval, timeout *int64) {
	t.PingInterval, t.PingTimeout = milliseconds(interval), milliseconds(timeout)
	switch {
	case interval == nil:
		t.PingInterval = t.PingTimeout / pingRatio
	case timeout == nil:
		t.PingTimeout = t.PingInterval * pingRatio
	}
}

func retryTerms(r *Retry) RetryTerms {
	if r == nil {
		r = &Retry{}
	}
	t := RetryTerms{
		Strategy:    first(r.Strategy, RetryExponential),
		Interval:    span(r.Interval, defaultRetryInterval),
		Sequence:    r.Sequence,
		MaxInterval: span(r.MaxInterval, defaultRetryMaxInterval),
		Jitter:      value(r.Jitter, defaultRetryJitter),
		MaxErrors:   value(r.MaxErrorCount, -1),
		NeedManual:  r.NeedManual,
	}
	if t.Strategy == RetryNone {
		t.MaxErrors = 0
	}
	return t
}

// Delay returns how long to wait after the e-th error of an occurrence, from 1,
// before the next attempt; false when retries are used up. Unit is in [0, 1) and
// picks a place in the jitter, which only ever adds.
func (r *RetryTerms) Delay(e int64, unit float64) (time.Duration, bool) {
	if r.MaxErrors >= 0 && e > r.MaxErrors {
		return 0, false
	}
	delay := r.Interval
	switch r.Strategy {
	case RetrySequence:
		if n := int64(len(r.Sequence)); n > 0 {
			delay = r.Sequence[min(max(e, 1), n)-1].Duration()
		}
	case RetryExponential:
		exact := math.Ldexp(float64(r.Interval), int(min(max(e, 1), 64))-1)
		delay = time.Duration(min(exact, float64(max(r.MaxInterval, r.Interval))))
	}
	return delay + time.Duration(float64(delay)*r.Jitter*unit), true
}

func either[T any](plan, station *T) *T {
	if plan != nil {
		return plan
	}
	return station
}

func first[T ~string](words ...T) T {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

func value[T any](given *T, otherwise T) T {
	if given != nil {
		return *given
	}
	return otherwise
}

func span(given *Seconds, otherwise time.Duration) time.Duration {
	if given != nil {
		return given.Duration()
	}
	return otherwise
}

func milliseconds(given *int64) time.Duration {
	return time.Duration(value(given, 0)) * time.Millisecond
}
