package front

import "github.com/stationmaster-io/stationmaster/schema"

// unsupported is what this release knows but does not do yet. It is refused at the
// door, so that nobody relies on what would be ignored. A row holds for plans, for
// stations, or through policy for both.
var unsupported = []struct {
	field   string
	plan    func(*schema.Plan) bool
	station func(*schema.Station) bool
	policy  func(*schema.Policy) bool
}{
	{field: "worker_count", plan: func(p *schema.Plan) bool { return p.WorkerCount > 1 }},
	{field: "kind", station: func(s *schema.Station) bool { return s.Kind == schema.KindPull }},
	{field: "ping_interval_ms", policy: func(p *schema.Policy) bool { return p.PingIntervalMS != nil }},
	{field: "ping_timeout_ms", policy: func(p *schema.Policy) bool { return p.PingTimeoutMS != nil }},
	{field: "max_unexpected_retries", policy: func(p *schema.Policy) bool { return p.MaxUnexpectedRetries != nil }},
	{field: "unexpected_retry_delay_ms", policy: func(p *schema.Policy) bool { return p.UnexpectedRetryDelayMS != nil }},
}

func unsupportedInPlan(p *schema.Plan) (errs schema.Errors) {
	for _, u := range unsupported {
		if u.plan != nil && u.plan(p) || u.policy != nil && u.policy(&p.Policy) {
			errs = append(errs, notSupported(schema.CodeInvalidPlan, u.field))
		}
	}
	return errs
}

func unsupportedInStation(s *schema.Station) (errs schema.Errors) {
	for _, u := range unsupported {
		if u.station != nil && u.station(s) || u.policy != nil && u.policy(&s.Policy) {
			errs = append(errs, notSupported(schema.CodeInvalidRequest, u.field))
		}
	}
	return errs
}

func notSupported(code schema.Code, field string) *schema.Error {
	return &schema.Error{Code: code, Field: field, Message: field + ", as it is given, is not supported by this release; leave it out"}
}
