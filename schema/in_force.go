package schema

import "time"

// InForce is a policy with every field that has a meaning for a plan, from whichever
// source.
type InForce struct {
	Policy
	// From is the source of each field by its wire name.
	From map[string]Said `json:"from"`
}

// Said is the source of a value in force.
type Said string

const (
	SaidPlan         Said = "plan"         // the plan itself
	SaidStation      Said = "station"      // the record of its station
	SaidInstallation Said = "installation" // a flag of serve
	SaidDefault      Said = "default"      // the default of the program
)

// InForce resolves the policy of p at a station, as [Plan.Terms] does, with the source of
// each field.
func (p *Plan) InForce(st *Station, d Defaults) *InForce {
	t := p.Terms(st, d)
	f := &InForce{From: map[string]Said{}}
	var s Policy
	kind := KindAPI
	if st != nil {
		s, kind = st.Policy, first(st.Kind, KindAPI)
	}
	says := func(field string, plan, station bool, otherwise Said) {
		switch {
		case plan:
			otherwise = SaidPlan
		case station:
			otherwise = SaidStation
		}
		f.From[field] = otherwise
	}
	f.Overlap, f.CatchUp, f.Failure, f.Concurrency = t.Overlap, t.CatchUp, t.Failure, t.Concurrency
	says("overlap", p.Overlap != "" || p.NoKeep, s.Overlap != "", SaidDefault)
	says("catch_up", p.CatchUp != "" || p.NoKeep, s.CatchUp != "", SaidDefault)
	says("failure", p.Failure != "", s.Failure != "", SaidDefault)
	says("concurrency", p.Concurrency != "", s.Concurrency != "", SaidDefault)
	if t.MaxConcurrency > 0 {
		f.MaxConcurrency = &t.MaxConcurrency
		says("max_concurrency", true, false, SaidDefault)
	}
	f.Retry = t.Retry.asRetry()
	says("retry", p.Retry != nil, s.Retry != nil, SaidDefault)

	f.ExecTimeout, f.StartTimeout = inSeconds(t.ExecTimeout), inSeconds(t.StartTimeout)
	says("exec_timeout", p.ExecTimeout != nil, s.ExecTimeout != nil, sourceOf(t.ExecTimeout, d.ExecTimeout))
	says("start_timeout", p.StartTimeout != nil, s.StartTimeout != nil, sourceOf(t.StartTimeout, d.StartTimeout))
	switch kind {
	case KindVote:
		f.votes(p, &s, &t, says)
	case KindPull:
		f.claims(p, &s, &t, says)
	}
	return f
}

// sourceOf distinguishes a configured value from a default without configuration.
func sourceOf(is, configured time.Duration) Said {
	if is == configured {
		return SaidInstallation
	}
	return SaidDefault
}

func (f *InForce) votes(p *Plan, s *Policy, t *Terms, says func(string, bool, bool, Said)) {
	if t.Voters > 0 {
		f.Voters = &t.Voters
		says("voters", p.Voters != nil, s.Voters != nil, SaidDefault)
	}
	if t.Quorum > 0 {
		f.Quorum = &t.Quorum
		says("quorum", p.Quorum != nil, s.Quorum != nil, SaidDefault)
	}
}

func (f *InForce) claims(p *Plan, s *Policy, t *Terms, says func(string, bool, bool, Said)) {
	if t.PingTimeout > 0 {
		f.PingIntervalMS, f.PingTimeoutMS = inMilliseconds(t.PingInterval), inMilliseconds(t.PingTimeout)
		says("ping_interval_ms", p.PingIntervalMS != nil, s.PingIntervalMS != nil, SaidDefault)
		says("ping_timeout_ms", p.PingTimeoutMS != nil, s.PingTimeoutMS != nil, SaidDefault)
	}
	if t.MaxUnexpected >= 0 {
		f.MaxUnexpectedRetries = &t.MaxUnexpected
		says("max_unexpected_retries", p.MaxUnexpectedRetries != nil, s.MaxUnexpectedRetries != nil, SaidDefault)
	}
	f.UnexpectedRetryDelayMS = inMilliseconds(t.UnexpectedDelay)
	says("unexpected_retry_delay_ms", p.UnexpectedRetryDelayMS != nil, s.UnexpectedRetryDelayMS != nil, SaidDefault)
}

// asRetry is the policy that was decided on, with the fields that its strategy uses.
func (t *RetryTerms) asRetry() *Retry {
	r := &Retry{Strategy: t.Strategy, NeedManual: t.NeedManual}
	if t.MaxErrors >= 0 {
		r.MaxErrorCount = &t.MaxErrors
	}
	if t.Strategy == RetryNone {
		return r
	}
	r.Jitter = &t.Jitter
	switch {
	case t.Strategy == RetrySequence && len(t.Sequence) > 0:
		r.Sequence = t.Sequence
		return r
	case t.Strategy == RetryExponential:
		r.MaxInterval = inSeconds(t.MaxInterval)
	}
	r.Interval = inSeconds(t.Interval)
	return r
}

func inSeconds(d time.Duration) *Seconds {
	s := Seconds(d.Seconds())
	return &s
}

func inMilliseconds(d time.Duration) *int64 {
	ms := d.Milliseconds()
	return &ms
}
