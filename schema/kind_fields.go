package schema

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ofKinds are the fields of a plan that have a meaning at stations of some kinds alone. A
// plan is accepted with them at other stations, too, because the kind of a station may
// change.
var ofKinds = []struct {
	field string
	kinds []Kind
}{
	{"worker_count", []Kind{KindPull}},
	{"worker_ids", []Kind{KindAPI, KindPull}},
	{"priority", []Kind{KindPull}},
	{"ping_interval_ms", []Kind{KindPull}},
	{"ping_timeout_ms", []Kind{KindPull}},
	{"max_unexpected_retries", []Kind{KindPull}},
	{"unexpected_retry_delay_ms", []Kind{KindPull}},
	{"voters", []Kind{KindVote}},
	{"quorum", []Kind{KindVote}},
}

// An IdleField is one that does nothing, and the kinds of stations that it is for, such as "api and
// pull".
type IdleField struct {
	Name, For string // the field, and the kinds of stations that it is for
}

// IdleAt are the fields that a plan, or an update of one, has and that do nothing at a station of a
// kind.
func IdleAt(plan wire.Value, kind Kind) (idle []IdleField) {
	for _, f := range ofKinds {
		v := plan.Field(f.field)
		if v.IsZero() || v.Kind() == wire.KindNull || slices.Contains(f.kinds, kind) {
			continue
		}
		if n, is := v.Int(); f.field == "worker_count" && is && n <= 1 { // same as absent
			continue
		}
		of := string(f.kinds[0])
		for _, kind := range f.kinds[1:] {
			of += " and " + string(kind)
		}
		idle = append(idle, IdleField{f.field, of})
	}
	return idle
}

// IdleFields are the fields of a plan that do nothing, with their paths, because its plan_type or its
// retry strategy has no use for them. A plan is accepted with them, because clients send all fields;
// those with the value that holds anyway are not idle.
func (p *Plan) IdleFields() (idle []string) {
	once := p.PlanType == "" || p.PlanType == TypeNone || p.PlanType == TypeTime
	note := func(name string, given bool) {
		if given {
			idle = append(idle, name)
		}
	}
	note("plan_time", !p.PlanTime.IsZero() && (once && p.PlanType != TypeTime || p.PlanType == TypeCron && !p.counts()))
	note("plan_value", p.PlanValue != nil && *p.PlanValue != 0 && (once || p.PlanType == TypeCron))
	note("plan_repet", p.PlanRepet != nil && *p.PlanRepet != 0 && *p.PlanRepet != 1 && once)
	if r := p.Retry; r != nil && r.Strategy == RetryNone {
		note("retry.interval", r.Interval != nil && *r.Interval != 0)
		note("retry.sequence", len(r.Sequence) > 0)
		note("retry.max_interval", r.MaxInterval != nil && *r.MaxInterval != 0)
		note("retry.max_error_count", r.MaxErrorCount != nil && *r.MaxErrorCount != 0)
		note("retry.jitter", r.Jitter != nil && *r.Jitter != 0)
	}
	return idle
}
