package schema

import "time"

// InForce is a policy with every field that has a meaning for a plan, from whichever
// source.
type InForce struct {
	Policy
	// From is the source of each field by its wire name.
	From map[string]Source `json:"from"`
}

// Source is the source of a value in force.
type Source string

const (
	SourcePlan         Source = "plan"         // the plan itself
	SourceStation      Source = "station"      // the record of its station
	SourceInstallation Source = "installation" // a flag of serve
	SourceDefault      Source = "default"      // the default of the program

	// SourceConfiguration is the name of SourceInstallation in a [Rule].
	SourceConfiguration Source = "configuration"
)

// InForce resolves the policy of p at a station, as [Plan.Terms] does, with the source of
// each field.
func (p *Plan) InForce(st *Station, d Defaults) *InForce {
	t := p.Terms(st, d)
	f := &InForce{From: map[string]Source{}}
	var s Policy
	kind := KindAPI
	if st != nil {
		s, kind = st.Policy, first(st.Kind, KindAPI)
	}
	setSource := func(field string, plan, station bool, otherwise Source) {
		switch {
		case plan:
			otherwise = SourcePlan
		case station:
			otherwise = SourceStation
		}
		f.From[field] = otherwise
	}
	f.Overlap, f.CatchUp, f.Failure, f.Concurrency = t.Overlap, t.CatchUp, t.Failure, t.Concurrency
	setSource("overlap", p.Overlap != "" || p.NoKeep, s.Overlap != "", SourceDefault)
	setSource("catch_up", p.CatchUp != "" || p.NoKeep, s.CatchUp != "", SourceDefault)
	setSource("failure", p.Failure != "", s.Failure != "", SourceDefault)
	setSource("concurrency", p.Concurrency != "", s.Concurrency != "", SourceDefault)
	if t.MaxConcurrency > 0 {
		f.MaxConcurrency = &t.MaxConcurrency
		setSource("max_concurrency", true, false, SourceDefault)
	}
	f.Retry = t.Retry.asRetry()
	setSource("retry", p.Retry != nil, s.Retry != nil, SourceDefault)

	f.ExecTimeout, f.StartTimeout = inSeconds(t.ExecTimeout), inSeconds(t.StartTimeout)
	setSource("exec_timeout", p.ExecTimeout != nil, s.ExecTimeout != nil, sourceOf(t.ExecTimeout, d.ExecTimeout))
	setSource("start_timeout", p.StartTimeout != nil, s.StartTimeout != nil, sourceOf(t.StartTimeout, d.StartTimeout))
	switch kind {
	case KindVote:
		f.votes(p, &s, &t, setSource)
	case KindPull:
		f.claims(p, &s, &t, setSource)
	}
	return f
}

// sourceOf distinguishes a configured value from a default without configuration.
func sourceOf(is, configured time.Duration) Source {
	if is == configured {
		return SourceInstallation
	}
	return SourceDefault
}

func (f *InForce) votes(p *Plan, s *Policy, t *Terms, setSource func(string, bool, bool, Source)) {
	if t.Voters > 0 {
		f.Voters = &t.Voters
		setSource("voters", p.Voters != nil, s.Voters != nil, SourceDefault)
	}
	if t.Quorum > 0 {
		f.Quorum = &t.Quorum
		setSource("quorum", p.Quorum != nil, s.Quorum != nil, SourceDefault)
	}
}

func (f *InForce) claims(p *Plan, s *Policy, t *Terms, setSource func(string, bool, bool, Source)) {
	if t.PingTimeout > 0 {
		f.PingIntervalMS, f.PingTimeoutMS = inMilliseconds(t.PingInterval), inMilliseconds(t.PingTimeout)
		setSource("ping_interval_ms", p.PingIntervalMS != nil, s.PingIntervalMS != nil, SourceDefault)
		setSource("ping_timeout_ms", p.PingTimeoutMS != nil, s.PingTimeoutMS != nil, SourceDefault)
	}
	if t.MaxUnexpected >= 0 {
		f.MaxUnexpectedRetries = &t.MaxUnexpected
		setSource("max_unexpected_retries", p.MaxUnexpectedRetries != nil, s.MaxUnexpectedRetries != nil, SourceDefault)
	}
	f.UnexpectedRetryDelayMS = inMilliseconds(t.UnexpectedDelay)
	setSource("unexpected_retry_delay_ms", p.UnexpectedRetryDelayMS != nil, s.UnexpectedRetryDelayMS != nil, SourceDefault)
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
