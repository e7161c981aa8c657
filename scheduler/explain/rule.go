package explain

import (
	"cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// rule is the field that decided; nil: none did.
func (x *explaining) rule() (*schema.Rule, error) {
	field := x.field()
	if field == "" {
		return nil, nil
	}
	value, from := x.inForce(field)
	if value == nil {
		return nil, nil
	}
	v, err := wire.ValueOf(wire.JSON, value)
	return &schema.Rule{Field: field, Value: v, From: from}, err
}

// field is the wire name of the field that decided; empty: none did.
func (x *explaining) field() string {
	b := x.Because
	switch x.Verdict {
	case schema.VerdictWaits:
		return waitFields[x.Waits.For]
	case schema.VerdictUnknown:
		if x.plan.Log == schema.LogNone {
			return "log"
		}
		return ""
	case schema.VerdictNever:
		switch x.Reason {
		case schema.ReasonCalendar:
			return calendarField(b)
		case schema.ReasonClosed, schema.ReasonManual:
			return ""
		}
		return cmp.Or(neverFields[x.Reason], "")
	case schema.VerdictFailed:
		if f := failedFields[x.Reason]; f != "" {
			return f
		}
		return ""
	case schema.VerdictRan:
		if x.result != nil && x.result.Trigger == schema.TriggerCatchUp {
			return "catch_up"
		}
		return ""
	case schema.VerdictSkipped, schema.VerdictCancelled:
		switch {
		case x.Reason == schema.ReasonCalendar:
			return calendarField(b)
		case x.Reason == schema.ReasonPast && b != nil && !b.Accepted.IsZero():
			return "no_keep"
		}
		return skipFields[x.Reason]
	default:
		return ""
	}
}

var waitFields = map[schema.WaitFor]string{
	schema.WaitRoom: "max_concurrency", schema.WaitTurn: "overlap", schema.WaitRetry: "retry.strategy", schema.WaitJitter: "jitter",
}

var neverFields = map[schema.Reason]string{
	schema.ReasonRepetitions: "plan_repet", schema.ReasonEndAt: "end_at", schema.ReasonStartAt: "start_at", schema.ReasonGap: "clock_change.gap",
}

var failedFields = map[schema.Reason]string{
	schema.ReasonRetries: "retry.max_error_count", schema.ReasonExec: "exec_timeout", schema.ReasonStart: "start_timeout",
	schema.ReasonPing: "ping_timeout_ms", schema.ReasonUnknown: "on_unknown",
}

var skipFields = map[schema.Reason]string{
	schema.ReasonOverlap: "overlap", schema.ReasonPast: "overlap", schema.ReasonFailure: "failure",
	schema.ReasonConcurrency: "concurrency", schema.ReasonMissed: "catch_up",
}

// calendarField is the field that names the calendar because of which an occurrence does not run.
func calendarField(b *schema.Because) string {
	if b != nil && b.Only {
		return "only"
	}
	return "exclude"
}

// inForce is the value of a field and its source; nil: it has none, and did not decide.
func (x *explaining) inForce(field string) (any, schema.Source) {
	in := x.plan.InForce(x.Leader.Station, x.Leader.Defaults)
	from := in.From[field]
	switch field {
	case "overlap":
		return in.Overlap, from
	case "failure":
		return in.Failure, from
	case "catch_up":
		return in.CatchUp, from
	case "concurrency":
		if in.Concurrency != schema.FullSkip {
			return nil, "" // the bound of open occurrences, which no field sets
		}
		return in.Concurrency, from
	case "max_concurrency":
		return x.limit(in)
	case "exec_timeout":
		return seconds(in.ExecTimeout), ofConfiguration(from)
	case "start_timeout":
		return seconds(in.StartTimeout), ofConfiguration(from)
	case "ping_timeout_ms":
		return orNone(in.PingTimeoutMS), from
	case "retry.strategy":
		return in.Retry.Strategy, in.From["retry"]
	case "retry.max_error_count":
		return orNone(in.Retry.MaxErrorCount), in.From["retry"]
	default:
		return x.ofPlan(field)
	}
}

// ofPlan is the value of a field that plans alone have.
func (x *explaining) ofPlan(field string) (any, schema.Source) {
	p := &x.plan
	own := func(given bool, value any) (any, schema.Source) {
		if given {
			return value, schema.SourcePlan
		}
		return value, schema.SourceDefault
	}
	switch field {
	case "on_unknown":
		return own(p.OnUnknown != "", cmp.Or(p.OnUnknown, schema.UnknownRedo))
	case "log":
		return own(true, p.Log)
	case "no_keep":
		return own(p.NoKeep, p.NoKeep)
	case "jitter":
		return own(true, float64(p.Jitter))
	case "plan_repet":
		if p.PlanRepet == nil {
			return own(false, 1)
		}
		return own(true, *p.PlanRepet)
	case "start_at":
		return own(true, p.StartAt)
	case "end_at":
		if p.EndAt.IsZero() {
			return nil, ""
		}
		return own(true, p.EndAt)
	case "clock_change.gap":
		return own(p.ClockChange.Gap != "", cmp.Or(p.ClockChange.Gap, schema.GapAfter))
	case "exclude":
		return own(true, p.Exclude)
	case "only":
		return own(true, p.Only)
	default:
		return nil, ""
	}
}

// limit is the limit that an occurrence waits for, of its station if its cause names one.
func (x *explaining) limit(in *schema.InForce) (any, schema.Source) {
	st := x.Leader.Station
	if x.Because != nil && x.Because.Station != "" && st != nil && st.MaxConcurrency != nil {
		return *st.MaxConcurrency, schema.SourceStation
	}
	return orNone(in.MaxConcurrency), schema.SourcePlan
}

// orNone is the value at p, and nil without one.
func orNone(p *int64) any {
	if p == nil {
		return nil
	}
	return *p
}

func seconds(s *schema.Seconds) any {
	if s == nil {
		return nil
	}
	return float64(*s)
}

// ofConfiguration is the source of a timeout by its name in a rule.
func ofConfiguration(s schema.Source) schema.Source {
	if s == schema.SourceInstallation {
		return schema.SourceConfiguration
	}
	return s
}
