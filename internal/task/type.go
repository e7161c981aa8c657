package task

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ParseType checks a task type as task_types.put takes it, and makes its station. The
// secret of its callbacks, if there is one, is no part of that. The error is
// [schema.Errors], with code invalid_request or too_large.
func ParseType(v wire.Value) (*schema.Station, schema.Secret, error) {
	t := new(schema.TaskType)
	var c checker
	if err := wire.Decode(v, t); err != nil {
		c.errs = schema.WireErrors(schema.CodeInvalidRequest, err)
	}
	c.code(t.Code)
	c.text("id", t.ID)
	c.text("name", t.Name)
	c.text("category", t.Category)
	c.config(&t.Config)
	s := station(t)
	for _, e := range s.Check() {
		if e.Field == "kind" && schema.IsBuiltIn(t.Code) {
			continue // the error is that of the code, and noted already
		}
		c.add(asTypeError(e, &t.Config))
	}
	var secret schema.Secret
	if t.Config.Callback != nil {
		c.addAll(t.Config.Callback.Check(), func(e *schema.Error) *schema.Error { return renamed(e, "config.callback."+e.Field) })
		secret = t.Config.Callback.Security.SK
	}
	return s, secret, c.err()
}

// station is the station of a type. The record itself lies beside it, so that it is read back
// as it was put.
func station(t *schema.TaskType) *schema.Station {
	bare := *t
	bare.Config.Callback = bare.Config.Callback.WithoutSecret()
	k := &bare.Config
	s := &schema.Station{
		Station: t.Code, Kind: schema.KindPull, Description: t.Name, Callback: k.Callback, TaskType: &bare,
	}
	if k.Kind != "" {
		s.Kind = k.Kind
	}
	s.Retry = retry(k)
	// An agent that subscribes may take all its time before its first reply, as far as its
	// type allows; one that fetches has begun with the claim.
	never := schema.Seconds(0)
	s.StartTimeout = &never
	switch {
	case k.TimeoutSeconds != nil:
		s.ExecTimeout = k.TimeoutSeconds
	case k.Timeout != nil:
		seconds := schema.Seconds(*k.Timeout * 60)
		s.ExecTimeout = &seconds
	}
	s.PingTimeoutMS = k.PingTimeoutMS
	s.MaxUnexpectedRetries, s.UnexpectedRetryDelayMS = k.MaxUnexpectedRetries, k.UnexpectedRetryDelayMS
	return s
}

// retry is the retry policy of a type. Its periods and sequences are exact, because jitter has
// to be asked for.
func retry(k *schema.TaskConfig) *schema.Retry {
	r := &schema.Retry{
		Strategy: k.RetryStrategy, MaxErrorCount: k.MaxErrorCount, Jitter: k.RetryJitter,
		NeedManual: k.NeedManual != nil && *k.NeedManual,
	}
	steady := 0.0
	switch k.RetryStrategy {
	case "", schema.RetryNone:
		none := int64(0)
		r.Strategy, r.MaxErrorCount = schema.RetryNone, &none
		return r
	case schema.RetrySequence:
		r.Sequence = k.RetrySequence
	default:
		r.Interval = k.RetryInterval
	}
	if r.Jitter == nil && k.RetryStrategy != schema.RetryExponential {
		r.Jitter = &steady
	}
	return r
}

// TypeOf returns the task type that a station was made of; false for a plain one.
func TypeOf(s *schema.Station) (*schema.TaskType, bool) { return s.TaskType, s.TaskType != nil }

// builtIn are the stations that the program serves itself.
var builtIn = []string{schema.HTTPStation, schema.QueueStation, schema.CallbackStation}

func (c *checker) code(code string) {
	switch {
	case code == "":
		c.fail("code", "code is missing; it names the type, and the station that its agents serve")
		return
	case len(code) > schema.MaxCallbackStation:
		c.fail("code", "code has %d bytes; at most %d are taken", len(code), schema.MaxCallbackStation)
	}
	if err := schema.CheckStation(code); err != nil {
		c.fail("code", "code %v", err)
	}
	for _, s := range builtIn {
		if code == s || strings.HasPrefix(code, s+".") {
			c.fail("code", "code is the name of a station that is served by the program itself; choose another one")
		}
	}
}

// config checks the fields of a type that a station does not have. Parameters that a strategy
// does not use are ignored.
func (c *checker) config(k *schema.TaskConfig) {
	if k.Kind != "" && k.Kind != schema.KindPull && k.Kind != schema.KindAPI {
		c.fail("config.kind", "config.kind is %q; it takes pull (agents fetch) or api (agents subscribe)", clip(string(k.Kind)))
	}
	if k.Timeout != nil && *k.Timeout < 0 {
		c.fail("config.timeout", "config.timeout is %v minutes; it takes 0 or more of them, 0: for ever; timeout_seconds takes seconds", *k.Timeout)
	}
	errors := int64(-1)
	if k.MaxErrorCount != nil {
		errors = *k.MaxErrorCount
	}
	switch k.RetryStrategy {
	case "":
		if k.RetryInterval != nil || len(k.RetrySequence) > 0 || errors > 0 {
			c.fail("config.retry_strategy", "config.retry_strategy is missing; it takes none, fixed_period, sequence or exponential")
		}
		return
	case schema.RetryNone:
		if errors > 0 {
			c.fail("config.max_error_count", "config.max_error_count is %d; with retry_strategy none there is no retry, and it is 0", errors)
		}
		return
	case schema.RetryFixed:
		if k.RetryInterval == nil {
			c.fail("config.retry_interval", "config.retry_interval is missing; retry_strategy fixed_period waits so many seconds before each retry")
		}
	case schema.RetrySequence:
		if len(k.RetrySequence) == 0 {
			c.fail("config.retry_sequence", "config.retry_sequence is missing; retry_strategy sequence takes a list of seconds such as [1, 10, 60]")
		}
	}
	if errors == 0 {
		c.fail("config.max_error_count", "config.max_error_count is 0; with retry_strategy %s it is how many errors are followed by a retry, at least 1", clip(string(k.RetryStrategy)))
	}
}

// inConfig are the names that fields of a station have in a task type.
var inConfig = map[string]string{
	"station":                   "code",
	"description":               "name",
	"retry.strategy":            "config.retry_strategy",
	"retry.interval":            "config.retry_interval",
	"retry.sequence":            "config.retry_sequence",
	"retry.jitter":              "config.retry_jitter",
	"retry.max_error_count":     "config.max_error_count",
	"exec_timeout":              "config.timeout",
	"kind":                      "config.kind",
	"ping_timeout_ms":           "config.ping_timeout_ms",
	"max_unexpected_retries":    "config.max_unexpected_retries",
	"unexpected_retry_delay_ms": "config.unexpected_retry_delay_ms",
}

// asTypeError translates an error of a station into one of its task type.
func asTypeError(e *schema.Error, k *schema.TaskConfig) *schema.Error {
	name := inConfig[e.Field]
	if strings.HasPrefix(e.Field, "callback.") {
		name = "config." + e.Field
	}
	if e.Field == "exec_timeout" && k.TimeoutSeconds != nil {
		name = "config.timeout_seconds"
	}
	return renamed(e, name)
}
