package calendar

import (
	"fmt"
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Spec has the fields of a plan about time. Fields without a meaning for the plan's type are
// ignored.
type Spec struct {
	Type  schema.PlanType // empty is none
	Value int64           // plan_value: 0 to 32766 steps of a grid, a weekday, or a day of the month
	Repet int64           // plan_repet: how many occurrences there are; -1 for ever; 0 is an error unless Type is none or time
	Time  time.Time       // plan_time: zero is absent; the start of a grid (@every too), the moment of time, the time of day, to the second, of week and month
	Cron  string          // see the package comment
	Zone  string          // timezone: an IANA name; empty is UTC

	Change schema.ClockChange // clock_change, of week, month and cron: words that exist; see the package comment

	From, Until time.Time // start_at and end_at: occurrences count in between, both included; zero is no bound

	// After is how many occurrences the plan had under the schedule that this one replaces
	// (plans.update). They count in Repet, and the next one is number After+1.
	After int64
}

// SpecOf returns the fields of a plan about time. A moment given as 0 is absent, and
// plan_repet of a cron plan is -1 unless it is given. Plans with the same times have specs
// that are ==.
func SpecOf(p *schema.Plan) Spec {
	s := Spec{
		Type: p.PlanType, Cron: p.Cron, Change: p.ClockChange,
		Time: given(p.PlanTime), From: given(p.StartAt), Until: given(p.EndAt),
	}
	switch p.PlanType {
	case schema.TypeWeek, schema.TypeMonth, schema.TypeCron:
		s.Zone = p.Timezone // that of calendars moves no grid
	}
	if p.PlanValue != nil {
		s.Value = *p.PlanValue
	}
	if p.PlanRepet != nil {
		s.Repet = *p.PlanRepet
	} else if p.PlanType == schema.TypeCron {
		s.Repet = -1
	}
	return s
}

// given turns the moment 0, which is a Unix time, into the zero Time, and any other into the
// microsecond in which it is stored: rounded up, because no occurrence may be early, as long
// as that is a year that can be written.
func given(t time.Time) time.Time {
	if t.Equal(time.Unix(0, 0)) {
		return time.Time{}
	}
	t = utc(t)
	down := t.Truncate(time.Microsecond)
	if up := down.Add(time.Microsecond); down.Before(t) && up.Year() <= 9999 {
		return up
	}
	return down
}

// maxValue is the largest plan_value of a grid.
const maxValue = 32766

var steps = map[schema.PlanType]int64{
	schema.TypeSecond: 1,
	schema.TypeMinute: 60,
	schema.TypeHour:   60 * 60,
	schema.TypeDay:    daySeconds,
}

// Compile returns the schedule of a plan that was accepted at that moment. It refuses, with a
// *[schema.Error] that names the wrong field, values out of range and schedules without a
// first time: an expression that never matches, a window without an occurrence. A schedule
// whose occurrences are all past is no error.
func Compile(s Spec, accepted time.Time) (Schedule, error) {
	c, err := s.compile(accepted)
	c.floor = max(utc(s.From).Add(time.Second-1).Unix(), accepted.Unix()+1)
	return c, err
}

func (s Spec) compile(accepted time.Time) (Schedule, error) {
	if err := s.check(accepted); err != nil {
		return Schedule{}, err
	}
	switch s.Type {
	case schema.TypeNone, "":
		return s.single(accepted)
	case schema.TypeTime:
		return s.single(s.Time)
	case schema.TypeWeek, schema.TypeMonth, schema.TypeCron:
		return s.byRule(accepted)
	default:
		return s.grid(accepted, s.Value*steps[s.Type], "plan_value")
	}
}

// single is the schedule of one occurrence: a grid of one.
func (s Spec) single(at time.Time) (Schedule, error) {
	early, late := at.Before(s.From), at.After(s.end())
	if early || late {
		field := "plan_time"
		if s.Type != schema.TypeTime { // then it is the window that does not fit
			field = "start_at"
			if late {
				field = "end_at"
			}
		}
		return Schedule{}, invalid(field, "the only occurrence, at %s, lies outside start_at to end_at", utc(at).Format(time.RFC3339Nano))
	}
	start := utc(at).Add(-time.Second)
	return Schedule{start: momentOf(start), step: 1, until: momentOf(s.end()), base: s.After, last: s.After + 1, once: true}, nil
}

// grid is the schedule whose occurrence k is due k steps, in seconds, after its start. An
// error names field.
func (s Spec) grid(accepted time.Time, step int64, field string) (Schedule, error) {
	start := s.Time
	if start.IsZero() {
		start = accepted
	}
	g := Schedule{start: momentOf(start), step: step, until: momentOf(s.end()), base: s.After, last: s.lastK()}
	if step == 0 {
		if start.Before(s.From) {
			g.start = momentOf(s.From)
		}
		return s.withFirst(g, field)
	}
	// Occurrence 1 is the first inside the window: the start moves on to one step
	// before it.
	if passed := g.stepsTo(s.From) - 1; passed > 0 {
		g.start = momentOf(g.at(g.base + passed))
	}
	g.last = g.base + min(g.last-g.base, max(0, g.stepsTo(g.until.time().Add(time.Nanosecond))-1))
	return s.withFirst(g, field)
}

// byRule is the schedule of a rule. All its times lie after the acceptance.
func (s Spec) byRule(accepted time.Time) (Schedule, error) {
	field := "plan_value"
	if s.Type == schema.TypeCron {
		field = "cron"
	}
	r, err := ruleOf(s.ruleKey())
	if err != nil {
		return Schedule{}, err
	}
	if r.every > 0 {
		return s.grid(accepted, r.every, field)
	}
	start := utc(accepted)
	if opens := utc(s.From).Add(-time.Nanosecond); opens.After(start) {
		start = opens
	}
	return s.withFirst(Schedule{rule: r, start: momentOf(start), until: momentOf(s.end()), base: s.After, last: s.lastK()}, field)
}

// ruleKey has the fields of s that make its rule.
func (s Spec) ruleKey() ruleKey {
	key := ruleKey{planType: s.Type, zone: s.Zone, change: s.Change}
	if s.Type == schema.TypeCron {
		key.cron = s.Cron
	} else if key.value = s.Value; !s.Time.IsZero() {
		key.planTime = s.Time.Unix()
	}
	return key
}

// withFirst refuses a schedule that has no occurrence at all.
func (s Spec) withFirst(c Schedule, field string) (Schedule, error) {
	if _, ok := c.Next(Due{}, time.Time{}); ok {
		return c, nil
	}
	if !s.Until.IsZero() {
		return Schedule{}, invalid("end_at", "no occurrence falls between start_at, or acceptance, and end_at")
	}
	return Schedule{}, invalid(field, "no occurrence falls before the end of year %d", lastYear)
}

// endOfTime is the last moment that RFC 3339 can write.
var endOfTime = time.Date(lastYear, time.December, 31, 23, 59, 59, 999_999_999, time.UTC)

// end returns the last moment at which an occurrence counts.
func (s Spec) end() time.Time {
	if s.Until.IsZero() {
		return endOfTime
	}
	return utc(s.Until)
}

// lastK returns the number that no occurrence exceeds.
func (s Spec) lastK() int64 {
	if s.Repet < 0 {
		return math.MaxInt64
	}
	return s.Repet
}

// utc returns t without its zone and its monotonic reading.
func utc(t time.Time) time.Time { return t.Round(0).UTC() }

// check refuses values that are out of range for any schedule.
func (s Spec) check(accepted time.Time) error {
	for _, bound := range []struct {
		field string
		at    time.Time
	}{
		{"plan_time", s.Time}, {"start_at", s.From}, {"end_at", s.Until},
		{"from", accepted}, // only plans.preview takes it from a request
	} {
		if year := bound.at.UTC().Year(); year < 1 || year > lastYear {
			return invalid(bound.field, "year %d cannot be written; 1 to %d can", year, lastYear)
		}
	}
	if !s.Until.IsZero() && s.Until.Before(s.From) {
		return invalid("end_at", "lies before start_at")
	}
	switch s.Type {
	case schema.TypeNone, "":
		return nil
	case schema.TypeTime:
		if s.Time.IsZero() {
			return invalid("plan_time", "is required by plan_type time")
		}
		return nil
	case schema.TypeSecond, schema.TypeMinute, schema.TypeHour, schema.TypeDay:
		return s.checkCounts(0, maxValue)
	case schema.TypeWeek:
		return s.checkCounts(0, 6)
	case schema.TypeMonth:
		return s.checkCounts(-31, 31)
	case schema.TypeCron:
		if s.Cron == "" {
			return invalid("cron", "is required by plan_type cron")
		}
		s.Value = 0 // means nothing to cron
		return s.checkCounts(0, 0)
	default:
		return invalid("plan_type", "%q is no plan type", string(s.Type))
	}
}

func (s Spec) checkCounts(low, high int64) error {
	switch {
	case s.Value < low || s.Value > high:
		return invalid("plan_value", "%d is outside %d to %d, the values of plan_type %s", s.Value, low, high, s.Type)
	case s.Repet == 0 || s.Repet < -1:
		return invalid("plan_repet", "%d: give how many occurrences there are, or -1 for ever", s.Repet)
	case s.Repet > 0 && s.Repet <= s.After:
		return invalid("plan_repet", "%d: the plan has had %d occurrences already", s.Repet, s.After)
	}
	return nil
}

// invalid returns the error for a refused plan.
func invalid(field, format string, args ...any) error {
	return &schema.Error{Code: schema.CodeInvalidPlan, Field: field, Message: fmt.Sprintf(format, args...)}
}
