package schema

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// maxText bounds texts that travel in headers or events.
	maxText = 4 << 10
	// maxSpan bounds every span of time, far below the range of a time.Duration.
	maxSpan = Seconds(10 * 365 * 24 * 3600)
	// maxWorkers bounds worker_ids.
	maxWorkers = 1000
	// maxBatch bounds how many items one execution hands over.
	maxBatch = 10_000
	// MaxCron bounds a cron expression, in bytes.
	MaxCron = 256
	// maxPlanValue bounds plan_value of a grid, in its unit.
	maxPlanValue = 32766
)

// ParseStation checks a station as stations.put takes it. The error is
// [Errors], with code invalid_request or too_large.
func ParseStation(v wire.Value) (*Station, error) {
	s := new(Station)
	c := checker{code: CodeInvalidRequest}
	if err := wire.Decode(v, s); err != nil {
		c.errs = WireErrors(CodeInvalidRequest, err)
	}
	if s.TaskType != nil {
		c.fail("task_type", "task_type is made by task_types.put, which makes the station of the type, too")
	}
	c.stationRecord(s)
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	if s.Kind == "" {
		s.Kind = KindAPI
	}
	return s, nil
}

// Check returns the errors of s, as [ParseStation] does; nil when there are none.
func (s *Station) Check() Errors {
	c := checker{code: CodeInvalidRequest}
	c.stationRecord(s)
	return c.errs
}

func (c *checker) stationRecord(s *Station) {
	c.station(s.Station)
	c.text("description", s.Description, false)
	word(c, "kind", s.Kind)
	c.kindOfOurs(s)
	word(c, "encoding", s.Encoding)
	c.policy(&s.Policy)
	c.callback(s)
}

// kindOfOurs keeps the program's own stations to the kind that its workers serve, because
// under pub an execution is ok with any outcome of the call, and its items are lost with
// it; under pull no worker claims it; under vote each node makes the call.
func (c *checker) kindOfOurs(s *Station) {
	if IsBuiltIn(s.Station) && s.Kind != "" && s.Kind != KindAPI {
		c.fail("kind", "kind is %s; stationmaster itself works at %s, which takes %s", s.Kind, s.Station, KindAPI)
	}
}

// A checker collects the errors of one request.
type checker struct {
	code Code
	errs Errors
	// shown takes a header that stands for a value which is not shown.
	shown bool
}

// fail notes that field is wrong. One error a field is enough, because a field that could
// not be decoded is not also missing.
func (c *checker) fail(field, format string, args ...any) {
	c.failAs(c.code, field, format, args...)
}

func (c *checker) failAs(code Code, field, format string, args ...any) {
	for _, e := range c.errs {
		if e.Field == field || e.Field == "" {
			return
		}
	}
	c.errs = append(c.errs, &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) plan(p *Plan, o ParseOptions) {
	if p.PlanID != "" {
		if err := CheckID(p.PlanID); err != nil {
			c.fail("plan_id", "plan_id %v", err)
		}
	}
	if p.Station != "" || !o.Preview {
		c.planStation(p.Station)
	}
	if p.Command == "" && !o.Preview && !o.NoCommand {
		c.fail("command", "command is missing; it names the work of the station's workers")
	}
	c.text("command", p.Command, true)
	c.text("request_id", p.RequestID, true)
	c.text("caller", p.Caller, true)
	c.text("description", p.Description, false)
	c.schedule(p)
	c.policy(&p.Policy)
	c.delivery(p)
	c.labels(p.Labels)
	if p.Station == HTTPStation && !o.Preview {
		c.httpPlan(p)
	}
	word(c, "on_unknown", p.OnUnknown)
	word(c, "on_failure", p.OnFailure)
	word(c, "log", p.Log)
	word(c, "on_conflict", p.OnConflict)
	c.attribution(p.Attribution)
}

func (c *checker) station(name string) {
	if name == "" {
		c.fail("station", "station is missing; it names where executions go")
		return
	}
	if err := CheckStation(name); err != nil {
		c.fail("station", "station %v", err)
	}
}

// planStation checks where a plan's executions go. Callbacks are signed with another
// station's secret, so that their plans are the scheduler's alone.
func (c *checker) planStation(name string) {
	c.station(name)
	if of, is := CalledBack(name); is {
		c.fail("station", "station %s is the scheduler's own: it delivers the callbacks of %s", shorten(name), shorten(of))
	}
}

// text checks a text that travels in headers or events. Line ends and other control
// characters are refused where the text would be cut off at them.
func (c *checker) text(field, s string, plain bool) {
	if len(s) > maxText {
		c.failAs(CodeTooLarge, field, "%s has %d bytes; at most %d are taken", field, len(s), maxText)
		return
	}
	if !plain {
		return
	}
	if i := strings.IndexFunc(s, isControl); i >= 0 {
		c.fail(field, "%s holds the control character %q, which is not allowed", field, s[i])
	}
}

// delivery checks the fields that route the executions of a plan to workers.
func (c *checker) delivery(p *Plan) {
	if p.Priority != nil && (*p.Priority < 0 || *p.Priority > 9) {
		c.fail("priority", "priority is %d; it takes 0 to 9, 9 first", *p.Priority)
	}
	if p.WorkerCount < 0 || p.WorkerCount > MaxWorkerCount {
		c.fail("worker_count", "worker_count is %d; it takes 1 to %d", p.WorkerCount, MaxWorkerCount)
	}
	if len(p.WorkerIDs) > maxWorkers {
		c.fail("worker_ids", "worker_ids has %d items; at most %d are taken", len(p.WorkerIDs), maxWorkers)
	}
	for i, id := range p.WorkerIDs {
		if err := CheckID(id); err != nil {
			c.fail("worker_ids", "worker_ids: item %d %v", i+1, err)
		}
	}
	if p.Batch < 0 || p.Batch > maxBatch {
		c.fail("batch", "batch is %d; it takes 1 to %d", p.Batch, maxBatch)
	}
}

func (c *checker) labels(labels map[string]string) {
	for name := range labels {
		if name == "" {
			c.fail("labels", "labels holds an empty name")
		}
	}
}

// CheckMadeAt refuses a valid plan that would surprise its user if it were made now. That is one
// of type none with a time in the future, because it would run at once. The next minute counts as
// now, because clocks differ. A scheduler takes such a plan, because type none has no time; the
// check is for programs that make plans from users' input.
func (p *Plan) CheckMadeAt(now time.Time) error {
	if p.PlanType != TypeNone || !p.PlanTime.After(now.Add(time.Minute)) {
		return nil
	}
	return &Error{
		Code: CodeInvalidPlan, Field: "plan_time",
		Message: fmt.Sprintf("plan_time is %s, and a plan of type none runs at once; one of type time runs once, at its plan_time",
			p.PlanTime.UTC().Format(time.RFC3339Nano)),
	}
}

// schedule checks the fields that the calendar reads. The meaning of a cron expression is
// left to the calendar.
func (c *checker) schedule(p *Plan) {
	c.times(p)
	switch p.PlanType {
	case "":
		c.untyped(p)
	case TypeNone:
	case TypeTime:
		if p.PlanTime.IsZero() {
			c.fail("plan_time", "plan_time is missing; a plan of type time is due then")
		}
	case TypeSecond, TypeMinute, TypeHour, TypeDay:
		c.repeating(p, 0, maxPlanValue)
	case TypeWeek:
		c.repeating(p, 0, 6)
	case TypeMonth:
		c.repeating(p, -31, 31)
	case TypeCron:
		switch {
		case strings.TrimSpace(p.Cron) == "":
			c.fail("cron", "cron is missing; a plan of type cron takes an expression such as */5 * * * *")
		case len(p.Cron) > MaxCron:
			c.fail("cron", "cron has %d bytes; at most %d are taken", len(p.Cron), MaxCron)
		}
		if p.PlanRepet != nil {
			c.repet(p.PlanType, *p.PlanRepet)
		}
	default:
		word(c, "plan_type", p.PlanType)
		return
	}
	if p.Cron != "" && p.PlanType != TypeCron && p.PlanType != "" {
		c.fail("cron", "cron belongs to plan_type cron; this plan is of type %s", p.PlanType)
	}
	c.calendars(p)
	c.timezone(p)
	c.clockChange(p)
}

// untyped refuses a plan that would run at once because its type was forgotten.
func (c *checker) untyped(p *Plan) {
	switch {
	case p.Cron != "":
		c.fail("plan_type", `plan_type is missing; with a cron expression it is "cron"`)
	case !p.PlanTime.IsZero() && p.PlanValue == nil && p.PlanRepet == nil:
		c.fail("plan_type", `plan_type is missing; without it a plan runs once, at once; "time" runs it once, at plan_time`)
	case p.PlanValue != nil || p.PlanRepet != nil || !p.PlanTime.IsZero():
		c.fail("plan_type", "plan_type is missing; without it a plan runs once, at once, and needs no schedule")
	}
}

// repeating checks a plan that repeats and whose plan_value is least to most.
func (c *checker) repeating(p *Plan, least, most int64) {
	switch {
	case p.PlanValue == nil:
		c.fail("plan_value", "plan_value is missing; a plan of type %s takes %d to %d", p.PlanType, least, most)
	case *p.PlanValue < least || *p.PlanValue > most:
		c.fail("plan_value", "plan_value is %d; a plan of type %s takes %d to %d", *p.PlanValue, p.PlanType, least, most)
	}
	if p.PlanRepet == nil {
		c.fail("plan_repet", "plan_repet is missing; a plan of type %s takes -1 (for ever) or how many occurrences it has", p.PlanType)
		return
	}
	c.repet(p.PlanType, *p.PlanRepet)
}

func (c *checker) repet(t PlanType, n int64) {
	if n == 0 || n < -1 {
		c.fail("plan_repet", "plan_repet is %d; a plan of type %s takes -1 (for ever) or how many occurrences it has", n, t)
	}
}

func (c *checker) times(p *Plan) {
	c.time("plan_time", p.PlanTime)
	c.time("start_at", p.StartAt)
	c.time("end_at", p.EndAt)
	if !p.StartAt.IsZero() && !p.EndAt.IsZero() && p.EndAt.Before(p.StartAt) {
		c.fail("end_at", "end_at lies before start_at; no occurrence would count")
	}
	if p.Jitter < 0 || p.Jitter > 86400 {
		c.fail("jitter", "jitter is %s; it takes 0 to 86400 seconds", strconv.FormatFloat(float64(p.Jitter), 'f', -1, 64))
	}
}

func (c *checker) time(field string, t time.Time) {
	if !t.IsZero() && (t.Year() < 1970 || t.Year() > 9999) {
		c.fail(field, "%s lies in the year %d; it takes 1970 to 9999", field, t.Year())
	}
}

func (c *checker) timezone(p *Plan) {
	if p.Timezone == "" {
		return
	}
	if !p.HasCalendars() && !slices.Contains([]PlanType{TypeWeek, TypeMonth, TypeCron}, p.PlanType) {
		c.fail("timezone", "timezone belongs to plan_type cron, week and month, and to the days of calendars; all others count elapsed time")
		return
	}
	c.zone(p.Timezone)
}

// clockChange refuses a choice that would mean nothing, because its user counts on it.
func (c *checker) clockChange(p *Plan) {
	if p.ClockChange.IsZero() {
		return
	}
	if p.counts() || !slices.Contains([]PlanType{TypeWeek, TypeMonth, TypeCron}, p.PlanType) {
		c.fail("clock_change", "clock_change belongs to plan_type cron, week and month, and not to @every; all others count elapsed time")
		return
	}
	word(c, "clock_change.gap", p.ClockChange.Gap)
	word(c, "clock_change.overlap", p.ClockChange.Overlap)
}

// counts reports that a cron expression is @every, which counts elapsed time from plan_time.
func (p *Plan) counts() bool {
	return p.PlanType == TypeCron && strings.HasPrefix(strings.ToLower(strings.TrimSpace(p.Cron)), "@every")
}

// zones caches the zones in use, because reading one from disk takes longer than the rest
// of a check. It stays small, because only names that exist get in.
var zones sync.Map // name to *time.Location

// LoadZone loads a zone by its IANA name. "" and "Local", which the time package knows
// too, are none, and neither are the zone files that begin in lower case (localtime,
// posixrules), because their meaning differs between machines.
func LoadZone(name string) (*time.Location, error) {
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || name[0] < 'A' || name[0] > 'Z' {
		if meant := zoneMeant(name); meant != "" {
			return nil, fmt.Errorf("%q is no IANA name; did you mean %q?", shorten(name), meant)
		}
		return nil, fmt.Errorf("%q is no IANA name such as Europe/Berlin or UTC", shorten(name))
	}
	if oneSpelling(name) {
		zones.Store(name, zone)
	}
	return zone, nil
}

// oneSpelling is false of a name such as Europe//Berlin, because a node that reads zones
// from files accepts any number of spellings of it, and a node without such files accepts
// none.
func oneSpelling(zone string) bool { return path.Clean(zone) == zone }

// shorten keeps untrusted input from filling an error.
func shorten(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
