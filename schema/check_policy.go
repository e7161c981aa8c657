package schema

// policy checks the fields that a plan and a station have in common.
func (c *checker) policy(p *Policy) {
	word(c, "overlap", p.Overlap)
	word(c, "failure", p.Failure)
	word(c, "concurrency", p.Concurrency)
	word(c, "catch_up", p.CatchUp)
	c.atLeast("max_concurrency", p.MaxConcurrency, 0)
	c.span("exec_timeout", p.ExecTimeout)
	c.span("start_timeout", p.StartTimeout)
	if p.Retry != nil {
		c.retry(p.Retry)
	}
	c.votes(p)
	const maxMS = int64(maxSpan) * 1000
	c.within("ping_interval_ms", p.PingIntervalMS, 1, maxMS)
	c.within("ping_timeout_ms", p.PingTimeoutMS, 1, maxMS)
	c.atLeast("max_unexpected_retries", p.MaxUnexpectedRetries, 0)
	c.within("unexpected_retry_delay_ms", p.UnexpectedRetryDelayMS, 0, maxMS)
}

func (c *checker) retry(r *Retry) {
	word(c, "retry.strategy", r.Strategy)
	c.interval("retry.interval", r.Interval)
	c.interval("retry.max_interval", r.MaxInterval)
	switch {
	case r.Strategy == RetrySequence && len(r.Sequence) == 0:
		c.fail("retry.sequence", "retry.sequence is missing; strategy sequence takes a list of seconds such as [1, 10, 60]")
	case r.Strategy == "" && len(r.Sequence) > 0:
		c.fail("retry.strategy", `retry.strategy is missing; with a sequence it is "sequence"`)
	case len(r.Sequence) > maxWorkers:
		c.fail("retry.sequence", "retry.sequence has %d items; at most %d are taken", len(r.Sequence), maxWorkers)
	}
	for i, s := range r.Sequence {
		if s < 0 || s > maxSpan {
			c.fail("retry.sequence", "retry.sequence: item %d is %v; delays are 0 to %d seconds", i+1, float64(s), int64(maxSpan))
		}
	}
	if r.Interval != nil && r.MaxInterval != nil && *r.MaxInterval < *r.Interval {
		c.fail("retry.max_interval", "retry.max_interval is %v, less than retry.interval", float64(*r.MaxInterval))
	}
	c.atLeast("retry.max_error_count", r.MaxErrorCount, 0)
	if r.Jitter != nil && (*r.Jitter < 0 || *r.Jitter > 1) {
		c.fail("retry.jitter", "retry.jitter is %v; it takes 0 to 1, a share of the delay", *r.Jitter)
	}
}

// MaxVoters bounds voters and quorum, because the votes of an execution are a part of its
// plan's record, and all of them of its result.
const MaxVoters = 64

func (c *checker) votes(p *Policy) {
	c.within("voters", p.Voters, 1, MaxVoters)
	c.within("quorum", p.Quorum, 1, MaxVoters)
	if p.Voters != nil && p.Quorum != nil && *p.Quorum > *p.Voters {
		c.fail("quorum", "quorum is %d; with voters %d it takes 1 to %d", *p.Quorum, *p.Voters, *p.Voters)
	}
}

// interval checks a delay that is not 0, so that no retry runs hot.
func (c *checker) interval(field string, s *Seconds) {
	if s != nil && (*s <= 0 || *s > maxSpan) {
		c.fail(field, "%s is %v; it takes more than 0 seconds, and %d at most", field, float64(*s), int64(maxSpan))
	}
}

// span checks a timeout, 0 being none.
func (c *checker) span(field string, s *Seconds) {
	if s != nil && (*s < 0 || *s > maxSpan) {
		c.fail(field, "%s is %v; it takes 0 (none) to %d seconds", field, float64(*s), int64(maxSpan))
	}
	c.notTiny(field, s)
}

// leastTimeout is the resolution of stored times, in seconds.
const leastTimeout = Seconds(0.001)

// notTiny refuses a timeout in which nothing can be done, as of one that was meant in another unit.
func (c *checker) notTiny(field string, s *Seconds) {
	if s != nil && *s > 0 && *s < leastTimeout {
		c.fail(field, "%s is %v seconds, in which nothing can be done; the shortest is %v", field, float64(*s), float64(leastTimeout))
	}
}

func (c *checker) atLeast(field string, n *int64, least int64) {
	if n != nil && *n < least {
		c.fail(field, "%s is %d; it takes %d or more", field, *n, least)
	}
}

func (c *checker) within(field string, n *int64, least, most int64) {
	if n != nil && (*n < least || *n > most) {
		c.fail(field, "%s is %d; it takes %d to %d", field, *n, least, most)
	}
}
